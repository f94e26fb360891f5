/* The kernel transpose: the definition. */
#include "transpose.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct span transpose_rows(const struct transpose *transpose, int process)
{
  return span_of(transpose->order, transpose->state.problem->processes, process);
}

static size_t matrix_bytes(const struct transpose *transpose)
{
  const int64_t most = transpose->order / transpose->state.problem->processes + 1;
  return lines((size_t)(most * transpose->order) * sizeof(double));
}

size_t transpose_tile_place(const struct transpose *transpose, int half, int process)
{
  const size_t number = (size_t)(half * transpose->state.problem->processes + process);
  return 2 * matrix_bytes(transpose) + number * transpose->tile_bytes;
}

size_t transpose_signal(const struct transpose *transpose, int process)
{
  return transpose_tile_place(transpose, 2, 0) + (size_t)process * LINE;
}

static const char *transpose_reject(const struct problem *problem)
{
  const int64_t side = problem->sizes[0] / problem->processes + 1;
  return problem->processes == 1 || fits_call((double)side * (double)side)
             ? NULL
             : "has tiles that are too large for a message";
}

static size_t transpose_measure(void *state)
{
  struct transpose *transpose = state;
  const struct problem *problem = transpose->state.problem;
  const int64_t most = problem->sizes[0] / problem->processes + 1;
  transpose->order = problem->sizes[0];
  transpose->rows = transpose_rows(transpose, problem->process);
  transpose->tile_bytes = lines((size_t)(most * most) * sizeof(double));
  return transpose_signal(transpose, problem->processes);
}

static void transpose_place(void *state)
{
  struct transpose *transpose = state;
  transpose->a = (double *)(void *)transpose->state.memory.mine;
  transpose->b = (double *)(void *)(transpose->state.memory.mine + matrix_bytes(transpose));
}

static double first_value(const struct transpose *transpose, int64_t row, int64_t column)
{
  return (double)(row * transpose->order + column);
}

static void transpose_reset(void *state)
{
  const struct transpose *transpose = state;
  const int64_t order = transpose->order;
  for (int64_t i = 0; i < transpose->rows.count; i++)
    for (int64_t j = 0; j < order; j++)
      transpose->a[i * order + j] = first_value(transpose, transpose->rows.first + i, j);
  memset(transpose->b, 0, (size_t)(transpose->rows.count * order) * sizeof(double));
}

/* --- Tiles ------------------------------------------------------------------------------------ */

struct tile transpose_tile(const struct transpose *transpose, double *matrix, int process)
{
  return (struct tile){matrix + transpose_rows(transpose, process).first, transpose->order};
}

/* Squares are transposed through a buffer. Rows of a matrix whose length is a power of two fall
 * into the same few cache sets: 32 of them, read in turn, would evict each other. */
enum { SQUARE = 32, PADDED = SQUARE + 1 };

static inline void read_square(double *restrict square, const struct tile *from, int64_t lines,
                               int64_t numbers, bool grow)
{
  for (int64_t j = 0; j < lines; j++) {
    double *line = from->numbers + j * from->stride;
    for (int64_t i = 0; i < numbers; i++) {
      square[j * PADDED + i] = line[i];
      if (grow)
        line[i] += 1;
    }
  }
}

static inline void write_square(const struct tile *to, const double *restrict square, int64_t lines,
                                int64_t numbers, bool add)
{
  for (int64_t i = 0; i < lines; i++) {
    double *line = to->numbers + i * to->stride;
    for (int64_t j = 0; j < numbers; j++)
      line[j] = (add ? line[j] : 0) + square[j * PADDED + i];
  }
}

static inline void each_square(const struct tile *to, const struct tile *from, int64_t rows,
                               int64_t columns, bool add, bool grow)
{
  double square[SQUARE * PADDED];
  for (int64_t i = 0; i < rows; i += SQUARE)
    for (int64_t j = 0; j < columns; j += SQUARE) {
      const int64_t high = lesser(SQUARE, rows - i);
      const int64_t wide = lesser(SQUARE, columns - j);
      const struct tile corner = {from->numbers + j * from->stride + i, from->stride};
      const struct tile there = {to->numbers + i * to->stride + j, to->stride};
      read_square(square, &corner, wide, high, grow);
      write_square(&there, square, high, wide, add);
    }
}

void transpose_add(const struct tile *to, const struct tile *from, int64_t rows, int64_t columns,
                   bool grow)
{
  if (grow)
    each_square(to, from, rows, columns, true, true);
  else
    each_square(to, from, rows, columns, true, false);
}

void transpose_pack(const struct tile *to, const struct tile *from, int64_t rows, int64_t columns)
{
  each_square(to, from, rows, columns, false, true);
}

/* --- Verification ----------------------------------------------------------------------------- */

static double transpose_check(void *state)
{
  const struct transpose *transpose = state;
  const int64_t order = transpose->order;
  const double runs = (double)transpose->state.runs, grown = runs * (runs - 1) / 2;
  double errors = 0;
  for (int64_t i = 0; i < transpose->rows.count; i++)
    for (int64_t j = 0; j < order; j++)
      errors += fabs(transpose->b[i * order + j] -
                     (runs * first_value(transpose, j, transpose->rows.first + i) + grown));
  return errors;
}

static void transpose_spoil(void *state)
{
  const struct transpose *transpose = state;
  if (transpose->rows.count > 0)
    transpose->b[transpose->order - 1] += 1;
}

static double transpose_work(const struct problem *problem)
{
  return 2 * sizeof(double) * (double)problem->sizes[0] * (double)problem->sizes[0];
}

const struct kernel transpose_kernel = {
    .name = "transpose",
    .what = "B += transposed A, A += 1, of square matrices",
    .unit = "MB/s",
    .sizes = {{"order", 1024, 61, 1, 1 << 20}},
    .usual_iterations = 20,
    .small_iterations = 4,
    .state_bytes = sizeof(struct transpose),
    .reject = transpose_reject,
    .measure = transpose_measure,
    .place = transpose_place,
    .reset = transpose_reset,
    .check = transpose_check,
    .spoil = transpose_spoil,
    .work = transpose_work,
    .sides = {&transpose_causeway, &transpose_messages, &transpose_shared, &transpose_windows},
};
