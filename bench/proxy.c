/* The communication of a Hartree-Fock iteration, in four ways: figure 7 of Ghosh et al. (2016).
 * Tasks come from a shared counter. In the first phase each adds a tile to an element-cyclic
 * matrix, in the second each gets one.
 *
 *   proxy [ROUNDS [MICROSECONDS OF A TASK [TILE]]]    any number of processes; the tile has so many
 *                                                     rows and columns, 64
 *
 *   ORIG      AXPY epochs that end by messages          ORIG-NBX  the same by consensus
 *   RMA       started operations, a flush at the end    RMAB      operations that complete locally
 */
#include "program.h"
#include "samples.h"

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { EXTENT = 1024, MOST_ROUNDS = 99, WAYS = 4 };
enum way { ORIG, ORIG_NBX, RMA, RMAB };
static const char *const names[WAYS] = {"ORIG", "ORIG-NBX", "RMA", "RMAB"};

static cw_array array, counter;
static int tile = 64;
static double task_seconds;
static double *tiles; /* as many as are under way at a time, one behind the other */
enum { TILES = 16 };

/* --- Tasks ------------------------------------------------------------------------------------ */

/* The next task of this phase. */
static int64_t draw(void)
{
  const int64_t zero = 0;
  int64_t task = 0;
  must(cw_array_read_increment(counter, &zero, 1, &task));
  return task;
}

static void compute(void)
{
  const double end = seconds(CLOCK_MONOTONIC) + task_seconds;
  while (task_seconds > 0 && seconds(CLOCK_MONOTONIC) < end)
    continue;
}

static cw_local_matrix tile_of(int64_t task)
{
  double *data = tiles + (size_t)(task % TILES) * (size_t)tile * (size_t)tile;
  return (cw_local_matrix){.data = data, .height = tile, .width = tile, .order = CW_COLUMN_MAJOR};
}

static void place_of(int64_t task, int64_t *i, int64_t *j)
{
  const int64_t along = EXTENT / tile, place = task * 7 % (along * along);
  *i = place / along * tile;
  *j = place % along * tile;
}

static void tasks_by_epoch(cw_axpy_direction direction, cw_axpy_end end, int64_t tasks)
{
  cw_axpy axpy = NULL;
  must(cw_axpy_attach(array, CW_COLUMN_MAJOR, direction, end, &axpy));
  for (int64_t task = draw(); task < tasks; task = draw()) {
    const cw_local_matrix local = tile_of(task);
    int64_t i = 0, j = 0;
    place_of(task, &i, &j);
    compute();
    if (direction == CW_GLOBAL_TO_LOCAL)
      memset(local.data, 0, sizeof(double) * (size_t)tile * (size_t)tile);
    must(cw_axpy_add(axpy, NULL, &local, i, j));
  }
  must(cw_axpy_detach(&axpy));
}

static void tasks_by_matrix(cw_operation operation, bool waits, int64_t tasks)
{
  cw_matrix matrix = NULL;
  must(cw_matrix_attach(array, CW_COLUMN_MAJOR, &matrix));
  for (int64_t task = draw(); task < tasks; task = draw()) {
    const cw_local_matrix local = tile_of(task);
    int64_t i = 0, j = 0;
    place_of(task, &i, &j);
    compute();
    if (operation == CW_GET)
      must(waits ? cw_matrix_get(matrix, &local, i, j) : cw_matrix_iget(matrix, &local, i, j));
    else
      must(waits ? cw_matrix_accumulate(matrix, NULL, &local, i, j)
                 : cw_matrix_iaccumulate(matrix, NULL, &local, i, j));
  }
  must(cw_matrix_detach(&matrix));
}

/* All processes draw one number too many in each phase. */
static void reset(void)
{
  const int64_t zero = 0;
  must(cw_array_sync(counter));
  if (cw_process() == 0)
    must(cw_array_put(counter, &zero, &zero, &zero, NULL));
  must(cw_array_sync(counter));
}

/* Seconds of both phases: all begin together, and the last ends it. */
static double run(enum way way, int64_t tasks)
{
  reset();
  const double start = seconds(CLOCK_MONOTONIC);
  if (way == RMA || way == RMAB)
    tasks_by_matrix(CW_ACCUMULATE, way == RMAB, tasks);
  else
    tasks_by_epoch(CW_LOCAL_TO_GLOBAL, way == ORIG ? CW_END_OF_MESSAGES : CW_CONSENSUS, tasks);
  const double middle = seconds(CLOCK_MONOTONIC);
  reset();
  const double again = seconds(CLOCK_MONOTONIC);
  if (way == RMA || way == RMAB)
    tasks_by_matrix(CW_GET, way == RMAB, tasks);
  else
    tasks_by_epoch(CW_GLOBAL_TO_LOCAL, way == ORIG ? CW_END_OF_MESSAGES : CW_CONSENSUS, tasks);
  must(cw_barrier(cw_team_world()));
  return middle - start + seconds(CLOCK_MONOTONIC) - again;
}

