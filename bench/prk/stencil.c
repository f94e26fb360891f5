/* The kernel stencil: the definition. */
#include "stencil.h"

#include <string.h>

/* Chooses the numbers of processes along rows and columns. */
static void shape(const struct problem *problem, int counts[2])
{
  counts[0] = counts[1] = 0;
  MPI_Dims_create(problem->processes, 2, counts);
}

static const char *stencil_reject(const struct problem *problem)
{
  int counts[2];
  shape(problem, counts);
  return problem->sizes[0] >= (int64_t)(RADIUS + 1) * counts[0]
             ? NULL
             : "is too small for this number of processes";
}

static size_t in_place(const struct stencil *stencil)
{
  return WAYS * LINE + 2 * WAYS * stencil->halo_bytes;
}

static size_t in_bytes(const struct stencil *stencil)
{
  return lines((size_t)((stencil->rows.count + 2 * RADIUS) * stencil->stride) * sizeof(double));
}

static size_t stencil_measure(void *state)
{
  struct stencil *stencil = state;
  const struct problem *problem = stencil->state.problem;
  int counts[2];
  shape(problem, counts);
  const int row = problem->process / counts[1], column = problem->process % counts[1];
  stencil->order = problem->sizes[0];
  stencil->rows = span_of(stencil->order, counts[0], row);
  stencil->columns = span_of(stencil->order, counts[1], column);
  stencil->stride = stencil->columns.count + 2 * RADIUS;
  stencil->neighbours[UP] = row > 0 ? problem->process - counts[1] : -1;
  stencil->neighbours[DOWN] = row + 1 < counts[0] ? problem->process + counts[1] : -1;
  stencil->neighbours[LEFT] = column > 0 ? problem->process - 1 : -1;
  stencil->neighbours[RIGHT] = column + 1 < counts[1] ? problem->process + 1 : -1;
  const int64_t side =
      stencil->order / lesser(counts[0], counts[1]) + 1; /* the same on all processes */
  stencil->halo_bytes = lines((size_t)(RADIUS * side) * sizeof(double));
  return in_place(stencil) + in_bytes(stencil) +
         (size_t)(stencil->rows.count * stencil->columns.count) * sizeof(double);
}

static double *cell(const struct stencil *stencil, int64_t row, int64_t column)
{
  return stencil->in + (row + RADIUS) * stencil->stride + column + RADIUS;
}

static void stencil_place(void *state)
{
  struct stencil *stencil = state;
  char *in = stencil->state.memory.mine + in_place(stencil);
  stencil->in = (double *)(void *)in;
  stencil->out = (double *)(void *)(in + in_bytes(stencil));
}

static void stencil_reset(void *state)
{
  const struct stencil *stencil = state;
  for (int64_t i = 0; i < stencil->rows.count; i++)
    for (int64_t j = 0; j < stencil->columns.count; j++)
      *cell(stencil, i, j) = (double)(stencil->rows.first + i + stencil->columns.first + j);
  memset(stencil->out, 0, (size_t)(stencil->rows.count * stencil->columns.count) * sizeof(double));
}

/* --- Borders ---------------------------------------------------------------------------------- */

struct rectangle stencil_border(const struct stencil *stencil, int way)
{
  const int64_t rows = stencil->rows.count, columns = stencil->columns.count;
  if (way == UP || way == DOWN)
    return (struct rectangle){cell(stencil, way == UP ? 0 : rows - RADIUS, 0), RADIUS, columns};
  return (struct rectangle){cell(stencil, 0, way == LEFT ? 0 : columns - RADIUS), rows, RADIUS};
}

size_t stencil_pack(const struct stencil *stencil, int way, void *to)
{
  const struct rectangle border = stencil_border(stencil, way);
  const size_t bytes = (size_t)border.columns * sizeof(double);
  for (int64_t i = 0; i < border.rows; i++)
    memcpy((char *)to + (size_t)i * bytes, border.from + i * stencil->stride, bytes);
  return (size_t)border.rows * bytes;
}

struct rectangle stencil_halo(const struct stencil *stencil, int way)
{
  static const int rows_away[WAYS] = {-RADIUS, RADIUS, 0, 0},
                   columns_away[WAYS] = {0, 0, -RADIUS, RADIUS};
  struct rectangle halo = stencil_border(stencil, way);
  halo.from += rows_away[way] * stencil->stride + columns_away[way];
  return halo;
}

void stencil_unpack(const struct stencil *stencil, int way, const void *from)
{
  const struct rectangle halo = stencil_halo(stencil, way);
  const size_t bytes = (size_t)halo.columns * sizeof(double);
  for (int64_t i = 0; i < halo.rows; i++)
    memcpy(halo.from + i * stencil->stride, (const char *)from + (size_t)i * bytes, bytes);
}

/* --- The star --------------------------------------------------------------------------------- */

void stencil_compute(struct stencil *stencil)
{
  const struct span rows = star_inner(&stencil->rows, stencil->order),
                    columns = star_inner(&stencil->columns, stencil->order);
  for (int64_t i = rows.first; i < rows.first + rows.count; i++)
    star_add(stencil->out + i * stencil->columns.count + columns.first,
             cell(stencil, i, columns.first), stencil->stride, columns.count, 1);
  for (int64_t i = 0; i < stencil->rows.count; i++) {
    double *row = cell(stencil, i, 0);
    for (int64_t j = 0; j < stencil->columns.count; j++)
      row[j] += 1;
  }
}

/* --- Verification ----------------------------------------------------------------------------- */

static double active(const struct problem *problem)
{
  const double side = (double)(problem->sizes[0] - 2 * RADIUS);
  return side * side;
}

static double stencil_check(void *state)
{
  const struct stencil *stencil = state;
  return star_errors(stencil->out, &stencil->rows, &stencil->columns, stencil->order,
                     2.0 * stencil->state.runs);
}

static void stencil_spoil(void *state)
{
  const struct stencil *stencil = state;
  star_spoil(stencil->out, &stencil->rows, &stencil->columns, stencil->order);
}

static double stencil_work(const struct problem *problem)
{
  return STAR_OPERATIONS * active(problem);
}

const struct kernel stencil_kernel = {
    .name = "stencil",
    .what = "a star of radius 2 on a square grid",
    .unit = "MFlop/s",
    .sizes = {{"order", 1000, 61, 5, 1 << 24}},
    .usual_iterations = 100,
    .small_iterations = 4,
    .state_bytes = sizeof(struct stencil),
    .reject = stencil_reject,
    .measure = stencil_measure,
    .place = stencil_place,
    .reset = stencil_reset,
    .check = stencil_check,
    .spoil = stencil_spoil,
    .work = stencil_work,
    .sides = {&stencil_causeway, &stencil_messages, &stencil_shared, &stencil_windows},
};
