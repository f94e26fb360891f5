#include "measure.h"

#include "../samples.h"

#include "cases.h"
#include "check.h"

#include <math.h>
#include <stdlib.h>
#include <time.h>

static double now(void)
{
  struct timespec time;
  if (clock_gettime(CLOCK_MONOTONIC, &time) != 0)
    bench_fail("no monotonic clock");
  return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static int my_number(void)
{
  int me = 0;
  bench_check(MPI_Comm_rank(MPI_COMM_WORLD, &me), "MPI_Comm_rank");
  return me;
}

void bench_enter(struct bench_contestant *contestant)
{
  char *slices[2];
  contestant->side->start();
  contestant->side->allocate(BENCH_LARGEST + BENCH_STRIDE, slices);
  contestant->target = slices[1];
  contestant->mine = slices[my_number()];
}

void bench_leave(const struct bench_contestant *contestant)
{
  contestant->side->release(contestant->mine);
  contestant->side->stop();
}

/* Stands for user code: computes until `end` without calling any library. */
static void compute_until(double end)
{
  volatile double x = 1;
  while (now() < end)
    for (int i = 0; i < 1000; i++)
      x = 0.5 * (x + 2 / x);
}

/* Time that the other process may need to leave its barrier. A turn must also be over this long
 * before process 1 stops computing. */
static const double margin = 1e-3;

/* Returns the median time of single operations, of which at most `times` run before the clock
 * reaches `end`; infinity if none completes by then. The median leaves out the few operations that
 * waited for a core or for the machine's other guests. */
static double one_by_one(bench_loop loop, const struct bench_work *work, size_t times, double end)
{
  enum { MOST = 1 << 16 };
  static double samples[MOST];
  size_t count = 0;
  double start = now();
  while (count < times && count < MOST && start < end) {
    loop(work, 1);
    const double stop = now();
    if (stop > end)
      break;
    samples[count++] = stop - start;
    start = stop;
  }
  return count > 0 ? median_of(samples, count) : INFINITY;
}

/* Returns the seconds that `times` operations would take, from those that complete before `end`.
 * Returns infinity if not even one does, that is, if they wait until process 1 calls its library
 * again. */
static double before(double end, const struct bench_side *side, const struct bench_work *work,
                     size_t times)
{
  const bench_loop loop = side->loops[work->operation];
  loop(work, 1);
  const double start = now(), late = start + (end - start) / 3;
  if (work->singly)
    return (double)times * one_by_one(loop, work, times, late);
  double last = start;
  size_t done = 0;
  for (size_t next = 1; done < times && last < late; next *= 2) {
    const size_t count = next < times - done ? next : times - done;
    loop(work, count);
    const double stop = now();
    if (stop > end)
      break;
    last = stop;
    done += count;
  }
  return done > 0 ? (last - start) * (double)times / (double)done : INFINITY;
}

static const double settle_seconds = 30e-3;

/* Returns the seconds that `times` operations take. `together`: both processes run the loop, and
 * must run it equally often. */
static double timed(const struct bench_contestant *contestant, const struct bench_work *work,
                    size_t times, bool together)
{
  const bench_loop loop = contestant->side->loops[work->operation];
  /* Warm up caches and connections. A side that has only just started has a new thread, which the
   * kernel leaves on a shared core for some ticks. If both processes run the loop, they must run it
   * equally often, so they wait for that time before the loop. */
  const double settled = now() + (contestant->visits ? settle_seconds : 0);
  while (together && now() < settled)
    continue;
  do
    loop(work, contestant->visits ? times / 4 + 1 : 1);
  while (now() < settled);
  /* Only process 0 takes the times of single operations; process 1 runs all of them in one loop. */
  if (work->singly && my_number() != work->process)
    return (double)times * one_by_one(loop, work, times, INFINITY);
  const double start = now();
  loop(work, times);
  return now() - start;
}

/* Runs a turn of a started side and returns the seconds of process 0 on both processes. Process 1
 * runs the loop too, or does what the state says. */
static double play(const struct bench_contestant *contestant, const struct bench_work *work,
                   bool collective, size_t times, double compute)
{
  const struct bench_side *side = contestant->side;
  const bool takes_part = collective || side->takes_part, target = my_number() == work->process;
  double elapsed = 0;
  bench_check(MPI_Barrier(MPI_COMM_WORLD), "MPI_Barrier");
  const double begin = now(), end = begin + compute;
  if (takes_part || contestant->state != BENCH_COMPUTES) {
    if (takes_part || !target)
      elapsed = timed(contestant, work, times, takes_part);
  } else if (target) {
    compute_until(end);
  } else {
    compute_until(begin + margin);
    elapsed = before(end - margin, side, work, times);
  }
  if (contestant->state == BENCH_IN_LIBRARY)
    side->synchronise();
  bench_check(MPI_Bcast(&elapsed, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD), "MPI_Bcast");
  return elapsed;
}

/* Like play, but a side that runs only during its turns (`visits`) is started before the turn and
 * stopped after it. */
static double time_round(const struct bench_contestant *contestant, const struct bench_work *work,
                         bool collective, size_t times, double compute)
{
  struct bench_contestant guest = *contestant;
  struct bench_work here = *work;
  if (guest.visits)
    bench_enter(&guest);
  here.remote = guest.target;
  const double elapsed = play(&guest, &here, collective, times, compute);
  if (guest.visits)
    bench_leave(&guest);
  return elapsed;
}

/* Returns the number of operations that fill a turn, the same in both processes; 0 if none
 * completes while process 1 computes. */
static size_t calibrate(const struct bench_contestant *contestant, const struct bench_work *work,
                        bool collective, const struct bench_plan *plan)
{
  /* A turn must end well before process 1 stops computing. */
  const double seconds =
      contestant->state == BENCH_COMPUTES && !collective ? plan->compute / 4 : plan->seconds;
  for (size_t times = 1;; times *= 8) {
    double elapsed = time_round(contestant, work, collective, times, plan->compute);
    if (elapsed < seconds / 8)
      continue;
    /* Measure again and keep the faster turn, in case another program had the core. */
    const double again = time_round(contestant, work, collective, times, plan->compute);
    elapsed = again < elapsed ? again : elapsed;
    if (isinf(elapsed))
      return 0;
    const size_t enough = enough_times(times, elapsed, seconds);
    if (enough > 0)
      return enough;
  }
}

static struct bench_times summary(double *samples, int count, bool fastest)
{
  sort_samples(samples, (size_t)count);
  const double median = (samples[(count - 1) / 2] + samples[count / 2]) / 2;
  const double spread = samples[3 * (count - 1) / 4] - samples[(count - 1) / 4];
  const bool known = median > 0 && isfinite(spread);
  return (struct bench_times){.median = fastest && isfinite(median) ? samples[0] : median,
                              .spread = known ? spread / median : 0};
}

void bench_measure(const struct bench_contestant contestants[BENCH_SIDES],
                   const struct bench_work *work, bool collective, const struct bench_plan *plan,
                   struct bench_times times[BENCH_SIDES])
{
  static double samples[BENCH_SIDES][BENCH_ROUNDS_MAX];
  size_t repeats[BENCH_SIDES] = {0};
  for (int s = 0; s < BENCH_SIDES; s++)
    if (contestants[s].side != NULL)
      repeats[s] = calibrate(&contestants[s], work, collective, plan);
  /* Each round starts with another side, so that none always follows the same one. */
  for (int round = 0; round < plan->rounds; round++)
    for (int step = 0; step < BENCH_SIDES; step++) {
      const int s = (round + step) % BENCH_SIDES;
      if (repeats[s] > 0)
        samples[s][round] =
            1e9 * time_round(&contestants[s], work, collective, repeats[s], plan->compute) /
            (double)repeats[s];
      else
        samples[s][round] = INFINITY;
    }
  for (int s = 0; s < BENCH_SIDES; s++)
    times[s] = contestants[s].side != NULL ? summary(samples[s], plan->rounds, plan->fastest)
                                           : (struct bench_times){0, 0};
}
