#include "measure.h"

#include "check.h"

#include <stdlib.h>
#include <time.h>

static double now(void)
{
  struct timespec time;
  if (clock_gettime(CLOCK_MONOTONIC, &time) != 0)
    bench_fail("no monotonic clock");
  return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/* Seconds that process 0 needs for `times` operations. Process 1 takes part in collective ones;
 * else it waits inside MPI, which may have to answer for it. Both learn the result. */
static double turn(const struct bench_side *side, const struct bench_work *work, bool collective,
                   size_t times)
{
  int me = 0;
  bench_check(MPI_Comm_rank(MPI_COMM_WORLD, &me), "MPI_Comm_rank");
  double elapsed = 0;
  bench_check(MPI_Barrier(MPI_COMM_WORLD), "MPI_Barrier");
  if (collective || me != work->process) {
    side->loops[work->operation](work, 1); /* brings caches and connections back */
    const double start = now();
    side->loops[work->operation](work, times);
    elapsed = now() - start;
  }
  bench_check(MPI_Bcast(&elapsed, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD), "MPI_Bcast");
  return elapsed;
}

/* How many operations fill a turn? The same answer in both processes. */
static size_t calibrate(const struct bench_side *side, const struct bench_work *work,
                        bool collective, double seconds)
{
  for (size_t times = 1;; times *= 8) {
    double elapsed = turn(side, work, collective, times);
    if (elapsed < seconds / 8)
      continue;
    /* Not when somebody else had the core. */
    const double again = turn(side, work, collective, times);
    elapsed = again < elapsed ? again : elapsed;
    if (elapsed >= seconds)
      return times;
    if (elapsed >= seconds / 8)
      return (size_t)((double)times * seconds / elapsed) + 1;
  }
}

static int ascending(const void *left, const void *right)
{
  const double a = *(const double *)left, b = *(const double *)right;
  return (a > b) - (a < b);
}

static struct bench_times summary(double *samples, int count)
{
  qsort(samples, (size_t)count, sizeof *samples, ascending);
  const double median = (samples[(count - 1) / 2] + samples[count / 2]) / 2;
  const double spread = samples[3 * (count - 1) / 4] - samples[(count - 1) / 4];
  return (struct bench_times){.median = median, .spread = median > 0 ? spread / median : 0};
}

void bench_measure(const struct bench_contestant contestants[BENCH_SIDES],
                   const struct bench_work *work, bool collective, const struct bench_plan *plan,
                   struct bench_times times[BENCH_SIDES])
{
  static double samples[BENCH_SIDES][BENCH_ROUNDS_MAX];
  struct bench_work works[BENCH_SIDES];
  size_t repeats[BENCH_SIDES] = {0};
  for (int s = 0; s < BENCH_SIDES; s++) {
    works[s] = *work;
    works[s].remote = contestants[s].target;
    if (contestants[s].side != NULL)
      repeats[s] = calibrate(contestants[s].side, &works[s], collective, plan->seconds);
  }
  /* Each round starts with another side, so that none always follows the same one. */
  for (int round = 0; round < plan->rounds; round++)
    for (int turns = 0; turns < BENCH_SIDES; turns++) {
      const int s = (round + turns) % BENCH_SIDES;
      if (contestants[s].side != NULL)
        samples[s][round] =
            1e9 * turn(contestants[s].side, &works[s], collective, repeats[s]) / (double)repeats[s];
    }
  for (int s = 0; s < BENCH_SIDES; s++)
    times[s] = contestants[s].side != NULL ? summary(samples[s], plan->rounds)
                                           : (struct bench_times){0, 0};
}
