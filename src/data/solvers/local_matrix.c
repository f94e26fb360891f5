/* Redistributes matrices between arrays and the block-cyclic, column-major form of the solvers.
 * One-sided transfers move all blocks, which are in flight together, and transpose them. */
#include "solvers/local_matrix.h"

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

/* Rows or columns that are contiguous in the grid part: a single one, or those of a block. */
struct span {
  int64_t from, count; /* in the matrix */
  int64_t at;          /* in the local part */
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

/* Selects the local blocks to move. */
enum blocks {
  ALL,
  LOWER,   /* blocks on the diagonal and below it */
  MIRRORED /* blocks below the diagonal, which are stored transposed above it */
};

/* Returns the length of the part of a span that is also in the array, which may be smaller. */
static int64_t common(cw_array array, int dimension, const struct span *span)
{
  const int64_t extent = dimension < array->dimensions ? array->axes[dimension].extent : 1;
  return span->from + span->count <= extent ? span->count : extent - span->from;
}

/* Starts to move a block, given by its rows and columns in the array and in the local part. */
static cw_error start_block(cw_operation operation, const struct cwi_grid_part *local,
                            cw_array array, const struct span *row, const struct span *column,
                            bool mirrored, cw_handle *handle)
{
  const int64_t ld = local->desc[8];
  const struct span *first = mirrored ? column : row, *second = mirrored ? row : column;
  const int64_t counts[2] = {common(array, 0, first), common(array, 1, second)};
  if (counts[0] <= 0 || counts[1] <= 0)
    return CW_OK;
  const int64_t lo[2] = {first->from, second->from};
  const int64_t hi[2] = {first->from + counts[0] - 1, second->from + counts[1] - 1};
  const int64_t strides[2] = {mirrored ? ld : 1, mirrored ? 1 : ld};
  const cw_patch patch = {.operation = operation,
                          .lo = lo,
                          .hi = hi,
                          .buffer = block_at(local, row, column),
                          .strides = strides};
  return cwi_array_start(array, &patch, handle);
}

/* Starts to move the rows of a block separately, to or from the rows of the array given by
 * `order`. */
static cw_error start_rows(cw_operation operation, const struct cwi_grid_part *local,
                           cw_array array, const struct span *rows, const struct span *column,
                           const int64_t *order, cw_handle *handle)
{
  for (int64_t i = 0; i < rows->count; i++) {
    const struct span row = {order[rows->from + i], 1, rows->at + i};
    CWI_TRY(start_block(operation, local, array, &row, column, false, handle));
  }
  return CW_OK;
}

static cw_error start_blocks(cw_operation operation, const struct cwi_grid_part *local,
                             cw_array array, enum blocks blocks, const int64_t *order,
                             cw_handle *handle)
{
  for (int64_t j = 0; j < spans(local, 1); j++)
    for (int64_t i = 0; i < spans(local, 0); i++) {
      const struct span row = span_of(local, 0, i), column = span_of(local, 1, j);
      if (order != NULL)
        CWI_TRY(start_rows(operation, local, array, &row, &column, order, handle));
      else if (blocks == ALL || row.from > column.from ||
               (blocks == LOWER && row.from == column.from))
        CWI_TRY(start_block(operation, local, array, &row, &column, blocks == MIRRORED, handle));
    }
  return CW_OK;
}

static cw_error move_blocks(cw_operation operation, const struct cwi_grid_part *local,
                            cw_array array, enum blocks blocks, const int64_t *order)
{
  struct cwi_first_error first;
  cw_handle handle = {0};
  if (local->data == NULL)
    return CW_OK;
  cwi_first_begin(&first, start_blocks(operation, local, array, blocks, order, &handle));
  cwi_first_note(&first, cw_wait(&handle));
  return cwi_first_return(&first);
}

cw_error cwi_grid_part_load(struct cwi_grid_part *local, cw_array array, const int64_t *order)
{
  return move_blocks(CW_GET, local, array, ALL, order);
}

cw_error cwi_grid_part_store(const struct cwi_grid_part *local, cw_array array,
                             const int64_t *order)
{
  return move_blocks(CW_PUT, local, array, ALL, order);
}

/* - Local operations - */

int64_t cwi_grid_part_index(const struct cwi_grid_part *local, int side, int64_t at)
{
  const int64_t block = local->grid->block;
  const struct span span = span_of(local, side, at / block);
  return span.from + at % block;
}

static char *element_at(const struct cwi_grid_part *local, int64_t row, int64_t column)
{
  return (char *)local->data + (size_t)(column * local->desc[8] + row) * local->element;
}

void cwi_grid_part_copy(struct cwi_grid_part *to, const struct cwi_grid_part *from)
{
  for (int64_t j = 0; j < to->own[1] && to->data != NULL; j++)
    memcpy(element_at(to, 0, j), element_at(from, 0, j), (size_t)to->own[0] * to->element);
}

/* Returns how many local rows come before row n of the matrix. */
static int64_t rows_before(const struct cwi_grid_part *local, int64_t n)
{
  int64_t rows = 0;
  for (int64_t i = 0; i < spans(local, 0); i++) {
    const struct span row = span_of(local, 0, i);
    const int64_t before = n - row.from;
    rows += before < 0 ? 0 : before < row.count ? before : row.count;
  }
  return rows;
}

void cwi_grid_part_clear(struct cwi_grid_part *local, enum cwi_off_diagonal which)
{
  for (int64_t j = 0; j < local->own[1] && local->data != NULL; j++) {
    const int64_t column = cwi_grid_part_index(local, 1, j);
    const int64_t from = which == CWI_ABOVE ? 0 : rows_before(local, column + 1);
    const int64_t to = which == CWI_ABOVE ? rows_before(local, column) : local->own[0];
    memset(element_at(local, from, j), 0, (size_t)(to - from) * local->element);
  }
}

/* Returns the address of element k of the diagonal, or NULL if another process has it. */
static const void *diagonal(const struct cwi_grid_part *local, int64_t k)
{
  int64_t at[2];
  for (int side = 0; side < 2; side++) {
    const struct cwi_axis *axis = &local->axes[side];
    const int64_t block = cwi_axis_block_of(axis, k);
    if (cwi_axis_coordinate(axis, block) != local->place[side])
      return NULL;
    at[side] = cwi_axis_offset(axis, block) + k - cwi_axis_start(axis, block);
  }
  return element_at(local, at[0], at[1]);
}

static double modulus(cw_type type, const void *element)
{
  switch (type) {
  case CW_FLOAT:
    return fabs((double)*(const float *)element);
  case CW_FLOAT_COMPLEX:
    return hypot((double)((const float *)element)[0], (double)((const float *)element)[1]);
  case CW_DOUBLE_COMPLEX:
    return hypot(((const double *)element)[0], ((const double *)element)[1]);
  default:
    return fabs(*(const double *)element);
  }
}

/* Returns true if all elements are finite, neither NaN nor infinite. */
static bool is_finite(cw_type type, const void *value, int64_t count)
{
  const bool single = cwi_type_is_single(type);
  const bool complex = cwi_type_is_complex(type);
  const int64_t numbers = complex ? 2 * count : count;
  bool finite = true;
  for (int64_t i = 0; i < numbers && finite; i++)
    finite = single ? isfinite(((const float *)value)[i]) : isfinite(((const double *)value)[i]);
  return finite;
}

static int64_t diagonal_length(const struct cwi_grid_part *local)
{
  return local->data == NULL ? 0 : cwi_lesser(local->axes[0].extent, local->axes[1].extent);
}

int cwi_grid_part_bad_pivot(const struct cwi_grid_part *local, cw_type type, const double *least)
{
  for (int64_t k = 0; k < diagonal_length(local); k++) {
    const void *pivot = diagonal(local, k);
    if (pivot != NULL &&
        (modulus(type, pivot) <= (least != NULL ? least[k] : 0) || !is_finite(type, pivot, 1)))
      return (int)k + 1;
  }
  return INT_MAX;
}

void cwi_grid_part_greatest(const struct cwi_grid_part *local, cw_type type, double *greatest)
{
  const int64_t rows = local->axes[0].extent, columns = local->axes[1].extent;
  const bool wide = columns > rows;
  memset(greatest, 0, (size_t)(wide ? rows : columns) * sizeof *greatest);
  for (int64_t j = 0; j < local->own[1] && local->data != NULL; j++) {
    const int64_t column = cwi_grid_part_index(local, 1, j);
    const int64_t from = wide ? rows_before(local, column) : 0;
    const int64_t to = wide ? local->own[0] : rows_before(local, column + 1);
    for (int64_t i = from; i < to; i++) {
      double *most = &greatest[wide ? cwi_grid_part_index(local, 0, i) : column];
      *most = fmax(*most, modulus(type, element_at(local, i, j)));
    }
  }
}

/* - Numbers that are not finite - */

/* Returns the first step that uses a number that is not finite, for these rows of a column. The
 * element in row i and column j is first used in step min(i, j). */
static int first_infinite_in(const struct cwi_grid_part *local, cw_type type, bool lower,
                             const struct span *row, const struct span *column)
{
  const int64_t above = column->from - row->from; /* number of rows above the diagonal */
  const int64_t from = lower && above > 0 ? above : 0;
  const char *data = block_at(local, row, column);
  if (from >= row->count ||
      is_finite(type, data + (size_t)from * local->element, row->count - from))
    return INT_MAX;
  int64_t i = from;
  while (is_finite(type, data + (size_t)i * local->element, 1))
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

/* Completes a block on the diagonal: above[i][j] = below[j][i]. */
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

/* Before it stores the mirrored blocks it conjugates the local part, which is no longer needed
 * afterwards. */
cw_error cwi_grid_part_store_symmetric(struct cwi_grid_part *local, cw_array array)
{
  if (local->data == NULL)
    return CW_OK;
  reflect_diagonal(local, array->type);
  CWI_TRY(move_blocks(CW_PUT, local, array, LOWER, NULL));
  if (cwi_type_is_complex(array->type))
    conjugate(array->type, local->data, local->own[0] * local->own[1]);
  return move_blocks(CW_PUT, local, array, MIRRORED, NULL);
}
