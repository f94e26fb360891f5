/* Files that never exist incompletely under their name: they are written under another name in the
 * same folder, synchronised to the disk, and renamed. Used for saving arrays. */
#include "file/temporary_file.h"

#include "base/file_write.h"
#include "base/temporary_name.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Returns the length of the path up to the name of the file. */
static size_t folder_length(const char *path)
{
  const char *slash = strrchr(path, '/');
  return slash != NULL ? (size_t)(slash - path) + 1 : 0;
}

static cw_error too_long(const char *path)
{
  return cwi_outside("cannot save to '%.100s...': the path is too long", path);
}

/* Replaces the path by its target if it is a symbolic link. Sets *again to true if it was one. */
static cw_error follow(char *path, bool *again)
{
  char target[PATH_MAX], whole[PATH_MAX];
  const ssize_t bytes = readlink(path, target, sizeof target);
  *again = bytes >= 0;
  if (!*again)
    return CW_OK;
  const size_t folder = target[0] != '/' ? folder_length(path) : 0;
  const int length =
      snprintf(whole, sizeof whole, "%.*s%.*s", (int)folder, path, (int)bytes, target);
  if (length < 0 || (size_t)length >= sizeof whole)
    return too_long(path);
  memcpy(path, whole, (size_t)length + 1);
  return CW_OK;
}

/* Resolves a chain of links whose last target does not exist. realpath has already ruled out
 * loops. */
static cw_error resolve_missing(struct cwi_temporary_file *temporary, const char *path)
{
  bool again = true;
  const int length = snprintf(temporary->path, sizeof temporary->path, "%s", path);
  if (length < 0 || (size_t)length >= sizeof temporary->path)
    return too_long(path);
  while (again)
    CWI_TRY(follow(temporary->path, &again));
  return CW_OK;
}

/* Resolves the path of a file, which may not exist yet. */
static cw_error resolve(struct cwi_temporary_file *temporary, const char *path, struct stat *status,
                        bool *exists)
{
  *exists = realpath(path, temporary->path) != NULL;
  if (!*exists)
    return errno == ENOENT ? resolve_missing(temporary, path)
                           : cwi_outside("cannot save to '%s': %s", path, cwi_system_error(errno));
  if (stat(temporary->path, status) != 0)
    return cwi_outside("cannot save to '%s': %s", path, cwi_system_error(errno));
  if (!S_ISREG(status->st_mode))
    return cwi_outside("cannot save to '%s': it is not a regular file", path);
  return CW_OK;
}

static cw_error temporary_create(struct cwi_temporary_file *temporary, int *file)
{
  char unique[CWI_UNIQUE_NAME];
  cwi_unique_name(unique);
  int code = cwi_temporary_name(temporary->beside, sizeof temporary->beside, temporary->path,
                                unique, "partial");
  if (code == 0 && (*file = cwi_temporary_create(temporary->beside)) < 0)
    code = errno;
  if (code == 0)
    return CW_OK;
  const cw_error error = cwi_outside("cannot create a file beside '%s': '%s': %s", temporary->path,
                                     temporary->beside, cwi_system_error(code));
  temporary->beside[0] = '\0';
  return error;
}

cw_error cwi_temporary_file_create(struct cwi_temporary_file *temporary, const char *path)
{
  struct stat status;
  bool exists = false;
  int file = -1;
  temporary->beside[0] = '\0';
  if (path[0] == '\0' || folder_length(path) == strlen(path))
    return cwi_misuse("path is '%s'; it must end with the name of a file", path);
  CWI_TRY(resolve(temporary, path, &status, &exists));
  CWI_TRY(temporary_create(temporary, &file));
  cw_error error = CW_OK;
  if (exists && fchmod(file, status.st_mode & 07777) != 0)
    error = cwi_outside("cannot give '%s' the permissions of '%s': %s", temporary->beside, path,
                        cwi_system_error(errno));
  if (close(file) != 0 && error == CW_OK)
    error = cwi_outside("cannot create '%s': %s", temporary->beside, cwi_system_error(errno));
  if (error != CW_OK)
    cwi_temporary_file_remove(temporary);
  return error;
}

