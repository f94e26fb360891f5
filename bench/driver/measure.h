/* Times of the sides, measured in turns. */
#ifndef BENCH_MEASURE_H
#define BENCH_MEASURE_H

#include "side.h"

enum { BENCH_LIMIT, BENCH_OURS, BENCH_PEER, BENCH_SIDES };
enum { BENCH_ROUNDS_MAX = 1000 };

struct bench_plan {
  int rounds;     /* in each, every side has its turn */
  double seconds; /* of one turn, about */
  double compute; /* of one turn of process 1, when it computes */
  bool fastest;   /* the fastest turn counts, not the median, unless most wait */
};

/* What process 1 does while process 0 is timed. */
enum bench_state {
  BENCH_IN_MPI,     /* waits in MPI, which may have to answer for it */
  BENCH_IN_LIBRARY, /* waits in a barrier of the side's library */
  BENCH_COMPUTES    /* computes, and calls nobody until the turn is over */
};

/* A side with the slice of process 1 as this process names it; side NULL: not there. */
struct bench_contestant {
  const struct bench_side *side;
  char *target;
  char *mine; /* my own slice */
  enum bench_state state;
  bool visits; /* started for each of its turns: a thread of its library would disturb the others */
};

/* Start the side and allocate its slices; and undo it. Collective. */
void bench_enter(struct bench_contestant *contestant);
void bench_leave(const struct bench_contestant *contestant);

/* One side's times for one operation, in nanoseconds; infinite if most turns ended only when
 * process 1 had stopped computing. */
struct bench_times {
  double median; /* or that of the fastest turn */
  double spread; /* upper minus lower quartile, relative to the median */
};

/* Measure one operation on all sides. Collective; the times are those of process 0. */
void bench_measure(const struct bench_contestant contestants[BENCH_SIDES],
                   const struct bench_work *work, bool collective, const struct bench_plan *plan,
                   struct bench_times times[BENCH_SIDES]);

#endif
