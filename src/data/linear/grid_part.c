/* Redistribution between arrays and the block-cyclic, column-major matrices of the solvers: blocks
 * are got and put one-sidedly, all at once, and transposed on the way. */
#include "linear/grid_part.h"

#include "base/size.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static void share_axis(struct cwi_grid_part *local, int side, int64_t extent, int places)
{
  struct cwi_axis *axis = &local->axes[side];
  const int64_t width = local->grid->block;
  *axis = (struct cwi_axis){.extent = extent,
                            .width = width,
                            .blocks = (extent - 1) / width + 1,
                            .grid = places,
                            .inverse = 1.0 / (double)width,
                            .dense = true};
  if (local->place[side] >= 0)
    local->own[side] = cwi_axis_own_elements(axis, local->place[side]);
}

cw_error cwi_grid_part_make(const struct cwi_grid *grid, int64_t rows, int64_t columns,
                            size_t element, int64_t most, struct cwi_grid_part *local)
{
  *local =
      (struct cwi_grid_part){.grid = grid, .place = {grid->row, grid->column}, .element = element};
  share_axis(local, 0, rows, grid->rows);
  share_axis(local, 1, columns, grid->columns);
  const int64_t ld = local->own[0] > 0 ? local->own[0] : 1;
  const int desc[9] = {1, grid->context, (int)rows, (int)columns, grid->block, grid->block, 0,
                       0, (int)ld};
  memcpy(local->desc, desc, sizeof desc);
  if (local->own[0] == 0 || local->own[1] == 0)
    return CW_OK;
  if (!grid->alone && local->own[0] > most / local->own[1])
    return cwi_outside("this process would have %lld x %lld elements of a matrix; ScaLAPACK counts "
                       "up to %lld: use more processes",
                       (long long)local->own[0], (long long)local->own[1], (long long)most);
  size_t bytes = 0;
  if (cwi_multiply((size_t)local->own[0] * (size_t)local->own[1], element, &bytes))
    local->data = malloc(bytes);
  if (local->data == NULL)
    return cwi_outside("no memory for %lld x %lld elements of a matrix", (long long)local->own[0],
                       (long long)local->own[1]);
  return CW_OK;
}

void cwi_grid_part_free(struct cwi_grid_part *local)
{
  free(local->data);
  local->data = NULL;
}

/* --- Blocks ----------------------------------------------------------------------------------- */

/* Some rows or columns that lie together in the grid part: all of one, or a block. */
struct span {
  int64_t from, count; /* in the matrix */
  int64_t at;          /* in the local */
};

static struct span span_of(const struct cwi_grid_part *local, int side, int64_t number)
{
  const struct cwi_axis *axis = &local->axes[side];
  const int64_t block = cwi_axis_own_block(axis, local->place[side], number);
  const int64_t from = cwi_axis_start(axis, block);
  return (struct span){from, cwi_axis_end(axis, block) - from, cwi_axis_offset(axis, block)};
}

static char *block_at(const struct cwi_grid_part *local, const struct span *row,
                      const struct span *column)
{
  return (char *)local->data + (size_t)(column->at * local->desc[8] + row->at) * local->element;
}

static int64_t spans(const struct cwi_grid_part *local, int side)
{
  return cwi_axis_own_blocks(&local->axes[side], local->place[side]);
}

const void *cwi_grid_part_element(const struct cwi_grid_part *local, int64_t row, int64_t column)
{
  const int64_t index[2] = {row, column};
  int64_t at[2];
  for (int side = 0; side < 2; side++) {
    const struct cwi_axis *axis = &local->axes[side];
    const int64_t block = cwi_axis_block_of(axis, index[side]);
    if (cwi_axis_coordinate(axis, block) != local->place[side])
      return NULL;
    at[side] = cwi_axis_offset(axis, block) + index[side] - cwi_axis_start(axis, block);
  }
  return (const char *)local->data + (size_t)(at[1] * local->desc[8] + at[0]) * local->element;
}

/* Which blocks move, of those that are here. */
enum blocks {
  ALL,
  LOWER,   /* on the diagonal and below it */
  MIRRORED /* below it; they become the transposed ones above */
};

/* Start to move a block. */
static cw_error start_block(cw_operation operation, const struct cwi_grid_part *local,
                            cw_array array, const struct span *row, const struct span *column,
                            bool mirrored, cw_handle *handle)
{
  const int64_t ld = local->desc[8];
  const struct span *first = mirrored ? column : row, *second = mirrored ? row : column;
  const int64_t lo[2] = {first->from, second->from};
  const int64_t hi[2] = {first->from + first->count - 1, second->from + second->count - 1};
  const int64_t strides[2] = {mirrored ? ld : 1, mirrored ? 1 : ld};
  const cw_patch patch = {.operation = operation,
                          .lo = lo,
                          .hi = hi,
                          .buffer = block_at(local, row, column),
                          .strides = strides};
  return cw_array_start(array, &patch, handle);
}

