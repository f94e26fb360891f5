/* The file of a profile is written beside its name, and renamed. What else may have that name, as
 * /dev/null, a pipe or a link, is written into: it is never replaced. */
#include "report/whole_file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
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

static FILE *open_there(const char *name)
{
  const int file = open_special(name);
  FILE *out = file >= 0 ? fdopen(file, "w") : NULL;
  const int code = errno;
  if (out == NULL && file >= 0)
    close(file);
  errno = code;
  return out;
}

/* A reader that goes away is an error of this file, and not the end of the program. */
static void pipe_signal(sigset_t *set)
{
  sigemptyset(set);
  sigaddset(set, SIGPIPE);
}

static void pipe_signal_hold(sigset_t *before)
{
  sigset_t set;
  pipe_signal(&set);
  pthread_sigmask(SIG_BLOCK, &set, before);
}

static void pipe_signal_release(const sigset_t *before)
{
  sigset_t set;
  const struct timespec at_once = {0, 0};
  pipe_signal(&set);
  if (sigismember(before, SIGPIPE) == 0)
    while (sigtimedwait(&set, NULL, &at_once) > 0)
      continue;
  pthread_sigmask(SIG_SETMASK, before, NULL);
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

static void name_beside(char *beside, size_t size, const char *name, pid_t process)
{
  snprintf(beside, size, "%s.%ld.part", name, (long)process);
}

void cwi_whole_file_drop(const char *name, pid_t process)
{
  char beside[PATH_MAX + 32];
  name_beside(beside, sizeof beside, name, process);
  unlink(beside);
}

int cwi_whole_file_open(struct cwi_whole_file *file, const char *name)
{
  file->name = name;
  file->replaces = may_replace(name);
  name_beside(file->beside, sizeof file->beside, name, getpid());
  file->out = file->replaces ? fopen(file->beside, "w") : open_there(name);
  const int code = errno;
  if (file->out == NULL)
    return code;
  if (file->replaces)
    keep_mode(file->out, name);
  pipe_signal_hold(&file->signals);
  return 0;
}

/* 0: all that was written has arrived. Else errno is no longer that of the write that failed: it is
 * written once more. */
static int failure_of(FILE *out)
{
  if (ferror(out) == 0)
    return fflush(out) == 0 ? 0 : errno;
  clearerr(out);
  return fputc('\n', out) != EOF && fflush(out) == 0 ? EIO : errno;
}

int cwi_whole_file_close(struct cwi_whole_file *file)
{
  int code = failure_of(file->out);
  if (fclose(file->out) != 0 && code == 0)
    code = errno;
  pipe_signal_release(&file->signals);
  if (!file->replaces)
    return code;
  if (code == 0 && rename(file->beside, file->name) != 0)
    code = errno;
  if (code != 0)
    unlink(file->beside);
  return code;
}
