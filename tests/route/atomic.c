/* Accumulates of all shapes by several threads of every process to the same doubles: one number,
 * runs, rows, complex numbers, segments, and runs over several stripes. No update may be lost.
 *   atomic [rounds] */
#include "kit/native.h"

#include <math.h>
#include <mpi.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* The slice has several stripes. The targets of accumulates are around multiples of 64 KiB, where a
 * stripe may end. */
enum { THREADS = 3, EDGE = 8192, EDGES = 5, NUMBERS = (EDGES + 1) * EDGE, NEAR = 24, MOST = 20000 };

struct worker {
  uint64_t random;
  long steps;
  double *model; /* the amounts that this thread has added */
  double *local;
  char message[256];
};

static char *target; /* the numbers of process 0 */
static long rounds = 3000;

static int draw(struct worker *worker, int count)
{
  return kit_random(&worker->random, count);
}

static bool works(struct worker *worker, cw_error error)
{
  if (error != CW_OK && worker->message[0] == '\0')
    snprintf(worker->message, sizeof worker->message, "%s", cw_error_message());
  return error == CW_OK;
}

static char *address(long first)
{
  return target + first * (long)sizeof(double);
}

/* Returns a place after which `count` numbers fit. */
static long place(struct worker *worker, long count)
{
  const long at = (long)EDGE * (1 + draw(worker, EDGES)) - NEAR + draw(worker, 2 * NEAR);
  return at + count <= NUMBERS ? at : NUMBERS - count;
}

static void expect(struct worker *worker, long first, const double *local, long count, double scale)
{
  for (long i = 0; i < count; i++)
    worker->model[first + i] += scale * local[i];
}

static bool add_run(struct worker *worker, long count)
{
  const double two = 2;
  const bool scaled = draw(worker, 2) == 0;
  const long first = count == MOST ? draw(worker, NUMBERS - MOST) : place(worker, count);
  expect(worker, first, worker->local, count, scaled ? two : 1);
  return works(worker, cw_accumulate(CW_DOUBLE, scaled ? &two : NULL, worker->local, address(first),
                                     (size_t)count * sizeof(double), 0));
}

static bool add_rows(struct worker *worker, cw_type type)
{
  static const long steps[] = {4, 5, 64, 1032, 4096, 5000};
  const double factor[2] = {3, 0};
  const long run = type == CW_DOUBLE ? 1 + draw(worker, 3) : 2, step = steps[draw(worker, 6)];
  long rows = 2 + draw(worker, 20);
  rows = rows * step < NUMBERS ? rows : NUMBERS / step;
  const size_t count = (size_t)rows;
  const long first = place(worker, rows * step);
  const ptrdiff_t local = run * (long)sizeof(double), remote = step * (long)sizeof(double);
  const cw_transfer rows_of = {.operation = CW_ACCUMULATE,
                               .type = type,
                               .scale = factor,
                               .local = worker->local,
                               .remote = address(first),
                               .bytes = (size_t)run * sizeof(double),
                               .levels = 1,
                               .counts = &count,
                               .local_strides = &local,
                               .remote_strides = &remote};
  for (long row = 0; row < rows; row++)
    expect(worker, first + row * step, worker->local + row * run, run, factor[0]);
  return works(worker, cw_transfer_run(&rows_of));
}

static bool add_segments(struct worker *worker)
{
  enum { SEGMENTS = 6 };
  void *from[SEGMENTS], *to[SEGMENTS];
  const long run = 1 + draw(worker, 4);
  for (int i = 0; i < SEGMENTS; i++) {
    const long first = place(worker, run);
    from[i] = worker->local + i;
    to[i] = address(first);
    expect(worker, first, worker->local + i, run, 1);
  }
  const cw_vector vector = {from, to, SEGMENTS, (size_t)run * sizeof(double)};
  const cw_transfer segments = cw_vectors(CW_ACCUMULATE, &vector, 1, 0);
  return works(worker, cw_transfer_run(&segments));
}

