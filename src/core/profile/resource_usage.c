/* Resource usage of this process as the kernel counts it. */
#include "profile/profile_counters.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

static struct cwi_usage before;

static uint64_t nanoseconds_of(struct timeval time)
{
  return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_usec * 1000u;
}

/* Returns the second number of schedstat: the time that the first thread waited for a core. */
static uint64_t waited_now(void)
{
  char line[128] = "", *end = line;
  const int file = open("/proc/self/schedstat", O_RDONLY | O_CLOEXEC);
  if (file < 0)
    return 0;
  const ssize_t length = read(file, line, sizeof line - 1);
  close(file);
  if (length <= 0)
    return 0;
  (void)strtoull(line, &end, 10);
  return strtoull(end, NULL, 10);
}

static struct cwi_usage usage_now(void)
{
  struct rusage kernel;
  if (getrusage(RUSAGE_SELF, &kernel) != 0)
    return (struct cwi_usage){.most_memory = 0};
  return (struct cwi_usage){.user = nanoseconds_of(kernel.ru_utime),
                            .system = nanoseconds_of(kernel.ru_stime),
                            .faults = (uint64_t)kernel.ru_minflt,
                            .disk_faults = (uint64_t)kernel.ru_majflt,
                            .sleeps = (uint64_t)kernel.ru_nvcsw,
                            .preemptions = (uint64_t)kernel.ru_nivcsw,
                            .waited = waited_now(),
                            .most_memory = (uint64_t)kernel.ru_maxrss * 1024};
}

void cwi_usage_begin(void)
{
  before = usage_now();
}

struct cwi_usage cwi_usage_since(void)
{
  struct cwi_usage usage = usage_now();
  usage.user -= before.user;
  usage.system -= before.system;
  usage.faults -= before.faults;
  usage.disk_faults -= before.disk_faults;
  usage.sleeps -= before.sleeps;
  usage.preemptions -= before.preemptions;
  /* The file may fail to open at the end, if the program has too many files open. */
  usage.waited = usage.waited > before.waited ? usage.waited - before.waited : 0;
  return usage;
}