/* --- The table -------------------------------------------------------------------------------- */

static void print_row(double each, int rounds)
{
  double times[WAYS][MOST_ROUNDS] = {{0}}, medians[WAYS];
  int64_t tasks = (int64_t)(each * cw_processes());
  tasks = tasks < 1 ? 1 : tasks;
  for (int round = 0; round < rounds; round++)
    for (int way = 0; way < WAYS; way++)
      times[way][round] = run((enum way)way, tasks);
  for (int way = 0; way < WAYS; way++)
    medians[way] = 1e6 * median_of(times[way], (size_t)rounds);
  if (cw_process() != 0)
    return;
  printf("| %g |", each);
  for (int way = 0; way < WAYS; way++)
    printf(" %.0f |", medians[way]);
  printf(" %.2f | %.2f | %.2f |\n", medians[ORIG] / medians[ORIG_NBX],
         medians[ORIG_NBX] / medians[RMAB], medians[RMAB] / medians[RMA]);
  fflush(stdout);
}

/* What all ways add is the same: the sum of the matrix tells. */
static void verify(void)
{
  const double zero = 0;
  const int64_t tasks = 5 * (int64_t)cw_processes();
  for (int way = 0; way < WAYS; way++) {
    double sum = 0, one = 1;
    cw_array ones = NULL;
    must(cw_array_fill(array, NULL, NULL, &zero));
    for (int n = 0; n < TILES * tile * tile; n++)
      tiles[n] = 1;
    run((enum way)way, tasks);
    must(cw_array_duplicate(array, "ones", &ones));
    must(cw_array_fill(ones, NULL, NULL, &one));
    must(cw_array_dot(&(cw_operand){.array = array}, &(cw_operand){.array = ones}, &sum));
    must(cw_array_destroy(&ones));
    if (sum != (double)tasks * tile * tile)
      cw_abort("proxy: the matrix does not have what was added", 1);
  }
}

int main(int argc, char **argv)
{
  const int rounds = argc > 1 ? atoi(argv[1]) : 11;
  const int64_t extents[] = {EXTENT, EXTENT}, block[] = {1, 1}, one = 1;
  int provided = 0, grid[2] = {0};
  task_seconds = 1e-6 * (argc > 2 ? atof(argv[2]) : 0);
  tile = argc > 3 ? atoi(argv[3]) : tile;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  must(cw_init(MPI_COMM_WORLD));
  if (rounds < 1 || rounds > MOST_ROUNDS || tile < 1 || tile > EXTENT)
    cw_abort("proxy: 1 to 99 rounds, a tile of 1 to 1024", 1);
  MPI_Dims_create(cw_processes(), 2, grid);
  const cw_array_options options = {
      .type = CW_DOUBLE,
      .dimensions = 2,
      .extents = extents,
      .distribution = {.layout = CW_CYCLIC, .grid = grid, .block = block, .column_major = true}};
  const cw_array_options number = {.type = CW_LONG, .dimensions = 1, .extents = &one};
  must(cw_array_create(cw_team_world(), &options, &array));
  must(cw_array_create(cw_team_world(), &number, &counter));
  tiles = calloc((size_t)TILES * (size_t)tile * (size_t)tile, sizeof *tiles);
  if (tiles == NULL)
    cw_abort("no memory", 1);
  verify();
  if (cw_process() == 0)
    printf("%d processes on %d nodes, tiles of %d x %d, tasks of %g us; microseconds:\n\n"
           "| tasks a process | %s | %s | %s | %s | ORIG / ORIG-NBX | ORIG-NBX / RMAB | RMAB / RMA "
           "|\n|--:|--:|--:|--:|--:|--:|--:|--:|\n",
           cw_processes(), cw_nodes(), tile, tile, 1e6 * task_seconds, names[0], names[1], names[2],
           names[3]);
  for (double each = 0.5; each <= 32; each *= 2)
    print_row(each, rounds);
  must(cw_array_destroy(&counter));
  must(cw_array_destroy(&array));
  free(tiles);
  must(cw_finalize());
  return MPI_Finalize();
}
