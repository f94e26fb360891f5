/* Measures the times of the sides in turns. */
#pragma once

#include "side.h"

enum { BENCH_LIMIT, BENCH_OURS, BENCH_PEER, BENCH_SIDES };
enum { BENCH_ROUNDS_MAX = 1000 };

struct bench_plan {
  int rounds;     /* number of rounds; in each of them every side has a turn */
  double seconds; /* approximate length of a turn */
  double compute; /* length of a turn in which process 1 computes */
  bool fastest;   /* report the fastest turn instead of the median, unless most turns wait */
};

/* Activities of process 1 while process 0 is timed. */
enum bench_state {
  BENCH_IN_MPI,     /* waits in MPI, which may have to make progress for it */
  BENCH_IN_LIBRARY, /* waits in a barrier of the side's library */
  BENCH_COMPUTES    /* computes and calls no library until the turn is over */
};

/* A side with the slice of process 1 as this process names it. `side` is NULL if the side does not
 * take part. */
struct bench_contestant {
  const struct bench_side *side;
  char *target;
  char *mine; /* this process's own slice */
  enum bench_state state;
  bool visits; /* starts and stops for each of its turns, because a thread of its library would
                  disturb the others */
};

/* Starts the side and allocates its slices; bench_leave undoes both. Collective. */
void bench_enter(struct bench_contestant *contestant);
void bench_leave(const struct bench_contestant *contestant);

/* The times of one side for one operation, in nanoseconds. Infinite if most turns ended only when
 * process 1 had stopped computing. */
struct bench_times {
  double median; /* or the fastest turn, if the plan says so */
  double spread; /* upper minus lower quartile, relative to the median */
};

/* Measures one operation on all sides. Collective; the times are those of process 0. */
void bench_measure(const struct bench_contestant contestants[BENCH_SIDES],
                   const struct bench_work *work, bool collective, const struct bench_plan *plan,
                   struct bench_times times[BENCH_SIDES]);
