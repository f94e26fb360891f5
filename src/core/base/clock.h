/* Seconds from a clock that never goes back. */
#ifndef CWI_BASE_CLOCK_H
#define CWI_BASE_CLOCK_H

#include <stdint.h>

double cwi_now(void);

/* The same clock in nanoseconds: seconds since the machine's start have lost those after months. */
uint64_t cwi_nanoseconds(void);

/* Seconds for which this process has not run since it looked last, and looks now: a job that was
 * stopped, or a machine that slept. 0: only a busy machine. looked: 0 before the first look. */
double cwi_absence(double *looked, double now);
#endif
