/* Makes names for files that are written beside their final place: arrays, profiles, timelines and
 * copies of files. No other job uses the same name. */
#include "base/temporary_name.h"

#include "base/clock.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

void cwi_unique_name(char unique[CWI_UNIQUE_NAME])
{
  char host[65] = "";
  uint64_t bits = 0;
  if (gethostname(host, sizeof host - 1) != 0)
    host[0] = '\0';
  for (char *slash = strchr(host, '/'); slash != NULL; slash = strchr(slash, '/'))
    *slash = '-';
  if (getrandom(&bits, sizeof bits, GRND_NONBLOCK) != (ssize_t)sizeof bits)
    bits = cwi_nanoseconds(); /* the kernel's pool is not ready shortly after boot */
  snprintf(unique, CWI_UNIQUE_NAME, "%s-%ld-%016llx", host, (long)getpid(),
           (unsigned long long)bits);
}

int cwi_temporary_name(char *beside, size_t size, const char *path, const char *unique,
                       const char *ending)
{
  enum { NAME = 100 };
  const char *slash = strrchr(path, '/'), *name = slash != NULL ? slash + 1 : path;
  const int length = snprintf(beside, size, "%.*s%.*s.%s.%s", (int)(name - path), path, NAME, name,
                              unique, ending);
  return length >= 0 && (size_t)length < size ? 0 : ENAMETOOLONG;
}

int cwi_temporary_create(const char *beside)
{
  return open(beside, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
}
