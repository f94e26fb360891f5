/* The kernel dgemm: the definition. */
#include "dgemm.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *dgemm_reject(const struct problem *problem)
{
  return problem->sizes[0] >= problem->processes ? NULL
                                                 : "is too small for this number of processes";
}

static size_t dgemm_matrix_bytes(const struct dgemm *dgemm)
{
  const int64_t rows = dgemm->order / dgemm->counts[0] + 1;
  return lines((size_t)(rows * (dgemm->order / dgemm->counts[1] + 1)) * sizeof(double));
}

static size_t dgemm_measure(void *state)
{
  struct dgemm *dgemm = state;
  const struct problem *problem = dgemm->state.problem;
  dgemm->order = problem->sizes[0];
  MPI_Dims_create(problem->processes, 2, dgemm->counts);
  dgemm->rows = span_of(dgemm->order, dgemm->counts[0], problem->process / dgemm->counts[1]);
  dgemm->columns = span_of(dgemm->order, dgemm->counts[1], problem->process % dgemm->counts[1]);
  return 3 * dgemm_matrix_bytes(dgemm);
}

/* --- Terms ------------------------------------------------------------------------------------ */

/* Returns the width of a panel of terms. Small problems, which are tests, also have more panels
 * than buffers. */
static int64_t dgemm_panel(const struct dgemm *dgemm)
{
  enum { NARROW = PANEL / 16, SMALL = 4 * NARROW };
  return dgemm->order < SMALL ? NARROW : PANEL;
}

/* Returns the terms from `first` on that lie at the same processes. */
static struct terms dgemm_terms_from(const struct dgemm *dgemm, int64_t first)
{
  const int width = dgemm->counts[1], me = dgemm->state.problem->process;
  const int column = span_owner(dgemm->order, width, first);
  const int row = span_owner(dgemm->order, dgemm->counts[0], first);
  const struct span columns = span_of(dgemm->order, width, column);
  const struct span rows = span_of(dgemm->order, dgemm->counts[0], row);
  const int64_t end = lesser(columns.first + columns.count, rows.first + rows.count);
  return (struct terms){.first = first,
                        .count = lesser(end - first, dgemm_panel(dgemm)),
                        .a_owner = me / width * width + column,
                        .b_owner = row * width + me % width,
                        .a_place = (size_t)(first - columns.first) * sizeof(double),
                        .b_place =
                            dgemm_matrix_bytes(dgemm) +
                            (size_t)((first - rows.first) * dgemm->columns.count) * sizeof(double),
                        .a_stride = columns.count,
                        .b_stride = dgemm->columns.count};
}

static void dgemm_list_terms(struct dgemm *dgemm)
{
  const int64_t most = dgemm->order / dgemm_panel(dgemm) + dgemm->counts[0] + dgemm->counts[1] + 1;
  dgemm->terms = allocate((size_t)most * sizeof(struct terms));
  for (int64_t first = 0; first < dgemm->order;) {
    struct terms *terms = &dgemm->terms[dgemm->terms_count++];
    *terms = dgemm_terms_from(dgemm, first);
    first += terms->count;
  }
}

static void dgemm_place(void *state)
{
  struct dgemm *dgemm = state;
  dgemm->a = (double *)(void *)dgemm->state.memory.mine;
  dgemm->b = (double *)(void *)(dgemm->state.memory.mine + dgemm_matrix_bytes(dgemm));
  dgemm->c = (double *)(void *)(dgemm->state.memory.mine + 2 * dgemm_matrix_bytes(dgemm));
  dgemm_list_terms(dgemm);
}

static void dgemm_release(void *state)
{
  struct dgemm *dgemm = state;
  free(dgemm->terms);
}

void dgemm_make_buffers(struct dgemm *dgemm)
{
  for (int slot = 0; slot < 2; slot++) {
    dgemm->buffers[slot][FACTOR_A] = allocate((size_t)(PANEL * dgemm->rows.count) * sizeof(double));
    dgemm->buffers[slot][FACTOR_B] =
        allocate((size_t)(PANEL * dgemm->columns.count) * sizeof(double));
    dgemm->requests[slot][FACTOR_A] = dgemm->requests[slot][FACTOR_B] = MPI_REQUEST_NULL;
  }
}

void dgemm_free_buffers(struct dgemm *dgemm)
{
  for (int slot = 0; slot < 2; slot++) {
    free(dgemm->buffers[slot][FACTOR_A]);
    free(dgemm->buffers[slot][FACTOR_B]);
  }
}

/* --- Values ----------------------------------------------------------------------------------- */

/* A and B hold row + column, so that all rows and columns of both differ. The original definition
 * uses only the column. */
static void dgemm_reset(void *state)
{
  const struct dgemm *dgemm = state;
  const int64_t columns = dgemm->columns.count, first = dgemm->rows.first + dgemm->columns.first;
  for (int64_t i = 0; i < dgemm->rows.count; i++)
    for (int64_t j = 0; j < columns; j++)
      dgemm->a[i * columns + j] = dgemm->b[i * columns + j] = (double)(first + i + j);
  memset(dgemm->c, 0, (size_t)(dgemm->rows.count * columns) * sizeof(double));
}

/* Element (i, j) is the sum over k of (i + k) (k + j), added in each iteration. Returns the number
 * of elements with a relative error above 1e-8. */
static double dgemm_check(void *state)
{
  const struct dgemm *dgemm = state;
  const double order = (double)dgemm->order, runs = dgemm->state.runs;
  const double sum = order * (order - 1) / 2, squares = sum * (2 * order - 1) / 3;
  const double *c = dgemm->c;
  double errors = 0;
  for (int64_t i = dgemm->rows.first; i < dgemm->rows.first + dgemm->rows.count; i++)
    for (int64_t j = dgemm->columns.first; j < dgemm->columns.first + dgemm->columns.count; j++) {
      const double row = (double)i, column = (double)j;
      const double element = runs * (squares + (row + column) * sum + row * column * order);
      errors += !(fabs(*c++ - element) <= 1e-8 * element);
    }
  return errors;
}

/* Exchanges two elements. */
static void dgemm_spoil(void *state)
{
  const struct dgemm *dgemm = state;
  double *last = &dgemm->c[dgemm->rows.count * dgemm->columns.count - 1], element = *last;
  *last = dgemm->c[0];
  dgemm->c[0] = element;
}

static double dgemm_work(const struct problem *problem)
{
  const double order = (double)problem->sizes[0];
  return 2 * order * order * order;
}

const struct kernel dgemm_kernel = {
    .name = "dgemm",
    .what = "C += A B, of square matrices",
    .unit = "MFlop/s",
    .sizes = {{"order", 1000, 61, 2, 1 << 20}},
    .usual_iterations = 4,
    .small_iterations = 4,
    .state_bytes = sizeof(struct dgemm),
    .reject = dgemm_reject,
    .measure = dgemm_measure,
    .place = dgemm_place,
    .reset = dgemm_reset,
    .check = dgemm_check,
    .spoil = dgemm_spoil,
    .release = dgemm_release,
    .work = dgemm_work,
    .sides = {&dgemm_causeway, &dgemm_messages, &dgemm_shared, &dgemm_windows},
};
