/* Disk resident arrays: the types and functions that their source files share. pario.h has the map
 * of these files. Indices are those of C: the last dimension changes fastest, in memory and on the
 * disk. */
#pragma once

#include "base/error.h"
#include "ga/files/pario.h"

#include "gacommon.h"

#include <causeway.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { CWI_DRA_NAME = 71, CWI_DRA_PATH = 247, CWI_DRA_FILES = 1024, CWI_DRA_NO_REQUEST = -333 };

/* Properties of an array that are stored on the disk with its elements. */
struct cwi_dra_shape {
  uint64_t identity; /* random number in the description and in each file, which shows that they
                        belong together */
  int type;          /* type code of C */
  size_t element;    /* size of an element in bytes */
  int ndim;
  int64_t dims[GA_MAX_DIM];
  int64_t request[GA_MAX_DIM]; /* typical extents of sections; -1 if unknown */
  int files, procs;            /* number of files; number of processes of a node that work on a
                                  file, 0 for all */
  char name[CWI_DRA_NAME + 1];
};

struct cwi_dra {
  bool used;
  int mode;
  struct cwi_dra_shape shape;
  char given[CWI_DRA_PATH + 1]; /* file name that this process passed */
  char path[CWI_DRA_PATH + 1];  /* file name in use: the one that the first member on this node
                                   passed */
  int *file;                    /* [files] descriptors; -1 if this process does not work on the
                                   file */
};

/* The place of this process in a team: the number of its node among the team's nodes, and its
 * number among the team's members on that node. */
struct cwi_dra_workers {
  int node, nodes, place, places;
  int first; /* rank of the first member on this node */
};

/* The part of the work on a file that this process does: share number `place` of `places` equal
 * shares, or nothing if places is 0. */
struct cwi_dra_share {
  int place, places;
};

/* --- Calls: dra.c. Errors end the job. --- */

struct cwi_dra_options {
  int type, ndim;
  const int64_t *dims, *request;
  const char *name, *path;
  long mode, files, procs;    /* less than 1 for the default */
  const char *const *fortran; /* names of the dimensions in a Fortran program, in Fortran's order;
                                 otherwise NULL */
};
CWI_CHECKED cw_error cwi_dra_start(long arrays);
CWI_CHECKED cw_error cwi_dra_stop(void);
CWI_CHECKED cw_error cwi_dra_create(const struct cwi_dra_options *call_arguments, int *handle);

/* Opens an array. If there is no such array, or it is damaged, process 0 prints a message and
 * *found becomes false. */
CWI_CHECKED cw_error cwi_dra_open_or_report(const char *call, const char *path, long mode,
                                            int *handle, bool *found);
CWI_CHECKED cw_error cwi_dra_close(long handle, bool deletes);
CWI_CHECKED cw_error cwi_dra_find(long handle, struct cwi_dra **dra);
CWI_CHECKED cw_error cwi_dra_team(cw_team *team);
CWI_CHECKED cw_error cwi_dra_request(int *request);
/* Completes a wait or a probe. Every request is already complete. A program may wait again for the
 * same request. */
CWI_CHECKED cw_error cwi_dra_wait(long request);
void cwi_dra_configure(long files, long procs);
CWI_CHECKED cw_error cwi_dra_print(long handle);

/* --- Files: dra_disk.c --- */

/* All are local. The members of the team call them together and agree on the error after each call.
 * The functions that delete or close files continue after an error, and return the first error. */
CWI_CHECKED cw_error cwi_dra_open_files(const struct cwi_dra_workers *workers, struct cwi_dra *dra);
CWI_CHECKED cw_error cwi_dra_delete_files(const struct cwi_dra_workers *workers,
                                          const struct cwi_dra *dra);
CWI_CHECKED cw_error cwi_dra_close_files(struct cwi_dra *dra);
CWI_CHECKED cw_error cwi_dra_workers_of(cw_team team, struct cwi_dra_workers *workers);
struct cwi_dra_share cwi_dra_share_of(const struct cwi_dra_workers *workers,
                                      const struct cwi_dra_shape *shape, int file);

