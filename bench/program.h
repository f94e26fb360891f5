/* Helpers that the small benchmark programs share. */
#pragma once

#include <causeway.h>
#include <time.h>

/* Returns the seconds of `clock`: CLOCK_MONOTONIC, or the CPU time of a thread or process. */
static inline double seconds(clockid_t clock)
{
  struct timespec now;
  clock_gettime(clock, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Ends the job if a call has failed. */
static inline void must(cw_error error)
{
  if (error != CW_OK)
    cw_abort(cw_error_message(), 1);
}
