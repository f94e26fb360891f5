/* The kernel nstream: A += B + s C; each process has a part of the vectors, in the memory of each
 * side. */
#include "nstream.h"

#include <math.h>

static const double FACTOR = 3, FIRST = 2; /* s, and the value of all elements of B and C */

static size_t bytes_of(const struct vectors *vectors)
{
  return lines((size_t)vectors->count * sizeof(double));
}

static size_t nstream_measure(void *state)
{
  struct vectors *vectors = state;
  const struct problem *problem = vectors->state.problem;
  vectors->count = span_of(problem->sizes[0], problem->processes, problem->process).count;
  return 3 * bytes_of(vectors);
}

static void nstream_place(void *state)
{
  struct vectors *vectors = state;
  char *memory = vectors->state.memory.mine;
  vectors->a = (double *)(void *)memory;
  vectors->b = (double *)(void *)(memory + bytes_of(vectors));
  vectors->c = (double *)(void *)(memory + 2 * bytes_of(vectors));
}

static void nstream_reset(void *state)
{
  const struct vectors *vectors = state;
  for (int64_t i = 0; i < vectors->count; i++) {
    vectors->a[i] = 0;
    vectors->b[i] = vectors->c[i] = FIRST;
  }
}

void nstream_run(void *state, int iterations)
{
  const struct vectors *vectors = state;
  double *restrict a = vectors->a;
  const double *restrict b = vectors->b, *restrict c = vectors->c;
  for (int k = 0; k < iterations; k++)
    for (int64_t i = 0; i < vectors->count; i++)
      a[i] += b[i] + FACTOR * c[i];
}

static double nstream_check(void *state)
{
  const struct vectors *vectors = state;
  const double element = vectors->state.runs * (FIRST + FACTOR * FIRST);
  double errors = 0;
  for (int64_t i = 0; i < vectors->count; i++)
    errors += fabs(vectors->a[i] - element);
  return errors;
}

static void nstream_spoil(void *state)
{
  const struct vectors *vectors = state;
  if (vectors->count > 0)
    vectors->a[vectors->count / 2] -= 1;
}

static double nstream_work(const struct problem *problem)
{
  return 4 * sizeof(double) * (double)problem->sizes[0];
}

/* There is no communication; the sides differ only in their memory. */
static const struct side side = {NULL, nstream_run, NULL};

const struct kernel nstream_kernel = {
    .name = "nstream",
    .what = "A += B + s C, of vectors: the memory of each side",
    .unit = "MB/s",
    .sizes = {{"length", 4000000, 1001, 1, INT64_C(1) << 40}},
    .usual_iterations = 10,
    .small_iterations = 1,
    .state_bytes = sizeof(struct vectors),
    .measure = nstream_measure,
    .place = nstream_place,
    .reset = nstream_reset,
    .check = nstream_check,
    .spoil = nstream_spoil,
    .work = nstream_work,
    .sides = {&side, &side, &side, &side},
};