static bool step(struct worker *worker)
{
  const int kind = draw(worker, 100);
  if (kind < 40)
    return add_run(worker, 1);
  if (kind < 60)
    return add_run(worker, 2 + draw(worker, 12));
  if (kind < 80)
    return add_rows(worker, CW_DOUBLE);
  if (kind < 90)
    return add_rows(worker, CW_DOUBLE_COMPLEX);
  return kind < 99 ? add_segments(worker) : add_run(worker, MOST);
}

/* Adds to the same few numbers repeatedly, alone and as the first of two: another shape must not
 * store between the load and the store of one. */
static bool add_to_few(struct worker *worker)
{
  for (long i = 0; i < 20 * rounds; i++) {
    const long first = (long)EDGE * (1 + i / 1000 % EDGES) - 1, count = 1 + (i & 1);
    expect(worker, first, worker->local, count, 1);
    if (!works(worker, cw_accumulate(CW_DOUBLE, NULL, worker->local, address(first),
                                     (size_t)count * sizeof(double), 0)))
      return false;
  }
  return true;
}

static void *work(void *argument)
{
  struct worker *worker = argument;
  if (!add_to_few(worker))
    return NULL;
  while (worker->steps < rounds && step(worker))
    worker->steps++;
  return NULL;
}

/* Small integers: their sums are exact in any order. */
static void prepare(struct worker *worker, int number)
{
  worker->random = (uint64_t)(kit_own(1 << 30) + number);
  worker->steps = 0;
  worker->model = kit_alloc(NUMBERS, sizeof(double));
  worker->local = kit_alloc(MOST, sizeof(double));
  for (int i = 0; i < MOST; i++)
    worker->local[i] = 1 + (i + number) % 7;
}

static void check_sums(const struct worker *workers)
{
  double *mine = kit_alloc(NUMBERS, sizeof(double)), *all = kit_alloc(NUMBERS, sizeof(double));
  for (int t = 0; t < THREADS; t++)
    for (long i = 0; i < NUMBERS; i++)
      mine[i] += workers[t].model[i];
  MPI_Allreduce(mine, all, NUMBERS, MPI_DOUBLE, MPI_SUM, kit_comm());
  for (long i = 0; kit_me() == 0 && i < NUMBERS; i++) {
    double there = 0;
    memcpy(&there, address(i), sizeof there);
    if (!kit_check(fabs(there - all[i]) < 0.5, "number %ld is %.0f, not %.0f", i, there, all[i]))
      break;
  }
  free(mine);
  free(all);
}

/* away: bytes between the start of the slice and the numbers. Not a multiple of 8, so that some
 * numbers span two stripes. */
static void check(size_t away)
{
  pthread_t threads[THREADS];
  struct worker workers[THREADS] = {{0}};
  void *slices[64];
  cw_region region = NULL;
  KIT_MUST(cw_region_create(cw_team_world(), NUMBERS * sizeof(double) + 64, &region, slices));
  memset(slices[kit_me()], 0, NUMBERS * sizeof(double) + 64);
  target = (char *)slices[0] + away;
  KIT_MUST(cw_barrier(cw_team_world()));
  for (int t = 0; t < THREADS; t++) {
    prepare(&workers[t], t);
    pthread_create(&threads[t], NULL, work, &workers[t]);
  }
  for (int t = 0; t < THREADS; t++) {
    pthread_join(threads[t], NULL);
    kit_about("numbers %zu bytes behind the slice's begin, thread %d", away, t);
    kit_check(workers[t].steps == rounds, "stopped after %ld of %ld rounds: %s", workers[t].steps,
              rounds, workers[t].message);
  }
  KIT_OK(cw_barrier(cw_team_world()));
  kit_about("numbers %zu bytes behind the slice's begin", away);
  check_sums(workers);
  for (int t = 0; t < THREADS; t++) {
    free(workers[t].model);
    free(workers[t].local);
  }
  KIT_OK(cw_region_free(cw_team_world(), &region));
}

int main(int argc, char **argv)
{
  kit_start_native(&argc, &argv, "atomic");
  kit_hang_guard();
  kit_need_threads();
  rounds = kit_rounds(argc > 1 ? argv[1] : NULL, rounds);
  check(0);
  check(4);
  return kit_finish_native();
}
