/* The file of a profile is written beside its name, and renamed. What else may have that name, as
 * /dev/null, a pipe or a link, is written into: it is never replaced. */
#include "output/atomic_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool may_replace(const char *name)
{
  struct stat there;
  return lstat(name, &there) != 0 || S_ISREG(there.st_mode);
}

/* -1, and errno. Standard output and error may be what cannot be opened by a name, and where one
 * has written until now the other must not begin. A pipe that nobody reads is refused: to wait for
 * a reader could last for ever. */
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

/* A link that leads to no file must not lead to an empty one. */
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

/* Who could not read the file before cannot now. */
static void keep_mode(FILE *out, const char *name)
{
  struct stat there;
  if (stat(name, &there) != 0)
    return;
  const int kept = fchmod(fileno(out), there.st_mode & 0777);
  (void)kept; /* a file system without modes has none to keep */
}

void cwi_atomic_file_drop(const char *name, const char *unique)
{
  char beside[PATH_MAX + CWI_TEMPORARY_NAME];
  if (cwi_temporary_name(beside, sizeof beside, name, unique, "partial") == 0)
    unlink(beside);
}

/* A name that was cut to PATH_MAX is another file's. */
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
