/* Measures transfers of local matrices to and from an element-cyclic matrix. On one node they are
 * compared with handwritten loops for that one distribution; through MPI windows, packed copies are
 * compared with derived datatypes (figure 6 of Ghosh et al., 2016). Both take turns; only process 0
 * transfers.
 *
 *   matrices [ROUNDS [MILLISECONDS OF A TURN]]             two processes on one node
 *   matrices datatypes [ROUNDS [MILLISECONDS OF A TURN]]   with CW_ROUTE=rma CW_NODE_SIZE=1 */
#include "../program.h"
#include "../samples.h"

#include "base/settings.h"

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { EXTENT = 1024, SIDE = 512, FROM = 64, MOST_ROUNDS = 99 };

static cw_matrix matrices[2]; /* one matrix of each storage order */
static double
    *by_hand[2]; /* the part of each process for the handwritten loops: EXTENT x EXTENT / 2 */
static double *local;

struct kind {
  cw_operation operation;
  cw_matrix_order far, near; /* storage orders of the distributed and of the local matrix */
  int side, column; /* rows and columns of the local matrix, and its first column in row FROM */
};

/* Rows of `count` elements, with a fixed distance between elements. */
struct walk {
  double *far, *near;
  size_t rows, count, far_row, far_step, near_row, near_step;
};

static void walk_put(const struct walk *walk)
{
  for (size_t i = 0; i < walk->rows; i++)
    for (size_t j = 0; j < walk->count; j++)
      walk->far[i * walk->far_row + j * walk->far_step] =
          walk->near[i * walk->near_row + j * walk->near_step];
}

static void walk_get(const struct walk *walk)
{
  for (size_t i = 0; i < walk->rows; i++)
    for (size_t j = 0; j < walk->count; j++)
      walk->near[i * walk->near_row + j * walk->near_step] =
          walk->far[i * walk->far_row + j * walk->far_step];
}

static void walk_add(const struct walk *walk)
{
  for (size_t i = 0; i < walk->rows; i++)
    for (size_t j = 0; j < walk->count; j++)
      walk->far[i * walk->far_row + j * walk->far_step] +=
          walk->near[i * walk->near_row + j * walk->near_step];
}

/* Runs the handwritten loops. The grid is 1 x 2, so each process has every other column. The inner
 * loop runs along the memory of the matrix. */
static void run_by_hand(const struct kind *kind)
{
  static void (*const walks[])(const struct walk *) = {walk_put, walk_get, walk_add};
  const bool far_rows = kind->far == CW_ROW_MAJOR, near_rows = kind->near == CW_ROW_MAJOR;
  const size_t row = near_rows ? SIDE : 1, column = near_rows ? 1 : SIDE;
  for (size_t process = 0; process < 2; process++) {
    struct walk walk = {.near = local + process * column, .far_step = 1};
    if (far_rows) {
      walk.far = by_hand[process] + FROM * (EXTENT / 2) + FROM / 2;
      walk.rows = SIDE;
      walk.count = SIDE / 2;
      walk.far_row = EXTENT / 2;
      walk.near_row = row;
      walk.near_step = 2 * column;
    } else {
      walk.far = by_hand[process] + FROM / 2 * EXTENT + FROM;
      walk.rows = SIDE / 2;
      walk.count = SIDE;
      walk.far_row = EXTENT;
      walk.near_row = 2 * column;
      walk.near_step = row;
    }
    walks[kind->operation](&walk);
  }
}

static void run_ours(const struct kind *kind)
{
  const cw_local_matrix all = {
      .data = local, .height = kind->side, .width = kind->side, .order = kind->near};
  cw_matrix matrix = matrices[kind->far];
  if (kind->operation == CW_PUT)
    must(cw_matrix_put(matrix, &all, FROM, kind->column));
  else if (kind->operation == CW_GET)
    must(cw_matrix_get(matrix, &all, FROM, kind->column));
  else
    must(cw_matrix_accumulate(matrix, NULL, &all, FROM, kind->column));
}

/* --- Comparison ------------------------------------------------------------------------------- */

typedef void (*way)(const struct kind *kind);

static double time_round(way run, const struct kind *kind, long times)
{
  const double start = seconds(CLOCK_MONOTONIC);
  for (long i = 0; i < times; i++)
    run(kind);
  return (seconds(CLOCK_MONOTONIC) - start) / (double)times;
}

static const char *const operations[] = {"put", "get", "accumulate"};
static int rounds;
static double period;

/* Measures the microseconds of two ways, which take turns. */
static void compare(const struct kind *kind, const way ways[2], double medians[2])
{
  double times[2][MOST_ROUNDS] = {{0}};
  long repeats[2];
  for (int n = 0; n < 2; n++)
    repeats[n] = (long)(period / time_round(ways[n], kind, 3)) + 1;
  for (int round = 0; round < rounds; round++)
    for (int n = 0; n < 2; n++)
      times[n][round] = time_round(ways[n], kind, repeats[n]);
  for (int n = 0; n < 2; n++)
    medians[n] = 1e6 * median_of(times[n], (size_t)rounds);
}

