/* Whole reads and writes of open files, whatever the system does of them at once. */
#include "pario/pario.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

int cwi_pario_read(int file, const struct cwi_pario_run *run, size_t *got)
{
  *got = 0;
  while (*got < run->bytes) {
    const ssize_t bytes = pread(file, (char *)run->buffer + *got, run->bytes - *got,
                                (off_t)(run->offset + (int64_t)*got));
    if (bytes == 0)
      return 0;
    if (bytes < 0 && errno != EINTR)
      return errno;
    *got += bytes > 0 ? (size_t)bytes : 0;
  }
  return 0;
}

int cwi_pario_write(int file, const struct cwi_pario_run *run)
{
  size_t done = 0;
  while (done < run->bytes) {
    const ssize_t bytes = pwrite(file, (const char *)run->buffer + done, run->bytes - done,
                                 (off_t)(run->offset + (int64_t)done));
    if (bytes == 0)
      return ENOSPC;
    if (bytes < 0 && errno != EINTR)
      return errno;
    done += bytes > 0 ? (size_t)bytes : 0;
  }
  return 0;
}

int cwi_pario_open(const char *path, int flags)
{
  struct stat status;
  const int file = open(path, flags | O_CLOEXEC, 0666);
  if (file < 0)
    return -1;
  if (fstat(file, &status) == 0 && !S_ISDIR(status.st_mode))
    return file;
  const int error = S_ISDIR(status.st_mode) ? EISDIR : errno;
  (void)close(file);
  errno = error;
  return -1;
}

bool cwi_pario_whole(double value, int64_t *whole)
{
  if (!(value >= 0 && value < 0x1p62))
    return false;
  *whole = (int64_t)value;
  return (double)*whole == value;
}
