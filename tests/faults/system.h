/* Included after inject.h before files that call the file system. Each system call first checks
 * whether it must fail or do only a part, as systems may. The names of these sites begin with sys_.
 */
#pragma once

#include "inject.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

/* Sets errno and returns the result of a failed call. */
static inline int fault_error(int error)
{
  errno = error;
  return -1;
}

static inline void *fault_null(int error)
{
  errno = error;
  return NULL;
}

#define open(...) (FAULT_HERE("sys_open") ? fault_error(EMFILE) : open(__VA_ARGS__))
#define fopen(...) (FAULT_HERE("sys_fopen") ? fault_null(EACCES) : fopen(__VA_ARGS__))
#define fstat(...) (FAULT_HERE("sys_fstat") ? fault_error(EIO) : fstat(__VA_ARGS__))
#define stat(...) (FAULT_HERE("sys_stat") ? fault_error(EACCES) : stat(__VA_ARGS__))
#define statvfs(...) (FAULT_HERE("sys_statvfs") ? fault_error(EIO) : statvfs(__VA_ARGS__))
#define realpath(...) (FAULT_HERE("sys_realpath") ? fault_null(EACCES) : realpath(__VA_ARGS__))
#define fchmod(...) (FAULT_HERE("sys_fchmod") ? fault_error(EPERM) : fchmod(__VA_ARGS__))
#define ftruncate(...) (FAULT_HERE("sys_ftruncate") ? fault_error(EFBIG) : ftruncate(__VA_ARGS__))
#define fsync(...) (FAULT_HERE("sys_fsync") ? fault_error(EIO) : fsync(__VA_ARGS__))
#define rename(...) (FAULT_HERE("sys_rename") ? fault_error(EACCES) : rename(__VA_ARGS__))
#define unlink(...) (FAULT_HERE("sys_unlink") ? fault_error(EACCES) : unlink(__VA_ARGS__))
#define getrandom(...) (FAULT_HERE("sys_getrandom") ? fault_error(ENOSYS) : getrandom(__VA_ARGS__))
#define gethostname(...)                                                                           \
  (FAULT_HERE("sys_gethostname") ? fault_error(ENAMETOOLONG) : gethostname(__VA_ARGS__))
#define ferror(...) (FAULT_HERE("sys_ferror") ? 1 : ferror(__VA_ARGS__))

/* A close always closes, even if it returns an error. */
static inline int fault_after(bool strikes, int code)
{
  return strikes ? fault_error(EIO) : code;
}
#define close(file) fault_after(FAULT_HERE("sys_close"), close(file))
#define fclose(file) fault_after(FAULT_HERE("sys_fclose"), fclose(file))

/* Reads and writes may also be partial; after the end of a file there is no data. */
#define pwrite(file, data, bytes, at)                                                              \
  (FAULT_HERE("sys_pwrite") ? fault_error(ENOSPC)                                                  \
   : FAULT_HERE("sys_pwrite_again")                                                                \
       ? fault_error(EINTR)                                                                        \
       : pwrite(file, data, FAULT_HERE("sys_pwrite_part") && (bytes) > 1 ? (bytes) / 2 : (bytes),  \
                at))
#define pread(file, data, bytes, at)                                                               \
  (FAULT_HERE("sys_pread")         ? fault_error(EIO)                                              \
   : FAULT_HERE("sys_pread_again") ? fault_error(EINTR)                                            \
   : FAULT_HERE("sys_pread_end")                                                                   \
       ? 0                                                                                         \
       : pread(file, data, FAULT_HERE("sys_pread_part") && (bytes) > 1 ? (bytes) / 2 : (bytes),    \
               at))
