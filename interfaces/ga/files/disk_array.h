/* Disk resident arrays, as their files see them: pario.h has the map. Indices are C's: the last
 * dimension is the fastest, as in memory and on the disk. */
#ifndef CWI_GA_FILES_DISK_ARRAY_H
#define CWI_GA_FILES_DISK_ARRAY_H

#include "base/error.h"
#include "ga/files/pario.h"

#include "gacommon.h"

#include <causeway.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { CWI_DRA_NAME = 71, CWI_DRA_PATH = 247, CWI_DRA_FILES = 1024, CWI_DRA_NO_REQUEST = -333 };

/* What the disk keeps of an array beside its elements. */
struct cwi_dra_shape {
  uint64_t identity; /* in the text and in each file: that they belong together */
  int type;          /* code of C */
  size_t element;    /* bytes */
  int ndim;
  int64_t dims[GA_MAX_DIM];
  int64_t request[GA_MAX_DIM]; /* what sections are usually like; -1: unknown */
  int files, procs;            /* processes of a node that work on a file; 0: all */
  char name[CWI_DRA_NAME + 1];
};

struct cwi_dra {
  bool used;
  int mode;
  struct cwi_dra_shape shape;
  char given[CWI_DRA_PATH + 1]; /* file name that this process gave */
  char path[CWI_DRA_PATH + 1];  /* the one in use: that of my node's first member */
  int *file;                    /* [files] descriptors; -1: others work on it */
};

/* Where I am in a team: on which of its nodes, and where among its members there. */
struct cwi_dra_workers {
  int node, nodes, place, places;
  int first; /* rank of my node's first member */
};

/* What I do on a file: the share `place` of `places`; places 0: nothing. */
struct cwi_dra_share {
  int place, places;
};

/* --- Calls: dra.c. Errors end the job. --- */

struct cwi_dra_options {
  int type, ndim;
  const int64_t *dims, *request;
  const char *name, *path;
  long mode, files, procs; /* files, procs: less than 1: the default */
  const char *const
      *fortran; /* the dimensions' names to a Fortran program, in its order; or NULL */
};
CWI_CHECKED cw_error cwi_dra_start(long arrays);
CWI_CHECKED cw_error cwi_dra_stop(void);
CWI_CHECKED cw_error cwi_dra_create(const struct cwi_dra_options *call_arguments, int *handle);

/* found: false after a message of the first process: there is no such array, or it is damaged. */
CWI_CHECKED cw_error cwi_dra_open_or_report(const char *call, const char *path, long mode,
                                            int *handle, bool *found);
CWI_CHECKED cw_error cwi_dra_close(long handle, bool deletes);
CWI_CHECKED cw_error cwi_dra_find(long handle, struct cwi_dra **dra);
CWI_CHECKED cw_error cwi_dra_team(cw_team *team);
CWI_CHECKED cw_error cwi_dra_request(int *request);
/* Of a wait, or of a probe: all is done. A program may wait again. */
CWI_CHECKED cw_error cwi_dra_wait(long request);
void cwi_dra_configure(long files, long procs);
CWI_CHECKED cw_error cwi_dra_print(long handle);

/* --- Files: dra_disk.c --- */

/* All local; the members of the team call them together, and agree behind each. Deleting and
 * closing go on behind an error, and tell the first. */
CWI_CHECKED cw_error cwi_dra_open_files(const struct cwi_dra_workers *workers, struct cwi_dra *dra);
CWI_CHECKED cw_error cwi_dra_delete_files(const struct cwi_dra_workers *workers,
                                          const struct cwi_dra *dra);
CWI_CHECKED cw_error cwi_dra_close_files(struct cwi_dra *dra);
CWI_CHECKED cw_error cwi_dra_workers_of(cw_team team, struct cwi_dra_workers *workers);
struct cwi_dra_share cwi_dra_share_of(const struct cwi_dra_workers *workers,
                                      const struct cwi_dra_shape *shape, int file);

/* Of the members that work on a file the one that makes and deletes it: is it me? */
bool cwi_dra_leads(const struct cwi_dra_workers *workers, const struct cwi_dra *dra, int file);

struct cwi_dra_file_path {
  char at[CWI_DRA_PATH + 16];
};
struct cwi_dra_file_path cwi_dra_path(const struct cwi_dra *dra, int file);

/* Make the file with this path one of an array that has no elements yet. */
CWI_CHECKED cw_error cwi_dra_fill(const struct cwi_dra *dra, int file, const char *path);

/* Does the file with this path belong to the array, under this number? No file does not. */
enum cwi_dra_answer { CWI_DRA_NO, CWI_DRA_YES, CWI_DRA_UNKNOWN };
enum cwi_dra_answer cwi_dra_has(const struct cwi_dra *dra, int file, const char *path);

/* The first indices of a file, and where they end; of elements that follow each other in a file. */
void cwi_dra_rows(const struct cwi_dra_shape *shape, int file, int64_t *begin, int64_t *end);
struct cwi_dra_run {
  int file;
  int64_t first; /* element of the array, in its order */
  size_t elements;
  char *buffer;
};
CWI_CHECKED cw_error cwi_dra_read(const struct cwi_dra *dra, const struct cwi_dra_run *run);
CWI_CHECKED cw_error cwi_dra_write(const struct cwi_dra *dra, const struct cwi_dra_run *run);

/* --- New files: dra_make.c. All local, as those of dra_disk.c. --- */

/* Files beside their places: those with elements, and then the text. */
struct cwi_dra_new {
  struct cwi_temporary_file *files;
  int elements, count, kept;
};
CWI_CHECKED cw_error cwi_dra_make_beside(const struct cwi_dra_workers *workers,
                                         const struct cwi_dra *dra, bool with_text,
                                         struct cwi_dra_new *made);

/* They take their places; text: the text, too. */
CWI_CHECKED cw_error cwi_dra_store(struct cwi_dra_new *made, bool text);

/* What has no place goes; all: the others, too. */
void cwi_dra_drop(struct cwi_dra_new *made, bool all);

/* Delete files of an older array of that name that have no place in the new one; dra: NULL: all. */
void cwi_dra_delete_old(const struct cwi_dra_workers *workers, const struct cwi_dra *dra,
                        const struct cwi_dra *old);

/* Has the older array lost a file of mine, or, with_text, its text? */
bool cwi_dra_is_broken(const struct cwi_dra_workers *workers, const struct cwi_dra *old,
                       bool with_text);

/* --- The text: dra_info.c. Errors: CW_OUTSIDE. --- */
struct cwi_dra_file_path cwi_dra_info_path(const char *path);
CWI_CHECKED cw_error cwi_dra_info_write(const struct cwi_dra *dra, const char *path);
CWI_CHECKED cw_error cwi_dra_info_read(const char *path, struct cwi_dra_shape *shape);
CWI_CHECKED cw_error cwi_dra_info_delete(const struct cwi_dra *dra);

/* --- Moving: dra_move.c --- */

/* Sections of an array in memory and of one on the disk with equally many elements, in the order of
 * the elements. lo and hi: NULL: all, where both have the same dimensions. */
struct cwi_dra_move {
  bool writes;     /* to the disk */
  bool transposed; /* the dimensions of the array in memory are turned round */
  int g_a;
  const int64_t *glo, *ghi;
  long handle;
  const int64_t *dlo, *dhi;
};
CWI_CHECKED cw_error cwi_dra_move(const struct cwi_dra_move *move, int *request);
#endif
