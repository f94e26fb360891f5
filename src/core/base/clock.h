/* Monotonic clock. */
#pragma once

#include <stdint.h>

/* Returns seconds since some time in the past, usually the machine's start. */
double cwi_now(void);

/* Returns nanoseconds of the same clock. After months, a double of seconds no longer resolves
 * nanoseconds. */
uint64_t cwi_nanoseconds(void);

/* Returns the seconds since the previous call if they are at least 1, else 0. Callers call this
 * often, so a longer gap means that the job was stopped or the machine was suspended. *checked has
 * the time of the previous call; it is 0 before the first one. */
double cwi_absence(double *checked, double now);