static void print_hand(const struct kind *kind)
{
  static const char *const orders[] = {"rows", "columns"};
  double medians[2];
  compare(kind, (const way[]){run_by_hand, run_ours}, medians);
  printf("| %s | %s | %s | %.0f | %.0f | %.2f |\n", operations[kind->operation], orders[kind->far],
         orders[kind->near], medians[0], medians[1], medians[0] / medians[1]);
  fflush(stdout);
}

static void measure_hand(void)
{
  printf("| operation | matrix by | local by | by hand, us | Causeway, us | by hand / Causeway |\n"
         "|--|--|--|--:|--:|--:|\n");
  for (cw_operation operation = CW_PUT; operation <= CW_ACCUMULATE; operation++)
    for (int orders = 0; orders < 4; orders++)
      print_hand(&(struct kind){operation, (cw_matrix_order)(orders / 2),
                                (cw_matrix_order)(orders % 2), SIDE, FROM});
}

/* --- Datatypes -------------------------------------------------------------------------------- */

static void run_method(const struct kind *kind, long method)
{
  cwi_settings.rma_method = method;
  run_ours(kind);
  if (kind->operation != CW_GET)
    must(cw_matrix_flush(matrices[kind->far], NULL));
}

static void run_packed(const struct kind *kind)
{
  run_method(kind, CWI_BATCHED);
}

static void run_typed(const struct kind *kind)
{
  run_method(kind, CWI_DATATYPE);
}

static void print_method(const struct kind *kind)
{
  double medians[2];
  compare(kind, (const way[]){run_packed, run_typed}, medians);
  printf("| %s | %zu | %.1f | %.1f | %.2f |\n", operations[kind->operation],
         sizeof *local * (size_t)kind->side * (size_t)kind->side, medians[0], medians[1],
         medians[0] / medians[1]);
  fflush(stdout);
}

/* Measures 8 bytes, all of them at process 1, to 2 MiB. Puts and accumulates are flushed one by
 * one. */
static void measure_methods(void)
{
  printf("| operation | bytes | copied together, us | datatypes, us | copied / datatypes |\n"
         "|--|--:|--:|--:|--:|\n");
  for (cw_operation operation = CW_PUT; operation <= CW_ACCUMULATE; operation++)
    for (int side = 1; side <= SIDE; side *= side < 4 ? 4 : 2)
      print_method(&(struct kind){operation, CW_COLUMN_MAJOR, CW_COLUMN_MAJOR, side, FROM + 1});
}

/* Waits for the other process inside MPI, so that the target is always in MPI and never sleeps. */
static void barrier_in_mpi(void)
{
  MPI_Request request = MPI_REQUEST_NULL;
  int here = 0;
  MPI_Ibarrier(MPI_COMM_WORLD, &request);
  while (!here)
    MPI_Test(&request, &here, MPI_STATUS_IGNORE);
}

/* Makes a matrix whose element (i, j) is at process j mod 2. */
static cw_array make(cw_matrix_order order)
{
  const int64_t extents[] = {EXTENT, EXTENT}, block[] = {1, 1};
  const int grid[] = {order == CW_ROW_MAJOR ? 1 : 2, order == CW_ROW_MAJOR ? 2 : 1};
  const double zero = 0;
  const cw_array_options options = {
      .type = CW_DOUBLE,
      .dimensions = 2,
      .extents = extents,
      .distribution = {.layout = CW_CYCLIC, .grid = grid, .block = block}};
  cw_array array = NULL;
  must(cw_array_create(cw_team_world(), &options, &array));
  must(cw_array_fill(array, NULL, NULL, &zero));
  must(cw_matrix_attach(array, order, &matrices[order]));
  return array;
}

int main(int argc, char **argv)
{
  const bool methods = argc > 1 && strcmp(argv[1], "datatypes") == 0;
  const int first = methods ? 2 : 1;
  cw_array arrays[2];
  int provided = 0;
  rounds = argc > first ? atoi(argv[first]) : 21;
  period = 1e-3 * (argc > first + 1 ? atof(argv[first + 1]) : 20);
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  must(cw_init(MPI_COMM_WORLD));
  if (cw_processes() != 2 || rounds < 1 || rounds > MOST_ROUNDS)
    cw_abort("matrices runs on 2 processes, 1 to 99 rounds", 1);
  for (int order = 0; order < 2; order++) {
    arrays[order] = make((cw_matrix_order)order);
    by_hand[order] = calloc(EXTENT * EXTENT / 2, sizeof *by_hand[order]);
  }
  local = calloc(SIDE * SIDE, sizeof *local);
  if (local == NULL || by_hand[0] == NULL || by_hand[1] == NULL)
    cw_abort("no memory", 1);
  if (cw_process() == 0 && methods)
    measure_methods();
  else if (cw_process() == 0)
    measure_hand();
  if (methods)
    barrier_in_mpi();
  must(cw_barrier(cw_team_world()));
  for (int order = 0; order < 2; order++) {
    must(cw_matrix_detach(&matrices[order]));
    must(cw_array_destroy(&arrays[order]));
    free(by_hand[order]);
  }
  free(local);
  must(cw_finalize());
  return MPI_Finalize();
}
