/* Writes a file beside its name and then renames it. A name that is not a regular file, such as
 * /dev/null, a pipe or a link, is written in place and never replaced. */
#include "output/atomic_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Returns true if `name` does not exist or is a regular file. */
static bool may_replace(const char *name)
{
  struct stat there;
  return lstat(name, &there) != 0 || S_ISREG(there.st_mode);
}

/* Opens a name that is written in place. Returns a descriptor, or -1 with errno. Standard output
 * and standard error are duplicated: a socket cannot be opened by name, and a file opened again
 * would be written from its beginning. O_NONBLOCK makes open fail for a pipe without a reader,
 * because waiting for one could last for ever. */
static int open_special(const char *name)
{
  enum { MODE = 0666 };
  if (strcmp(name, "/dev/stderr") == 0)
    return dup(STDERR_FILENO);
  if (strcmp(name, "/dev/stdout") == 0) {
    fflush(stdout);
    return dup(STDOUT_FILENO);
  }
  const int file = open(name, O_WRONLY | O_CREAT | O_TRUNC | O_NONBLOCK | O_NOCTTY, MODE);
  const int flags = file >= 0 ? fcntl(file, F_GETFL) : -1;
  if (flags >= 0)
    fcntl(file, F_SETFL, flags & ~O_NONBLOCK);
  return file;
}

/* Returns 0 if the missing target of the symbolic link `name` can be created; otherwise returns
 * errno. Removes the empty file again. */
static int try_link(const char *name)
{
  char target[PATH_MAX];
  const int file = open(name, O_WRONLY | O_CREAT | O_NOCTTY | O_CLOEXEC, 0666);
  if (file < 0)
    return errno;
  close(file);
  if (realpath(name, target) != NULL)
    unlink(target);
  return 0;
}

static int try_special(const char *name)
{
  struct stat there;
  const int standard = strcmp(name, "/dev/stdout") == 0   ? STDOUT_FILENO
                       : strcmp(name, "/dev/stderr") == 0 ? STDERR_FILENO
                                                          : -1;
  if (standard >= 0)
    return fcntl(standard, F_GETFD) >= 0 ? 0 : errno;
  if (stat(name, &there) != 0)
    return errno == ENOENT ? try_link(name) : errno;
  if (S_ISDIR(there.st_mode))
    return EISDIR;
  return access(name, W_OK) == 0 ? 0 : errno;
}

static FILE *open_stream(int file)
{
  FILE *out = file >= 0 ? fdopen(file, "w") : NULL;
  const int code = errno;
  if (out == NULL && file >= 0)
    close(file);
  errno = code;
  return out;
}

/* Gives the new file the permissions of the file that it replaces, so that no user gains access. */
static void keep_mode(FILE *out, const char *name)
{
  struct stat there;
  if (stat(name, &there) != 0)
    return;
  const int kept = fchmod(fileno(out), there.st_mode & 0777);
  (void)kept; /* A file system without permissions has none to keep. */
}

void cwi_atomic_file_drop(const char *name, const char *unique)
{
  char beside[PATH_MAX + CWI_TEMPORARY_NAME];
  if (cwi_temporary_name(beside, sizeof beside, name, unique, "partial") == 0)
    unlink(beside);
}

/* Returns true if `name` is too long. A name that is truncated to PATH_MAX would be that of another
 * file. */
static bool is_too_long(const char *name)
{
  struct stat there;
  return strlen(name) >= PATH_MAX - 1 || (lstat(name, &there) != 0 && errno == ENAMETOOLONG);
}

int cwi_atomic_file_try(const char *name, const char *unique)
{
  char beside[PATH_MAX + CWI_TEMPORARY_NAME];
  if (is_too_long(name))
    return ENAMETOOLONG;
  if (!may_replace(name))
    return try_special(name);
  const int code = cwi_temporary_name(beside, sizeof beside, name, unique, "partial");
  const int file = code == 0 ? cwi_temporary_create(beside) : -1;
  if (file < 0)
    return code != 0 ? code : errno;
  close(file);
  return unlink(beside) == 0 ? 0 : errno;
}

int cwi_atomic_file_open(struct cwi_atomic_file *file, const char *name, const char *unique)
{
  file->name = name;
  file->replaces = may_replace(name);
  if (is_too_long(name))
    return ENAMETOOLONG;
  int code = cwi_temporary_name(file->beside, sizeof file->beside, name, unique, "partial");
  if (code != 0)
    return code;
  cwi_write_signals_block(&file->signals);
  file->out = open_stream(file->replaces ? cwi_temporary_create(file->beside) : open_special(name));
  code = file->out != NULL ? 0 : errno;
  if (code != 0)
    cwi_write_signals_restore(&file->signals);
  else if (file->replaces)
    keep_mode(file->out, name);
  return code;
}

int cwi_atomic_file_close(struct cwi_atomic_file *file)
{
  int code = cwi_write_close(file->out);
  cwi_write_signals_restore(&file->signals);
  if (!file->replaces)
    return code;
  if (code == 0 && rename(file->beside, file->name) != 0)
    code = errno;
  if (code != 0)
    unlink(file->beside);
  return code;
}