/* Returns true if this process is the member that creates and deletes the file. */
bool cwi_dra_leads(const struct cwi_dra_workers *workers, const struct cwi_dra *dra, int file);

struct cwi_dra_file_path {
  char at[CWI_DRA_PATH + 16];
};
struct cwi_dra_file_path cwi_dra_path(const struct cwi_dra *dra, int file);

/* Writes the header of file number `file` to the file at `path`, and sets its size. */
CWI_CHECKED cw_error cwi_dra_fill(const struct cwi_dra *dra, int file, const char *path);

/* Returns CWI_DRA_YES if the file at `path` is file number `file` of the array. Returns CWI_DRA_NO
 * if it is another file or does not exist, and CWI_DRA_UNKNOWN if it cannot be read. */
enum cwi_dra_answer { CWI_DRA_NO, CWI_DRA_YES, CWI_DRA_UNKNOWN };
enum cwi_dra_answer cwi_dra_has(const struct cwi_dra *dra, int file, const char *path);

/* Stores the range of indices of the first dimension whose elements are in a file. A cwi_dra_run
 * describes elements that are contiguous in a file. */
void cwi_dra_rows(const struct cwi_dra_shape *shape, int file, int64_t *begin, int64_t *end);
struct cwi_dra_run {
  int file;
  int64_t first; /* number of the first element, in the array's order */
  size_t elements;
  char *buffer;
};
CWI_CHECKED cw_error cwi_dra_read(const struct cwi_dra *dra, const struct cwi_dra_run *run);
CWI_CHECKED cw_error cwi_dra_write(const struct cwi_dra *dra, const struct cwi_dra_run *run);

/* --- New files: dra_make.c. All are local, like those of dra_disk.c. --- */

/* Temporary files: first the files with elements, then the description. `kept` of them have been
 * renamed. */
struct cwi_dra_new {
  struct cwi_temporary_file *files;
  int elements, count, kept;
};
CWI_CHECKED cw_error cwi_dra_make_beside(const struct cwi_dra_workers *workers,
                                         const struct cwi_dra *dra, bool with_text,
                                         struct cwi_dra_new *made);

/* Renames the files with elements to their final names. If `text` is set, renames the description,
 * too. */
CWI_CHECKED cw_error cwi_dra_store(struct cwi_dra_new *made, bool text);

/* Deletes the files that have not been renamed. If `all` is set, deletes the renamed files, too. */
void cwi_dra_drop(struct cwi_dra_new *made, bool all);

/* Deletes the files of an older array of the same name that the new array `dra` does not replace.
 * If `dra` is NULL, deletes all its files. */
void cwi_dra_delete_old(const struct cwi_dra_workers *workers, const struct cwi_dra *dra,
                        const struct cwi_dra *old);

/* Returns true if the older array has lost a file that this process leads. If with_text is set,
 * also returns true if it has lost its description. */
bool cwi_dra_is_broken(const struct cwi_dra_workers *workers, const struct cwi_dra *old,
                       bool with_text);

/* --- The description: dra_info.c. Errors: CW_OUTSIDE. --- */
struct cwi_dra_file_path cwi_dra_info_path(const char *path);
CWI_CHECKED cw_error cwi_dra_info_write(const struct cwi_dra *dra, const char *path);
CWI_CHECKED cw_error cwi_dra_info_read(const char *path, struct cwi_dra_shape *shape);
CWI_CHECKED cw_error cwi_dra_info_delete(const struct cwi_dra *dra);

/* --- Moving: dra_move.c --- */

/* A transfer between a section of an array in memory and a section of an array on the disk. Both
 * sections have the same number of elements, which correspond in order. If the bounds are NULL, the
 * sections are the whole arrays, whose dimensions must be equal. */
struct cwi_dra_move {
  bool writes;     /* to the disk */
  bool transposed; /* the dimensions of the array in memory are reversed */
  int g_a;
  const int64_t *glo, *ghi;
  long handle;
  const int64_t *dlo, *dhi;
};
CWI_CHECKED cw_error cwi_dra_move(const struct cwi_dra_move *move, int *request);
