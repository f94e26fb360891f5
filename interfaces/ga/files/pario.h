/* Files of programs on GA: exclusive access files (EAF), shared files (SF), disk resident arrays
 * (DRA). The calls of C and of Fortran convert their arguments and call the functions declared
 * here. `call` is the name of the program's call, for messages. Only one thread at a time may be in
 * each of the three.
 *
 * dra.c          handles of disk resident arrays: creating, opening, closing, deleting
 * dra_calls.c    DRA under C's names
 * dra_disk.c     the files of arrays on the disk
 * dra_fortran.c  DRA under Fortran's names
 * dra_info.c     the description of an array on the disk, in a file with .info after its name
 * dra_make.c     creates the files of an array under temporary names and renames them
 * dra_move.c     moves elements between arrays in memory and arrays on the disk
 * eaf.c          exclusive access files: each belongs to one process
 * eaf_calls.c    EAF under C's names
 * eaf_fortran.c  EAF under Fortran's names
 * eaf_memory.c   exclusive access files in MA's heap
 * file.c         complete reads and writes of open files
 * file_error.c   the codes of EAF and SF, their texts, and the messages of failed calls
 * sf.c           shared files: each member of a group reads and writes any part at any time
 * sf_calls.c     SF under C's names
 * sf_fortran.c   SF under Fortran's names
 * slot.c         slots of handles, the same on all members of a group */
#ifndef CWI_GA_FILES_PARIO_H
#define CWI_GA_FILES_PARIO_H

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* --- Errors: file_error.c --- */

/* Return codes of EAF and SF. Those of the system are greater than EAF's own. */
enum {
  CWI_PARIO_GOOD = 0,
  CWI_PARIO_OPEN_FAILED = -44, /* from eaf_open: its text has the reason */
  CWI_PARIO_END = -1977,
  CWI_PARIO_MEMORY = -1989,
  CWI_PARIO_OPEN = -1990,
  CWI_PARIO_STAT = -1991,
  CWI_PARIO_MODE = -1993,
  CWI_PARIO_REQUEST = -1994,
  CWI_PARIO_READ = -1997,
  CWI_PARIO_WRITE = -1999,
  CWI_PARIO_SEEK = -2000,
  CWI_EAF_MANY = -10002,
  CWI_EAF_MEMORY = -10003,
  CWI_EAF_CLOSE = -10005,
  CWI_EAF_FILE = -10006,
  CWI_EAF_WRITE = -10007,
  CWI_EAF_READ = -10009,
  CWI_EAF_UNLINK = -10013,
  CWI_EAF_SHORT = -10016,
  CWI_EAF_LONG = -10017,
  CWI_EAF_OFFSET = -10018,
  CWI_EAF_TRUNCATE = -10019
};

/* Returns the text of a code. It has at most CWI_PARIO_TEXT characters. */
enum { CWI_PARIO_TEXT = 79 };
const char *cwi_pario_text(long code);

/* Records why the last eaf_open failed. */
void cwi_pario_open_failed(const char *reason);

/* Writes to standard error why a call failed. Returns the code. */
int cwi_pario_fail(int code, const char *call, const char *format, ...) CWI_PRINTF(3, 4);

/* Returns the text of a system error. */
const char *cwi_pario_reason(int error);

/* Modes of files and arrays. */
enum { CWI_PARIO_RW = -1, CWI_PARIO_W = -2, CWI_PARIO_R = -3 };

/* The request of a call that was complete on return. */
enum { CWI_PARIO_DONE = -1 };

/* --- Open files: file.c --- */

/* The longest path, including its end. */
#define CWI_PARIO_PATH ((size_t)1024)

/* Bytes of a file from an offset on, and their buffer. */
struct cwi_pario_run {
  void *buffer; /* a write only reads it */
  size_t bytes;
  int64_t offset;
};

/* Read and write all bytes. Return 0, or the system's error. `got` receives the number of bytes,
 * which is less than requested only at the end of the file. */
int cwi_pario_read(int file, const struct cwi_pario_run *run, size_t *got);
int cwi_pario_write(int file, const struct cwi_pario_run *run);

