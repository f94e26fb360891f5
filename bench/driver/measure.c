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

/* User code: no calls, nothing but the processor. */
static void compute_until(double end)
{
  volatile double x = 1;
  while (now() < end)
    for (int i = 0; i < 1000; i++)
      x = 0.5 * (x + 2 / x);
}

/* The other process has left its barrier after so long, and a turn is over so long before it
 * stops computing. */
static const double margin = 1e-3;

/* The median of single operations, `times` at most, until the clock says `end`; infinite if not one
 * was done by then. What a wait for a core, or the machine's other guests, add to a few of them
 * does not count. */
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

/* Seconds that `times` operations would take, by those that are done before `end`. Infinite if not
 * even one is, that is, if they wait until process 1 calls its libraries again. */
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

/* Seconds that `times` operations take. together: both processes run the loop, equally often. */
static double timed(const struct bench_contestant *contestant, const struct bench_work *work,
                    size_t times, bool together)
{
  const bench_loop loop = contestant->side->loops[work->operation];
  /* Brings caches and connections back. A side that has only just started has a new thread, which
   * the kernel leaves on a core with others for some ticks. Together both must run equally often.
   */
  const double settled = now() + (contestant->visits ? settle_seconds : 0);
  while (together && now() < settled)
    continue;
  do
    loop(work, contestant->visits ? times / 4 + 1 : 1);
  while (now() < settled);
  /* Only process 0 looks at the clock: what another one does for it is one loop. */
  if (work->singly && my_number() != work->process)
    return (double)times * one_by_one(loop, work, times, INFINITY);
  const double start = now();
  loop(work, times);
  return now() - start;
}

/* A turn of a side that runs: the seconds of process 0. Process 1 runs the loop too or does what
 * the state says. Both learn the result. */
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
    side->meet();
  bench_check(MPI_Bcast(&elapsed, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD), "MPI_Bcast");
  return elapsed;
}

/* The same, and a side that only visits is started before and stopped afterwards. */
static double turn(const struct bench_contestant *contestant, const struct bench_work *work,
                   bool collective, size_t times, double compute)
{
  struct bench_contestant visitor = *contestant;
  struct bench_work here = *work;
  if (visitor.visits)
    bench_enter(&visitor);
  here.remote = visitor.target;
  const double elapsed = play(&visitor, &here, collective, times, compute);
  if (visitor.visits)
    bench_leave(&visitor);
  return elapsed;
}

/* How many operations fill a turn? The same answer in both processes. 0: not one ends while
 * process 1 computes. */
static size_t calibrate(const struct bench_contestant *contestant, const struct bench_work *work,
                        bool collective, const struct bench_plan *plan)
{
  /* A turn must end well before process 1 stops. */
  const double seconds =
      contestant->state == BENCH_COMPUTES && !collective ? plan->compute / 4 : plan->seconds;
  for (size_t times = 1;; times *= 8) {
    double elapsed = turn(contestant, work, collective, times, plan->compute);
    if (elapsed < seconds / 8)
      continue;
    /* Not when somebody else had the core. */
    const double again = turn(contestant, work, collective, times, plan->compute);
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
    for (int turns = 0; turns < BENCH_SIDES; turns++) {
      const int s = (round + turns) % BENCH_SIDES;
      if (repeats[s] > 0)
        samples[s][round] = 1e9 *
                            turn(&contestants[s], work, collective, repeats[s], plan->compute) /
                            (double)repeats[s];
      else
        samples[s][round] = INFINITY;
    }
  for (int s = 0; s < BENCH_SIDES; s++)
    times[s] = contestants[s].side != NULL ? summary(samples[s], plan->rounds, plan->fastest)
                                           : (struct bench_times){0, 0};
}
