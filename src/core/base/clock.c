/* Monotonic clock. */
#include "base/clock.h"

#include <time.h>

double cwi_now(void)
{
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

uint64_t cwi_nanoseconds(void)
{
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

double cwi_absence(double *checked, double now)
{
  static const double LEAST_SECONDS = 1;
  const double gap = *checked != 0 ? now - *checked : 0;
  *checked = now;
  return gap >= LEAST_SECONDS ? gap : 0;
}