static cw_error start_blocks(cw_operation operation, const struct cwi_grid_part *local,
                             cw_array array, enum blocks blocks, cw_handle *handle)
{
  for (int64_t j = 0; j < spans(local, 1); j++)
    for (int64_t i = 0; i < spans(local, 0); i++) {
      const struct span row = span_of(local, 0, i), column = span_of(local, 1, j);
      if (blocks == ALL || row.from > column.from ||
          (blocks == LOWER && row.from == column.from))
        CWI_TRY(start_block(operation, local, array, &row, &column, blocks == MIRRORED, handle));
    }
  return CW_OK;
}

static cw_error move_blocks(cw_operation operation, const struct cwi_grid_part *local,
                            cw_array array, enum blocks blocks)
{
  struct cwi_first_error first;
  cw_handle handle = {0};
  if (local->data == NULL)
    return CW_OK;
  cwi_first_begin(&first, start_blocks(operation, local, array, blocks, &handle));
  cwi_first_note(&first, cw_wait(&handle));
  return cwi_first_return(&first);
}

cw_error cwi_grid_part_load(struct cwi_grid_part *local, cw_array array)
{
  return move_blocks(CW_GET, local, array, ALL);
}

cw_error cwi_grid_part_store(const struct cwi_grid_part *local, cw_array array)
{
  return move_blocks(CW_PUT, local, array, ALL);
}

/* --- Numbers that are none -------------------------------------------------------------------- */

bool cwi_is_finite(cw_type type, const void *value, int64_t count)
{
  const bool single = type == CW_FLOAT || type == CW_FLOAT_COMPLEX;
  const bool complex = cwi_type_is_complex(type);
  const int64_t numbers = complex ? 2 * count : count;
  bool finite = true;
  for (int64_t i = 0; i < numbers && finite; i++)
    finite = single ? isfinite(((const float *)value)[i]) : isfinite(((const double *)value)[i]);
  return finite;
}

/* Step k meets row k and column k: the first that these rows of a column belong to. */
static int first_infinite_in(const struct cwi_grid_part *local, cw_type type, bool lower,
                             const struct span *row, const struct span *column)
{
  const int64_t above = column->from - row->from; /* rows before the diagonal */
  const int64_t from = lower && above > 0 ? above : 0;
  const char *data = block_at(local, row, column);
  if (from >= row->count ||
      cwi_is_finite(type, data + (size_t)from * local->element, row->count - from))
    return INT_MAX;
  int64_t i = from;
  while (cwi_is_finite(type, data + (size_t)i * local->element, 1))
    i++;
  return (int)(row->from + i < column->from ? row->from + i : column->from) + 1;
}

int cwi_grid_part_first_infinite(const struct cwi_grid_part *local, cw_type type, bool lower)
{
  int first = INT_MAX;
  for (int64_t j = 0; j < spans(local, 1) && local->data != NULL; j++) {
    const struct span columns = span_of(local, 1, j);
    for (int64_t k = 0; k < columns.count; k++)
      for (int64_t i = 0; i < spans(local, 0); i++) {
        const struct span row = span_of(local, 0, i);
        const struct span column = {columns.from + k, 1, columns.at + k};
        const int step = first_infinite_in(local, type, lower, &row, &column);
        first = step < first ? step : first;
      }
  }
  return first;
}

/* --- Symmetric matrices ----------------------------------------------------------------------- */

static void conjugate(cw_type type, void *elements, int64_t count)
{
  for (int64_t i = 0; i < count; i++)
    if (type == CW_FLOAT_COMPLEX)
      ((float *)elements)[2 * i + 1] = -((float *)elements)[2 * i + 1];
    else if (type == CW_DOUBLE_COMPLEX)
      ((double *)elements)[2 * i + 1] = -((double *)elements)[2 * i + 1];
}

/* Complete the blocks on the diagonal: above[i][j] = below[j][i]. */
static void reflect(const struct cwi_grid_part *local, cw_type type, const struct span *row,
                    const struct span *column)
{
  const size_t element = local->element, ld = (size_t)local->desc[8] * element;
  char *block = block_at(local, row, column);
  for (size_t j = 0; j < (size_t)row->count; j++)
    for (size_t i = j + 1; i < (size_t)row->count; i++) {
      memcpy(block + i * ld + j * element, block + j * ld + i * element, element);
      conjugate(type, block + i * ld + j * element, 1);
    }
}

static void reflect_diagonal(const struct cwi_grid_part *local, cw_type type)
{
  for (int64_t i = 0; i < spans(local, 0); i++)
    for (int64_t j = 0; j < spans(local, 1); j++) {
      const struct span row = span_of(local, 0, i), column = span_of(local, 1, j);
      if (row.from == column.from)
        reflect(local, type, &row, &column);
    }
}

/* What is mirrored is conjugated; before, nothing of the grid part is needed any more. */
cw_error cwi_grid_part_store_symmetric(struct cwi_grid_part *local, cw_array array)
{
  if (local->data == NULL)
    return CW_OK;
  reflect_diagonal(local, array->type);
  CWI_TRY(move_blocks(CW_PUT, local, array, LOWER));
  if (cwi_type_is_complex(array->type))
    conjugate(array->type, local->data, local->own[0] * local->own[1]);
  return move_blocks(CW_PUT, local, array, MIRRORED);
}
