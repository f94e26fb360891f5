/* Complete reads and writes of open files. A call is repeated if the system has transferred only a
 * part. */
#include "ga/files/pario.h"

#include "base/file_write.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

int cwi_pario_read(int file, const struct cwi_pario_run *run, size_t *got)
{
  size_t done = 0;
  int error = 0;
  while (done < run->bytes) {
    const ssize_t bytes = pread(file, (char *)run->buffer + done, run->bytes - done,
                                (off_t)(run->offset + (int64_t)done));
    if (bytes < 0 && errno != EINTR)
      error = errno;
    if (bytes == 0 || error != 0)
      break;
    done += bytes > 0 ? (size_t)bytes : 0;
  }
  *got = done;
  return error;
}

int cwi_pario_write(int file, const struct cwi_pario_run *run)
{
  return cwi_write_at(file, run->buffer, run->bytes, run->offset);
}

/* Opens a file. The system would also open a folder for reading, so this function rejects
 * folders. */
int cwi_pario_open(const char *path, int flags)
{
  struct stat status = {0};
  const int file = open(path, flags | O_CLOEXEC, 0666);
  if (file < 0 || (flags & O_ACCMODE) != O_RDONLY)
    return file;
  if (fstat(file, &status) == 0 && !S_ISDIR(status.st_mode))
    return file;
  const int error = S_ISDIR(status.st_mode) ? EISDIR : errno;
  (void)close(file);
  errno = error;
  return -1;
}

int cwi_pario_make(const char *path, bool *made)
{
  const int file = cwi_pario_open(path, O_RDWR | O_CREAT | O_EXCL);
  *made = file >= 0;
  return *made || errno != EEXIST ? file : cwi_pario_open(path, O_RDWR | O_CREAT);
}

int cwi_pario_result(const char *call, const char *name,
                     const struct cwi_pario_request *call_arguments,
                     const struct cwi_pario_rejections *codes, struct cwi_pario_run *run)
{
  const int code = call_arguments->writes ? codes->write : codes->read;
  int64_t bytes = 0;
  if (CWI_UNLIKELY(!cwi_pario_whole(call_arguments->offset, &run->offset)))
    return cwi_pario_fail(
        codes->offset, call,
        "offset in file '%s' is %.17g, which is not a whole number from 0 to 2^62", name,
        call_arguments->offset);
  if (CWI_UNLIKELY(!cwi_pario_whole(call_arguments->bytes, &bytes)))
    return cwi_pario_fail(code, call, "bytes is %.17g, which is not a whole number from 0 to 2^62",
                          call_arguments->bytes);
  if (CWI_UNLIKELY(call_arguments->buffer == NULL && bytes > 0))
    return cwi_pario_fail(code, call, "the buffer is NULL, but %.0f bytes are to be moved",
                          call_arguments->bytes);
  run->buffer = call_arguments->buffer;
  run->bytes = (size_t)bytes;
  return CWI_PARIO_GOOD;
}
