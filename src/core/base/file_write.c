/* Writes files without raising signals. The writing thread blocks the signals, because a handler
 * would apply to the whole program. */
#include "base/file_write.h"

#include "base/error.h"

#include <errno.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

static void write_signals(sigset_t *set)
{
  sigemptyset(set);
  sigaddset(set, SIGXFSZ);
  sigaddset(set, SIGPIPE);
}

/* Only a signal that the thread had already blocked can be pending here. */
void cwi_write_signals_block(struct cwi_write_signals *signals)
{
  sigset_t set;
  write_signals(&set);
  sigemptyset(&signals->pending);
  pthread_sigmask(SIG_BLOCK, &set, &signals->before);
  if (sigismember(&signals->before, SIGXFSZ) != 0 || sigismember(&signals->before, SIGPIPE) != 0)
    sigpending(&signals->pending);
}

void cwi_write_signals_restore(const struct cwi_write_signals *signals)
{
  static const int numbers[] = {SIGXFSZ, SIGPIPE};
  const struct timespec at_once = {0, 0};
  const int code = errno;
  sigset_t raised;
  sigemptyset(&raised);
  for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
    if (sigismember(&signals->pending, numbers[i]) == 0)
      sigaddset(&raised, numbers[i]);
  while (sigtimedwait(&raised, NULL, &at_once) > 0)
    continue;
  pthread_sigmask(SIG_SETMASK, &signals->before, NULL);
  errno = code;
}

/* The failed write may have been long ago, and errno may belong to another call. One more write
 * finds the reason. */
static int write_failure(FILE *out)
{
  if (ferror(out) == 0)
    return fflush(out) == 0 ? 0 : errno;
  clearerr(out);
  return fputc('\n', out) != EOF && fflush(out) == 0 ? EIO : errno;
}

int cwi_write_close(FILE *out)
{
  const int code = write_failure(out);
  return fclose(out) != 0 && code == 0 ? errno : code;
}

size_t cwi_file_limit(void)
{
  struct rlimit limit;
  if (getrlimit(RLIMIT_FSIZE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY)
    return SIZE_MAX;
  return limit.rlim_cur;
}

static int write_all(int file, const char *data, size_t bytes, int64_t offset)
{
  while (bytes > 0) {
    const ssize_t written = pwrite(file, data, bytes, (off_t)offset);
    if (written < 0 && errno == EINTR)
      continue;
    if (written <= 0)
      return written == 0 ? ENOSPC : errno;
    data += written;
    offset += written;
    bytes -= (size_t)written;
  }
  return 0;
}

/* Blocking the signals takes three system calls, so they are blocked only if the write would exceed
 * the limit on the size of files. Otherwise the write raises no signal: a file with offsets is not
 * a pipe. */
int cwi_write_at(int file, const void *data, size_t bytes, int64_t offset)
{
  struct cwi_write_signals signals;
  const size_t most = cwi_file_limit();
  if (CWI_LIKELY(bytes <= most && (uint64_t)offset <= most - bytes))
    return write_all(file, data, bytes, offset);
  cwi_write_signals_block(&signals);
  const int code = write_all(file, data, bytes, offset);
  cwi_write_signals_restore(&signals);
  return code;
}

int cwi_file_resize(int file, int64_t length)
{
  struct cwi_write_signals signals;
  cwi_write_signals_block(&signals);
  const int code = ftruncate(file, (off_t)length) == 0 ? 0 : errno;
  cwi_write_signals_restore(&signals);
  return code;
}
