/* Times of the sides, measured in turns. */
#ifndef BENCH_MEASURE_H
#define BENCH_MEASURE_H

#include "side.h"

enum { BENCH_LIMIT, BENCH_OURS, BENCH_PEER, BENCH_SIDES };
enum { BENCH_ROUNDS_MAX = 1000 };

struct bench_plan {
  int rounds;     /* in each, every side has its turn */
  double seconds; /* of one turn, about */
};

/* A side with the slice of process 1 as this process names it; side NULL: not there. */
struct bench_contestant {
  const struct bench_side *side;
  char *target;
  char *mine; /* my own slice */
};

/* One side's times for one operation, in nanoseconds. */
struct bench_times {
  double median;
  double spread; /* upper minus lower quartile, relative to the median */
};

/* Measure one operation on all sides. Collective; the times are those of process 0. */
void bench_measure(const struct bench_contestant contestants[BENCH_SIDES],
                   const struct bench_work *work, bool collective, const struct bench_plan *plan,
                   struct bench_times times[BENCH_SIDES]);

#endif
