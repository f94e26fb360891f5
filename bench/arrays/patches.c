/* Compares patches of an array on another host with the raw transfer of the same shape, to show
 * what the array itself costs. Both take turns; process 0 acts on the part of process 1.
 *
 *   patches [ROUNDS [MILLISECONDS OF A TURN]]    two processes on two nodes
 *
 * tests/multinode/hosts.sh mpich 2 1 build/mpich/bench/causeway-patches */
#include "../program.h"
#include "../samples.h"

#include <causeway/array.h>

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { EXTENT = 2048, MOST_ROUNDS = 99, FAR = 64 };

static cw_array array; /* EXTENT x EXTENT doubles, partitioned by columns */
static cw_region region;
static void *parts[2]; /* memory of the raw transfers, as large as the parts of the array */
static double *local;

struct shape {
  const char *name;
  int64_t rows, columns;
};

static const struct shape shapes[] = {
    {"8 B", 1, 1},       {"1 KiB", 1, 128},       {"6 KiB", 1, 768},      {"8 x 8", 8, 8},
    {"32 x 32", 32, 32}, {"128 x 128", 128, 128}, {"512 x 512", 512, 512}};
static const char *const operations[] = {"put", "get", "accumulate"};

static void raw(cw_operation operation, const struct shape *shape)
{
  const size_t bytes = sizeof(double), rows = (size_t)shape->rows;
  const ptrdiff_t near = (ptrdiff_t)((size_t)shape->columns * bytes);
  const ptrdiff_t far = (ptrdiff_t)(EXTENT / 2 * bytes);
  const cw_transfer transfer = {.operation = operation,
                                .type = CW_DOUBLE,
                                .process = 1,
                                .local = local,
                                .remote = (char *)parts[1] + FAR * far + FAR * bytes,
                                .bytes = (size_t)near,
                                .levels = rows > 1 ? 1 : 0,
                                .counts = &rows,
                                .local_strides = &near,
                                .remote_strides = &far};
  must(cw_transfer_run(&transfer));
}

static void patch(cw_operation operation, const struct shape *shape)
{
  const int64_t lo[] = {FAR, EXTENT / 2 + FAR};
  const int64_t hi[] = {lo[0] + shape->rows - 1, lo[1] + shape->columns - 1};
  if (operation == CW_PUT)
    must(cw_array_put(array, lo, hi, local, NULL));
  else if (operation == CW_GET)
    must(cw_array_get(array, lo, hi, local, NULL));
  else
    must(cw_array_accumulate(array, lo, hi, local, NULL, NULL));
}

typedef void (*side)(cw_operation operation, const struct shape *shape);

/* Returns the seconds of one call. Puts and accumulates are fenced at the end of the turn. */
static double time_round(side call, cw_operation operation, const struct shape *shape, long times)
{
  const double start = seconds(CLOCK_MONOTONIC);
  for (long i = 0; i < times; i++)
    call(operation, shape);
  must(cw_fence(1));
  return (seconds(CLOCK_MONOTONIC) - start) / (double)times;
}

static void row(cw_operation operation, const struct shape *shape, int rounds, double period)
{
  double times[2][MOST_ROUNDS] = {{0}};
  const double once = time_round(raw, operation, shape, 10);
  const long repeats = (long)(period / once) + 1;
  for (int round = 0; round < rounds; round++) {
    times[0][round] = time_round(raw, operation, shape, repeats);
    times[1][round] = time_round(patch, operation, shape, repeats);
  }
  const double limit = 1e6 * median_of(times[0], (size_t)rounds);
  const double ours = 1e6 * median_of(times[1], (size_t)rounds);
  printf("| %s | %s | %.2f | %.2f | %.2f |\n", operations[operation], shape->name, limit, ours,
         limit / ours);
  fflush(stdout);
}

static void measure(int rounds, double period)
{
  printf("| operation | shape | raw, us | patch, us | raw / patch |\n|--|--|--:|--:|--:|\n");
  for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++)
    for (cw_operation operation = CW_PUT; operation <= CW_ACCUMULATE; operation++)
      row(operation, &shapes[i], rounds, period);
}

int main(int argc, char **argv)
{
  const int rounds = argc > 1 ? atoi(argv[1]) : 21;
  const double period = 1e-3 * (argc > 2 ? atof(argv[2]) : 20);
  const int64_t extents[] = {EXTENT, EXTENT};
  const int grid[] = {1, 2};
  const size_t half = sizeof(double[EXTENT]) * EXTENT / 2;
  const cw_array_options options = {
      .type = CW_DOUBLE, .dimensions = 2, .extents = extents, .distribution = {.grid = grid}};
  int provided = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  must(cw_init(MPI_COMM_WORLD));
  if (cw_processes() != 2 || rounds < 1 || rounds > MOST_ROUNDS)
    cw_abort("patches runs on 2 processes, 1 to 99 rounds", 1);
  must(cw_array_create(cw_team_world(), &options, &array));
  must(cw_region_create(cw_team_world(), half, &region, parts));
  local = calloc(EXTENT * EXTENT / 2, sizeof *local);
  if (local == NULL)
    cw_abort("no memory", 1);
  memset(parts[cw_process()], 0, half);
  must(cw_barrier(cw_team_world()));
  if (cw_process() == 0)
    measure(rounds, period);
  must(cw_barrier(cw_team_world()));
  free(local);
  must(cw_region_free(cw_team_world(), &region));
  must(cw_array_destroy(&array));
  must(cw_finalize());
  return MPI_Finalize();
}
