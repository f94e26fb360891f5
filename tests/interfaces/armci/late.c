/* ARMCI_Finalize waits for every process, however late it comes, and independent of the hosts'
 * clocks. In this program time runs fast, and the time of day of each process is an hour behind
 * that of the process before it. */
#include "armci_kit.h"

#include <causeway.h>

#include <sys/time.h>
#include <time.h>
#include <unistd.h>

enum { FAST = 20, LATE_MICROSECONDS = 750000, HOUR = 3600 }; /* so that it is 15 seconds late */

/* The linker makes the library call these instead of the system's functions. */
int __real_clock_gettime(clockid_t clock, struct timespec *now);
int __real_gettimeofday(struct timeval *now, void *zone);
int __wrap_clock_gettime(clockid_t clock, struct timespec *now);
int __wrap_gettimeofday(struct timeval *now, void *zone);

int __wrap_clock_gettime(clockid_t clock, struct timespec *now)
{
  const int result = __real_clock_gettime(clock, now);
  const long long nanoseconds = FAST * (now->tv_sec * 1000000000LL + now->tv_nsec);
  now->tv_sec = nanoseconds / 1000000000LL;
  now->tv_nsec = nanoseconds % 1000000000LL;
  return result;
}

int __wrap_gettimeofday(struct timeval *now, void *zone)
{
  const int result = __real_gettimeofday(now, zone);
  now->tv_sec -= kit_me() * HOUR;
  return result;
}

static void finalize(const char *about)
{
  kit_about("%s", about);
  kit_check_long(ARMCI_Finalize(), 0, "ARMCI_Finalize");
  kit_check(!cw_initialized(), "Finalize came back without having waited for the others");
}

int main(int argc, char **argv)
{
  armci_kit_start(&argc, &argv, "armci.late");
  finalize("clocks that differ");
  ARMCI_Init();
  if (kit_me() == 1)
    usleep(LATE_MICROSECONDS);
  finalize("one process comes late");
  return kit_finish();
}
