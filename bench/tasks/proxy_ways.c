/* Tasks that draw their numbers, add tiles and get them, in each of the four ways. */
#include "proxy_ways.h"

#include "../program.h"

#include <mpi.h>
#include <stdlib.h>
#include <string.h>

enum { EXTENT = 1024, TILES = 16 };
const char *const proxy_names[PROXY_WAYS] = {"ORIG", "ORIG-NBX", "RMA", "RMAB"};

static struct proxy proxy;
static cw_array array, counter;
static double *tiles; /* one tile for each transfer in flight, one after the other */

/* --- Tasks ------------------------------------------------------------------------------------ */

/* Draws the next task of this phase. */
static int64_t draw(void)
{
  const int64_t zero = 0;
  int64_t task = 0;
  must(cw_array_read_increment(counter, &zero, 1, &task));
  return task;
}

static void compute(void)
{
  if (proxy.compute != NULL)
    proxy.compute();
}

static size_t tile_elements(void)
{
  return (size_t)proxy.tile * (size_t)proxy.tile;
}

static cw_local_matrix tile_of(int64_t task)
{
  return (cw_local_matrix){.data = tiles + (size_t)(task % TILES) * tile_elements(),
                           .height = proxy.tile,
                           .width = proxy.tile,
                           .order = CW_COLUMN_MAJOR};
}

static void place_of(int64_t task, int64_t *i, int64_t *j)
{
  const int64_t along = EXTENT / proxy.tile, place = task * 7 % (along * along);
  *i = place / along * proxy.tile;
  *j = place % along * proxy.tile;
}

/* Draws a task of this phase and computes; sets the tile and the tile's position. Returns false if
 * there are no more tasks. */
static bool next_task(int64_t tasks, cw_local_matrix *local, int64_t *i, int64_t *j)
{
  const int64_t task = draw();
  if (task >= tasks)
    return false;
  *local = tile_of(task);
  place_of(task, i, j);
  compute();
  return true;
}

static void tasks_by_epoch(cw_axpy_direction direction, cw_axpy_end end, int64_t tasks)
{
  cw_axpy axpy = NULL;
  cw_local_matrix local;
  int64_t i = 0, j = 0;
  must(cw_axpy_attach(array, CW_COLUMN_MAJOR, direction, end, &axpy));
  while (next_task(tasks, &local, &i, &j)) {
    if (direction == CW_GLOBAL_TO_LOCAL)
      memset(local.data, 0, sizeof(double) * tile_elements());
    must(cw_axpy_add(axpy, NULL, &local, i, j));
  }
  must(cw_axpy_detach(&axpy));
}

static void tasks_by_matrix(cw_operation operation, bool waits, int64_t tasks)
{
  cw_matrix matrix = NULL;
  cw_local_matrix local;
  int64_t i = 0, j = 0;
  must(cw_matrix_attach(array, CW_COLUMN_MAJOR, &matrix));
  while (next_task(tasks, &local, &i, &j))
    if (operation == CW_GET)
      must(waits ? cw_matrix_get(matrix, &local, i, j) : cw_matrix_iget(matrix, &local, i, j));
    else
      must(waits ? cw_matrix_accumulate(matrix, NULL, &local, i, j)
                 : cw_matrix_iaccumulate(matrix, NULL, &local, i, j));
  must(cw_matrix_detach(&matrix));
}

/* Resets the counter. Each process has drawn one number too many in each phase. */
static void reset(void)
{
  const int64_t zero = 0;
  must(cw_array_sync(counter));
  if (cw_process() == 0)
    must(cw_array_put(counter, &zero, &zero, &zero, NULL));
  must(cw_array_sync(counter));
}

double proxy_run(enum proxy_way way, int64_t tasks)
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

/* --- Start and end ---------------------------------------------------------------------------- */

/* Returns memory for the whole matrix on process 0. */
static double *allocate_for_all(void)
{
  double *all = calloc((size_t)EXTENT * EXTENT, sizeof *all);
  if (all == NULL)
    cw_abort("no memory", 1);
  return all;
}

static void matrix_zero(void)
{
  const int64_t lo[2] = {0, 0}, hi[2] = {EXTENT - 1, EXTENT - 1};
  double *zeros = allocate_for_all();
  must(cw_array_put(array, lo, hi, zeros, NULL));
  free(zeros);
}

static double matrix_sum(void)
{
  const int64_t lo[2] = {0, 0}, hi[2] = {EXTENT - 1, EXTENT - 1};
  double *all = allocate_for_all(), sum = 0;
  must(cw_array_get(array, lo, hi, all, NULL));
  for (int n = 0; n < EXTENT * EXTENT; n++)
    sum += all[n];
  free(all);
  return sum;
}

/* Verifies that all ways have added the same. */
static void verify(enum proxy_way way)
{
  enum { TASKS = 5 };
  for (size_t n = 0; n < TILES * tile_elements(); n++)
    tiles[n] = 1;
  if (cw_process() == 0)
    matrix_zero();
  must(cw_array_sync(array));
  proxy_run(way, TASKS);
  must(cw_array_sync(array));
  if (cw_process() == 0 && matrix_sum() != (double)TASKS * (double)tile_elements())
    cw_abort("proxy: the matrix does not have what was added", 1);
  must(cw_array_sync(array));
}

void proxy_begin(const struct proxy *given)
{
  const int64_t extents[] = {EXTENT, EXTENT}, block[] = {given->block, given->block}, one = 1;
  int grid[2] = {0};
  if (given->tile < 1 || given->tile > EXTENT || given->block < 1)
    cw_abort("proxy: a tile has 1 to 1024 rows, a block 1 or more", 1);
  proxy = *given;
  MPI_Dims_create(cw_processes(), 2, grid);
  const cw_array_options options = {
      .type = CW_DOUBLE,
      .dimensions = 2,
      .extents = extents,
      .distribution = {.layout = CW_CYCLIC, .grid = grid, .block = block, .column_major = true}};
  const cw_array_options number = {.type = CW_LONG, .dimensions = 1, .extents = &one};
  must(cw_array_create(cw_team_world(), &options, &array));
  must(cw_array_create(cw_team_world(), &number, &counter));
  tiles = calloc(TILES * tile_elements(), sizeof *tiles);
  if (tiles == NULL)
    cw_abort("no memory", 1);
  for (int way = 0; way < PROXY_WAYS; way++)
    verify((enum proxy_way)way);
}

void proxy_end(void)
{
  must(cw_array_destroy(&counter));
  must(cw_array_destroy(&array));
  free(tiles);
}
