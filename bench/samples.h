/* Sorts samples, takes medians, and calculates how many repetitions fill a turn. */
#pragma once

#include <stdlib.h>

static inline int sample_order(const void *left, const void *right)
{
  const double a = *(const double *)left, b = *(const double *)right;
  return (a > b) - (a < b);
}

/* Sorts in ascending order. */
static inline void sort_samples(double *samples, size_t count)
{
  qsort(samples, count, sizeof *samples, sample_order);
}

/* Sorts the samples and returns their median, or the upper one of the two in the middle. */
static inline double median_of(double *samples, size_t count)
{
  sort_samples(samples, count);
  return samples[count / 2];
}

/* Returns how many repetitions take `seconds`, if `times` of them took `elapsed`; 0 if that was too
 * short to extrapolate. */
static inline size_t enough_times(size_t times, double elapsed, double seconds)
{
  if (elapsed >= seconds)
    return times;
  return elapsed >= seconds / 8 ? (size_t)((double)times * seconds / elapsed) + 1 : 0;
}