/* Opens a file, which must not be a folder. Returns its descriptor, or -1 with errno. */
int cwi_pario_open(const char *path, int flags);

/* Opens a file, and creates it if it does not exist. `made` receives whether it was created. */
int cwi_pario_make(const char *path, bool *made);

/* Returns true if the value is a whole number from 0 on that can be an offset. */
static inline bool cwi_pario_whole(double value, int64_t *whole)
{
  if (CWI_UNLIKELY(!(value >= 0 && value < 0x1p62)))
    return false;
  *whole = (int64_t)value;
  return (double)*whole == value;
}

/* Arguments of a transfer, and the codes to return if they are wrong. */
struct cwi_pario_request {
  bool writes;
  double offset, bytes;
  void *buffer; /* a write only reads it */
};
struct cwi_pario_rejections {
  int offset, write, read;
};

/* Checks the arguments of a transfer of the file `name` and converts them to `run`. Returns a code,
 * after a message if it is an error. */
int cwi_pario_result(const char *call, const char *name,
                     const struct cwi_pario_request *call_arguments,
                     const struct cwi_pario_rejections *codes, struct cwi_pario_run *run);

/* --- EAF: eaf.c --- */

enum cwi_eaf_kind { CWI_EAF_WRITES, CWI_EAF_READS, CWI_EAF_AWRITES, CWI_EAF_AREADS, CWI_EAF_KINDS };

/* A transfer that the program requests. */
struct cwi_eaf_request {
  enum cwi_eaf_kind kind;
  long fd;
  double offset;
  void *buffer; /* a write only reads it */
  double bytes;
};

/* All return a code. type: a mode, or the size in MiB of a file in memory. */
int cwi_eaf_open(const char *call, const char *name, long type, int *fd);
int cwi_eaf_close(const char *call, long fd);
int cwi_eaf_delete(const char *call, const char *name);
int cwi_eaf_move(const char *call, const struct cwi_eaf_request *call_arguments);
int cwi_eaf_wait(const char *call, long request);
int cwi_eaf_length(const char *call, long fd, double *length);
int cwi_eaf_truncate(const char *call, long fd, double length);
int cwi_eaf_stat(const char *call, const char *path, long *free_mib, char *system, size_t size);
int cwi_eaf_print(const char *call, long fd);

/* Files in memory: eaf_memory.c. */
struct cwi_eaf_memory {
  char *name; /* NULL if it was deleted */
  long handle;
  int64_t bytes;
  int users; /* number of open files on it */
  struct cwi_eaf_memory *next;
};
struct cwi_eaf_memory *cwi_eaf_memory_find(const char *name);

/* Finds or creates a file in memory and counts a user. Returns NULL after a message. */
struct cwi_eaf_memory *cwi_eaf_memory_open(const char *call, const char *name, long mib);
void cwi_eaf_memory_close(struct cwi_eaf_memory *memory);
int cwi_eaf_memory_move(const char *call, struct cwi_eaf_memory *memory, bool writes,
                        const struct cwi_pario_run *run);
int cwi_eaf_memory_delete(const char *call, struct cwi_eaf_memory *memory);

/* --- SF: sf.c --- */

/* Calls return CW_OK, and a code in *code; or the error of a wrong argument, which ends the job. */
/* Creates a shared file. If `suffix` is NULL, the number of the slot is used. */
CWI_CHECKED cw_error cwi_sf_create(const char *call, const char *name, const long *suffix,
                                   int *handle, int *code);
CWI_CHECKED cw_error cwi_sf_destroy(const char *call, long handle, int *code);
CWI_CHECKED cw_error cwi_sf_open(const char *call, long handle, int *code);
CWI_CHECKED cw_error cwi_sf_close(const char *call, long handle, int *code);
CWI_CHECKED cw_error cwi_sf_read_only(const char *call, long handle, int *code);
CWI_CHECKED cw_error cwi_sf_sync(const char *call, long handle, int *code);
CWI_CHECKED cw_error cwi_sf_move(const char *call, long handle,
                                 const struct cwi_pario_request *call_arguments, int *code);
int cwi_sf_wait(const char *call, long request);
#endif
