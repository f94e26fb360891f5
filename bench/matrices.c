/* Local matrices to and from an element-cyclic matrix on one node, against loops written by hand
 * for that one distribution. Both take turns; process 0 works alone.
 *
 *   matrices [ROUNDS [MILLISECONDS OF A TURN]]    two processes on one node */
#include "program.h"
#include "samples.h"

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { EXTENT = 1024, SIDE = 512, FROM = 64, MOST_ROUNDS = 99 };

static cw_matrix matrices[2]; /* of both orders */
static double *by_hand[2];    /* what each process would have: EXTENT x EXTENT / 2 */
static double *local;

struct kind {
  cw_operation operation;
  cw_matrix_order far, near; /* of the matrix, and of the local one */
};

/* Rows of `count` elements, so many elements apart. */
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

/* The grid is 1 x 2: each process has every other column. The inner loop is along the memory of the
 * matrix. */
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
  const cw_local_matrix all = {.data = local, .height = SIDE, .width = SIDE, .order = kind->near};
  cw_matrix matrix = matrices[kind->far];
  if (kind->operation == CW_PUT)
    must(cw_matrix_put(matrix, &all, FROM, FROM));
  else if (kind->operation == CW_GET)
    must(cw_matrix_get(matrix, &all, FROM, FROM));
  else
    must(cw_matrix_accumulate(matrix, NULL, &all, FROM, FROM));
}

typedef void (*side)(const struct kind *kind);

static double turn(side run, const struct kind *kind, long times)
{
  const double start = seconds(CLOCK_MONOTONIC);
  for (long i = 0; i < times; i++)
    run(kind);
  return (seconds(CLOCK_MONOTONIC) - start) / (double)times;
}

static void print_row(const struct kind *kind, int rounds, double period)
{
  static const char *const operations[] = {"put", "get", "accumulate"};
  static const char *const orders[] = {"rows", "columns"};
  double times[2][MOST_ROUNDS] = {{0}};
  const long repeats = (long)(period / turn(run_by_hand, kind, 3)) + 1;
  for (int round = 0; round < rounds; round++) {
    times[0][round] = turn(run_by_hand, kind, repeats);
    times[1][round] = turn(run_ours, kind, repeats);
  }
  const double limit = 1e6 * median_of(times[0], (size_t)rounds);
  const double ours = 1e6 * median_of(times[1], (size_t)rounds);
  printf("| %s | %s | %s | %.0f | %.0f | %.2f |\n", operations[kind->operation], orders[kind->far],
         orders[kind->near], limit, ours, limit / ours);
  fflush(stdout);
}

static void measure(int rounds, double period)
{
  printf("| operation | matrix by | local by | by hand, us | Causeway, us | by hand / Causeway |\n"
         "|--|--|--|--:|--:|--:|\n");
  for (cw_operation operation = CW_PUT; operation <= CW_ACCUMULATE; operation++)
    for (int orders = 0; orders < 4; orders++)
      print_row(
          &(struct kind){operation, (cw_matrix_order)(orders / 2), (cw_matrix_order)(orders % 2)},
          rounds, period);
}

/* Element (i, j) is at process j mod 2. */
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
  const int rounds = argc > 1 ? atoi(argv[1]) : 21;
  const double period = 1e-3 * (argc > 2 ? atof(argv[2]) : 20);
  cw_array arrays[2];
  int provided = 0;
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
  if (cw_process() == 0)
    measure(rounds, period);
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