/* Some file systems do not support fsync, which is no error. */
static bool synced(int file)
{
  return fsync(file) == 0 || errno == EINVAL || errno == ENOTSUP;
}

static cw_error sync_folder(const char *path)
{
  char folder[PATH_MAX];
  const size_t length = folder_length(path);
  snprintf(folder, sizeof folder, "%.*s", length > 0 ? (int)length : 1, length > 0 ? path : ".");
  const int file = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  const bool done = file >= 0 && synced(file);
  cw_error error = CW_OK;
  if (!done)
    error = cwi_outside("'%s' is written, but its folder may not be on the disk: %s", path,
                        cwi_system_error(errno));
  if (file >= 0 && close(file) != 0 && error == CW_OK)
    error = cwi_outside("'%s' is written, but its folder cannot be closed: %s", path,
                        cwi_system_error(errno));
  return error;
}

cw_error cwi_temporary_file_commit(struct cwi_temporary_file *temporary)
{
  int file = -1;
  CWI_TRY(cwi_file_open(temporary->beside, &file));
  CWI_TRY(cwi_file_finish(file, temporary->beside, CW_OK));
  if (rename(temporary->beside, temporary->path) != 0)
    return cwi_outside("cannot rename '%s' to '%s': %s", temporary->beside, temporary->path,
                       cwi_system_error(errno));
  temporary->beside[0] = '\0';
  return sync_folder(temporary->path);
}

void cwi_temporary_file_remove(struct cwi_temporary_file *temporary)
{
  if (temporary->beside[0] != '\0' && unlink(temporary->beside) == 0)
    temporary->beside[0] = '\0';
}

cw_error cwi_file_open(const char *path, int *file)
{
  *file = open(path, O_WRONLY | O_CLOEXEC);
  return *file >= 0
             ? CW_OK
             : cwi_outside("cannot open '%s' for writing: %s", path, cwi_system_error(errno));
}

static bool all_zero(const char *data, size_t bytes)
{
  return data[0] == 0 && memcmp(data, data + 1, bytes - 1) == 0;
}

cw_error cwi_file_write(int file, const char *path, const char *data, size_t bytes, size_t offset)
{
  if (bytes > 0 && all_zero(data, bytes))
    return CW_OK;
  const int code = cwi_write_at(file, data, bytes, (int64_t)offset);
  return code == 0 ? CW_OK
                   : cwi_outside("cannot write %zu bytes at offset %zu to '%s': %s", bytes, offset,
                                 path, cwi_system_error(code));
}

/* Copies from `begin` to the next hole. `end` receives its offset. */
static cw_error copy_run(int from, off_t begin, int file, const char *path, off_t *end)
{
  char buffer[1 << 14];
  *end = lseek(from, begin, SEEK_HOLE);
  while (begin < *end) {
    const size_t rest = (size_t)(*end - begin);
    const ssize_t got = pread(from, buffer, rest < sizeof buffer ? rest : sizeof buffer, begin);
    if (got <= 0)
      return cwi_outside("cannot read the structure of '%s': %s", path, cwi_system_error(errno));
    CWI_TRY(cwi_file_write(file, path, buffer, (size_t)got, (size_t)begin));
    begin += got;
  }
  return CW_OK;
}

cw_error cwi_file_copy(int from, int file, const char *path)
{
  const off_t size = lseek(from, 0, SEEK_END);
  if (size < 0)
    return cwi_outside("cannot read the structure of '%s': %s", path, cwi_system_error(errno));
  for (off_t begin = 0, end = 0; (begin = lseek(from, end, SEEK_DATA)) >= 0;)
    CWI_TRY(copy_run(from, begin, file, path, &end));
  const int code = cwi_file_resize(file, size);
  if (code != 0)
    return cwi_outside("cannot make '%s' %lld bytes long: %s", path, (long long)size,
                       cwi_system_error(code));
  return CW_OK;
}

cw_error cwi_file_finish(int file, const char *path, cw_error error)
{
  if (error == CW_OK && !synced(file))
    error = cwi_outside("cannot write '%s' to the disk: %s", path, cwi_system_error(errno));
  if (close(file) != 0 && error == CW_OK)
    error = cwi_outside("cannot close '%s': %s", path, cwi_system_error(errno));
  return error;
}
