/* Memory is granted as long as there is some, even if other programs allocate it meanwhile.
 * Replaces /proc/meminfo. One process; granted memory is not touched. */
#include "kit/native.h"

#include "memory/zone.h"

#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MEGA = 1 << 20, KEPT = 1024 };

static char meminfo[] = "/tmp/account.XXXXXX";

FILE *__real_fopen(const char *path, const char *mode);
FILE *__wrap_fopen(const char *path, const char *mode);

int __real_open(const char *path, int flags, ...);
int __wrap_open(const char *path, int flags, ...);

static int searches,
    reads; /* numbers of searches for cgroups, and of reads of the machine's memory */

/* The linker makes the library call these. No cgroup limits memory. */
FILE *__wrap_fopen(const char *path, const char *mode)
{
  const bool cgroups = strcmp(path, "/proc/self/cgroup") == 0;
  searches += cgroups;
  return __real_fopen(cgroups ? "/dev/null" : path, mode);
}

int __wrap_open(const char *path, int flags, ...)
{
  va_list rest;
  va_start(rest, flags);
  const int mode = (flags & O_CREAT) != 0 ? va_arg(rest, int) : 0;
  va_end(rest);
  const bool memory = strcmp(path, "/proc/meminfo") == 0;
  reads += memory;
  return __real_open(memory ? meminfo : path, flags, mode);
}

static void machine_has(size_t megabytes)
{
  FILE *file = __real_fopen(meminfo, "w");
  if (file == NULL ||
      fprintf(file, "MemTotal: 8388608 kB\nMemAvailable: %zu kB\n", megabytes * 1024) < 0)
    kit_check(false, "cannot write %s", meminfo);
  if (file != NULL)
    fclose(file);
}

static cw_region regions[KEPT];
static int count;

/* Makes regions of this size until one fails; returns the MiB that were allocated. */
static size_t take_all(size_t bytes, size_t most)
{
  size_t sum = 0;
  while (sum <= most && count < KEPT &&
         cw_region_create(cw_team_world(), bytes, &regions[count], NULL) == CW_OK) {
    sum += bytes;
    count++;
  }
  return sum / MEGA;
}

static void free_all(void)
{
  while (count > 0)
    KIT_OK(cw_region_free(cw_team_world(), &regions[--count]));
}

/* Available memory is granted except for a small rest; more than it is rejected, within a
 * tolerance. */
static void check_granted(size_t bytes, size_t megabytes)
{
  const size_t got = take_all(bytes, (size_t)4096 * MEGA);
  kit_about("pieces of %zu KiB", bytes / 1024);
  kit_check(got + 1 + bytes / MEGA >= megabytes && got <= megabytes + 64,
            "%zu MiB were granted; the machine has %zu MiB", got, megabytes);
  KIT_OUTSIDE("cw_region_create: |there is no memory for",
              cw_region_create(cw_team_world(), (size_t)1024 * MEGA, &regions[count], NULL));
  free_all();
}

int main(int argc, char **argv)
{
  const int file = mkstemp(meminfo);
  if (file < 0)
    return KIT_SKIP;
  close(file);
  machine_has(4096);
  kit_start_native(&argc, &argv, "account");
  kit_about("the machine has 4 GiB");
  kit_check(take_all(MEGA, 400 * MEGA) > 400, "%s", cw_error_message());
  free_all();
  machine_has(300);
  check_granted(MEGA, 300);
  machine_has(100);
  check_granted(20 * MEGA, 100);
  check_granted(MEGA, 100);
  check_granted(MEGA / 4, 100);
  kit_about("memory that was given back and went to somebody else");
  machine_has(2048);
  kit_check(take_all(512 * MEGA, 1024 * MEGA) >= 1024, "%s", cw_error_message());
  free_all();
  machine_has(100);
  check_granted(MEGA, 100);
  kit_about("how often the kernel was asked");
  kit_check(reads > 10, "%d looks at the machine's memory", reads);
  kit_check(searches == 3, "%d searches for cgroups: memory's, processors', and of version 2",
            searches);
  kit_check(unlink(meminfo) == 0, "cannot remove %s", meminfo);
  return kit_finish_native();
}
