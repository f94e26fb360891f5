/* The files of GA's programs: exclusive access files (EAF), shared files (SF) and disk resident
 * arrays (DRA). The calls in C and in Fortran convert their arguments and call the functions
 * declared here. `call` is the name of the program's call, for messages. Only one thread at a time
 * may be in each of the three interfaces.
 *
 * dra.c          handles of disk resident arrays: creating, opening, closing, deleting
 * dra_calls.c    the calls of DRA in C
 * dra_disk.c     the files of arrays on the disk
 * dra_fortran.c  the calls of DRA in Fortran
 * dra_info.c     the description of an array on the disk, in a file with .info after its name
 * dra_make.c     creates the files of an array under temporary names and renames them
 * dra_move.c     moves elements between arrays in memory and arrays on the disk
 * eaf.c          exclusive access files: each belongs to one process
 * eaf_calls.c    the calls of EAF in C
 * eaf_fortran.c  the calls of EAF in Fortran
 * eaf_memory.c   exclusive access files in MA's heap
 * file.c         complete reads and writes of open files
 * file_error.c   the codes of EAF and SF, their texts, and the messages of failed calls
 * sf.c           shared files: each member of a group reads and writes any part at any time
 * sf_calls.c     the calls of SF in C
 * sf_fortran.c   the calls of SF in Fortran
 * slot.c         slots of handles, the same on all members of a group */
#pragma once

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* --- Errors: file_error.c --- */

/* Return codes of EAF and SF. The codes of system errors are greater than the codes of EAF's own
 * errors. */
enum {
  CWI_PARIO_GOOD = 0,
  CWI_PARIO_OPEN_FAILED = -44, /* returned by eaf_open; its text includes the reason */
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

/* Records the reason why the last eaf_open failed. */
void cwi_pario_open_failed(const char *reason);

/* Prints the reason why a call failed to standard error. Returns the code. */
int cwi_pario_fail(int code, const char *call, const char *format, ...) CWI_PRINTF(3, 4);

/* Returns the text of a system error. */
const char *cwi_pario_reason(int error);

/* Modes of files and arrays. */
enum { CWI_PARIO_RW = -1, CWI_PARIO_W = -2, CWI_PARIO_R = -3 };

/* The request number of every call, because a call is complete when it returns. */
enum { CWI_PARIO_DONE = -1 };

/* --- Open files: file.c --- */

/* Maximum size of a path, including its null character. */
#define CWI_PARIO_PATH ((size_t)1024)

/* `bytes` bytes of a file from an offset on, and the buffer for them. */
struct cwi_pario_run {
  void *buffer; /* a write only reads it */
  size_t bytes;
  int64_t offset;
};

/* Read and write all bytes. Return 0, or the system's error. *got receives the number of bytes that
 * were read. Without an error it is less than requested only at the end of the file. */
int cwi_pario_read(int file, const struct cwi_pario_run *run, size_t *got);
int cwi_pario_write(int file, const struct cwi_pario_run *run);

/* Opens a file, which must not be a folder. Returns its descriptor, or -1 with errno. */
int cwi_pario_open(const char *path, int flags);

/* Opens a file, and creates it if it does not exist. *made becomes true if this call created it. */
int cwi_pario_make(const char *path, bool *made);

/* Converts the value to *whole. Returns true if it is a whole number from 0 to less than 2^62,
 * which can be an offset. */
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

/* Checks the arguments of a transfer of the file `name` and converts them to *run. Returns
 * CWI_PARIO_GOOD, or prints a message and returns the code of the error. */
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

/* All return a code. `type` is a mode, or the size in MiB of a file in memory. */
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
  int users; /* number of times that it is open */
  struct cwi_eaf_memory *next;
};
struct cwi_eaf_memory *cwi_eaf_memory_find(const char *name);

/* Finds or creates a file in memory and counts a user. If it cannot be created, prints a message
 * and returns NULL. */
struct cwi_eaf_memory *cwi_eaf_memory_open(const char *call, const char *name, long mib);
void cwi_eaf_memory_close(struct cwi_eaf_memory *memory);
int cwi_eaf_memory_move(const char *call, struct cwi_eaf_memory *memory, bool writes,
                        const struct cwi_pario_run *run);
int cwi_eaf_memory_delete(const char *call, struct cwi_eaf_memory *memory);

/* --- SF: sf.c --- */

/* If the arguments are correct, all return CW_OK and store a code in *code. Otherwise they return
 * an error, which ends the job. */
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
