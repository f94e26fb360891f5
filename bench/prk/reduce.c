/* The kernel reduce: each process adds ones to its vector, then process 0 receives the sum of all
 * vectors in its own. Contains its sides. */
#include "kernel.h"

#include <string.h>

struct reduction {
  struct state state;
  int64_t length;
  double *vector, *ones;
  double *copy; /* saves a vector that a reduction leaves undefined */
};

static size_t bytes_of(const struct reduction *reduction)
{
  return lines((size_t)reduction->length * sizeof(double));
}

static size_t reduce_measure(void *state)
{
  struct reduction *reduction = state;
  reduction->length = reduction->state.problem->sizes[0];
  return 3 * bytes_of(reduction);
}

static void reduce_place(void *state)
{
  struct reduction *reduction = state;
  char *memory = reduction->state.memory.mine;
  reduction->vector = (double *)(void *)memory;
  reduction->ones = (double *)(void *)(memory + bytes_of(reduction));
  reduction->copy = (double *)(void *)(memory + 2 * bytes_of(reduction));
}

static void reduce_reset(void *state)
{
  const struct reduction *reduction = state;
  for (int64_t i = 0; i < reduction->length; i++)
    reduction->vector[i] = reduction->ones[i] = 1;
}

static void add(double *restrict to, const double *restrict from, int64_t count)
{
  for (int64_t i = 0; i < count; i++)
    to[i] += from[i];
}

static void add_ones(const struct reduction *reduction)
{
  add(reduction->vector, reduction->ones, reduction->length);
}

/* --- The sides -------------------------------------------------------------------------------- */

/* Where memory is not shared, a reduction leaves the vectors of all processes but the root
 * undefined. */
static void reduce_causeway_run(void *state, int iterations)
{
  const struct reduction *reduction = state;
  const size_t length = (size_t)reduction->length;
  const bool shared = cw_nodes() == 1 && memory_address(&reduction->state.memory, 0) != NULL;
  const bool keeps = reduction->state.problem->process == 0 || shared;
  double *summand = keeps ? reduction->vector : reduction->copy;
  for (int i = 0; i < iterations; i++) {
    add_ones(reduction);
    if (!keeps)
      memcpy(summand, reduction->vector, length * sizeof(double));
    CW_MUST(cw_reduce(cw_team_world(), 0, CW_DOUBLE, CW_SUM, length, summand));
  }
}

static void reduce_messages_run(void *state, int iterations)
{
  const struct reduction *reduction = state;
  const int count = (int)reduction->length;
  for (int i = 0; i < iterations; i++) {
    add_ones(reduction);
    if (reduction->state.problem->process == 0)
      MPI_Reduce(MPI_IN_PLACE, reduction->vector, count, MPI_DOUBLE, MPI_SUM, 0, prk_comm);
    else
      MPI_Reduce(reduction->vector, NULL, count, MPI_DOUBLE, MPI_SUM, 0, prk_comm);
  }
}

static void reduce_barrier(const struct reduction *reduction)
{
  MPI_Win_sync(reduction->state.memory.window);
  MPI_Barrier(prk_comm);
  MPI_Win_sync(reduction->state.memory.window);
}

/* Each process sums a part of the elements of all vectors. */
static void reduce_shared_run(void *state, int iterations)
{
  const struct reduction *reduction = state;
  const struct problem *problem = reduction->state.problem;
  const struct span part = span_of(reduction->length, problem->processes, problem->process);
  double *const *all = (double *const *)reduction->state.memory.all;
  for (int i = 0; i < iterations; i++) {
    add_ones(reduction);
    reduce_barrier(reduction);
    for (int j = 1; j < problem->processes; j++)
      add(all[0] + part.first, all[j] + part.first, part.count);
    reduce_barrier(reduction);
  }
}

static void reduce_windows_run(void *state, int iterations)
{
  const struct reduction *reduction = state;
  const int count = (int)reduction->length;
  for (int i = 0; i < iterations; i++) {
    add_ones(reduction);
    reduce_barrier(reduction);
    if (reduction->state.problem->process > 0) {
      MPI_Accumulate(reduction->vector, count, MPI_DOUBLE, 0, 0, count, MPI_DOUBLE, MPI_SUM,
                     reduction->state.memory.window);
      MPI_Win_flush(0, reduction->state.memory.window);
    }
    reduce_barrier(reduction);
  }
}

/* --- Verification ----------------------------------------------------------------------------- */

/* An element of the other vectors is 2, 3, ... when it is added. Returns the number of wrong
 * elements. */
static double reduce_check(void *state)
{
  const struct reduction *reduction = state;
  const struct problem *problem = reduction->state.problem;
  const double runs = reduction->state.runs;
  const double element = runs + 1 + (problem->processes - 1) * runs * (runs + 3) / 2;
  double errors = 0;
  for (int64_t i = 0; problem->process == 0 && i < reduction->length; i++)
    errors += reduction->vector[i] != element;
  return errors;
}

/* Subtracts a one, as if it had come too late. */
static void reduce_spoil(void *state)
{
  const struct reduction *reduction = state;
  reduction->vector[reduction->length / 2] -= 1;
}

static double reduce_work(const struct problem *problem)
{
  return (2.0 * problem->processes - 1) * (double)problem->sizes[0];
}

static const struct side causeway = {NULL, reduce_causeway_run, NULL},
                         messages = {NULL, reduce_messages_run, NULL};
static const struct side shared = {NULL, reduce_shared_run, NULL},
                         windows = {NULL, reduce_windows_run, NULL};

const struct kernel reduce_kernel = {
    .name = "reduce",
    .what = "the sum of all processes' vectors, at one of them",
    .unit = "MFlop/s",
    .sizes = {{"length", 100000, 2501, 1, 1 << 30}},
    .usual_iterations = 100,
    .small_iterations = 4,
    .state_bytes = sizeof(struct reduction),
    .measure = reduce_measure,
    .place = reduce_place,
    .reset = reduce_reset,
    .check = reduce_check,
    .spoil = reduce_spoil,
    .work = reduce_work,
    .sides = {&causeway, &messages, &shared, &windows},
};
