/* Samples of a measurement, in order; and how many repetitions fill a turn. */
#ifndef BENCH_SAMPLES_H
#define BENCH_SAMPLES_H

#include <stdlib.h>

static inline int sample_order(const void *left, const void *right)
{
  const double a = *(const double *)left, b = *(const double *)right;
  return (a > b) - (a < b);
}

/* Ascending. */
static inline void sort_samples(double *samples, size_t count)
{
  qsort(samples, count, sizeof *samples, sample_order);
}

/* The upper one of two in the middle. Sorts them. */
static inline double median_of(double *samples, size_t count)
{
  sort_samples(samples, count);
  return samples[count / 2];
}

/* Repetitions that take so many seconds, if `times` took `elapsed`; 0: too few to tell. */
static inline size_t enough_times(size_t times, double elapsed, double seconds)
{
  if (elapsed >= seconds)
    return times;
  return elapsed >= seconds / 8 ? (size_t)((double)times * seconds / elapsed) + 1 : 0;
}

#endif
