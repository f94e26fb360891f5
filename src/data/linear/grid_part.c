/* Redistribution between arrays and the block-cyclic, column-major matrices of the solvers: blocks
 * are got and put one-sidedly, all at once. */
#include "linear/grid_part.h"

#include "base/size.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static void share_axis(struct cwi_grid_part *local, int side, int64_t extent, int places)
{
  struct cwi_axis *axis = &local->axes[side];
  const int64_t width = local->grid->alone ? extent : local->grid->block;
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

/* Start to move a block of an array, indices row.. and column.., from or to a row-major buffer. */
static cw_error start_block(cw_operation operation, cw_array array, const struct span *row,
                            const struct span *column, void *buffer, int64_t ld, cw_handle *handle)
{
  const int64_t lo[2] = {row->from, column->from};
  const int64_t hi[2] = {row->from + row->count - 1, column->from + column->count - 1};
  const cw_patch patch = {.operation = operation, .lo = lo, .hi = hi, .buffer = buffer, .ld = &ld};
  return cw_array_start(array, &patch, handle);
}

/* A row-major matrix that holds what the grid part holds: that itself, transposed, or a copy. */
struct image {
  char *data;
  int64_t ld;
  bool transposed; /* its rows are the grid part's columns */
};

static void *image_at(const struct cwi_grid_part *local, const struct image *image,
                      const struct span *row, const struct span *column)
{
  const int64_t at =
      image->transposed ? column->at * image->ld + row->at : row->at * image->ld + column->at;
  return image->data + (size_t)at * local->element;
}

/* Start to move all blocks. */
static cw_error start_blocks(cw_operation operation, const struct cwi_grid_part *local,
                             cw_array array, const struct image *image, cw_handle *handle)
{
  for (int64_t i = 0; i < spans(local, 0); i++)
    for (int64_t j = 0; j < spans(local, 1); j++) {
      const struct span row = span_of(local, 0, i), column = span_of(local, 1, j);
      void *buffer = image_at(local, image, &row, &column);
      CWI_TRY(image->transposed
                  ? start_block(operation, array, &column, &row, buffer, image->ld, handle)
                  : start_block(operation, array, &row, &column, buffer, image->ld, handle));
    }
  return CW_OK;
}

static cw_error move_blocks(cw_operation operation, const struct cwi_grid_part *local,
                            cw_array array, const struct image *image)
{
  struct cwi_first_error first;
  cw_handle handle = {0};
  cwi_first_begin(&first, start_blocks(operation, local, array, image, &handle));
  cwi_first_note(&first, cw_wait(&handle));
  return cwi_first_return(&first);
}

/* --- Transposition in memory ------------------------------------------------------------------ */

static void conjugate(cw_type type, void *element)
{
  if (type == CW_FLOAT_COMPLEX)
    ((float *)element)[1] = -((float *)element)[1];
  else if (type == CW_DOUBLE_COMPLEX)
    ((double *)element)[1] = -((double *)element)[1];
}

/* to[j][i] = from[i][j], tile by tile. type: whose numbers are conjugated; CW_OPAQUE: none. */
static void transpose(char *to, int64_t to_ld, const char *from, int64_t from_ld, int64_t rows,
                      int64_t columns, size_t element, cw_type type)
{
  enum { TILE = 32 };
  for (int64_t i0 = 0; i0 < rows; i0 += TILE)
    for (int64_t j0 = 0; j0 < columns; j0 += TILE)
      for (int64_t i = i0; i < rows && i < i0 + TILE; i++)
        for (int64_t j = j0; j < columns && j < j0 + TILE; j++) {
          char *there = to + (size_t)(j * to_ld + i) * element;
          memcpy(there, from + (size_t)(i * from_ld + j) * element, element);
          conjugate(type, there);
        }
}

/* A straight copy of the grid part in row-major order. Errors: CW_OUTSIDE. */
static cw_error make_image(const struct cwi_grid_part *local, enum cwi_grid_part_form form,
                           struct image *image)
{
  *image = (struct image){local->data, local->desc[8], true};
  if (form == CWI_GRID_PART_TRANSPOSED || local->data == NULL)
    return CW_OK;
  const size_t bytes = (size_t)local->own[0] * (size_t)local->own[1] * local->element;
  *image = (struct image){malloc(bytes), local->own[1], false};
  return image->data != NULL ? CW_OK : cwi_outside("no memory to transpose %zu bytes", bytes);
}

cw_error cwi_grid_part_load(struct cwi_grid_part *local, cw_array array,
                            enum cwi_grid_part_form form)
{
  struct image image;
  if (local->data == NULL)
    return CW_OK;
  CWI_TRY(make_image(local, form, &image));
  const cw_error error = move_blocks(CW_GET, local, array, &image);
  if (image.data == local->data)
    return error;
  if (error == CW_OK)
    transpose(local->data, local->desc[8], image.data, image.ld, local->own[0], local->own[1],
              local->element, form == CWI_GRID_PART_CONJUGATE ? array->type : CW_OPAQUE);
  free(image.data);
  return error;
}

cw_error cwi_grid_part_store(struct cwi_grid_part *local, cw_array array,
                             enum cwi_grid_part_form form)
{
  struct image image;
  if (local->data == NULL)
    return CW_OK;
  CWI_TRY(make_image(local, form, &image));
  const bool copied = image.data != local->data;
  if (copied)
    transpose(image.data, image.ld, local->data, local->desc[8], local->own[1], local->own[0],
              local->element, form == CWI_GRID_PART_CONJUGATE ? array->type : CW_OPAQUE);
  const cw_error error = move_blocks(CW_PUT, local, array, &image);
  if (copied)
    free(image.data);
  return error;
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

/* Step k meets row k and column k. */
static int first_infinite_in(const struct cwi_grid_part *local, cw_type type, bool upper,
                             const struct span *row, int64_t column, int64_t at)
{
  const char *data =
      (const char *)local->data + (size_t)(at * local->desc[8] + row->at) * local->element;
  const int64_t above = column + 1 - row->from; /* rows down to the diagonal */
  const int64_t count = !upper || above > row->count ? row->count : above;
  if (count <= 0 || cwi_is_finite(type, data, count))
    return INT_MAX;
  int64_t i = 0;
  while (cwi_is_finite(type, data + (size_t)i * local->element, 1))
    i++;
  return (int)(row->from + i < column ? row->from + i : column) + 1;
}

int cwi_grid_part_first_infinite(const struct cwi_grid_part *local, cw_type type, bool upper)
{
  int first = INT_MAX;
  for (int64_t j = 0; j < spans(local, 1) && local->data != NULL; j++) {
    const struct span columns = span_of(local, 1, j);
    for (int64_t k = 0; k < columns.count; k++)
      for (int64_t i = 0; i < spans(local, 0); i++) {
        const struct span row = span_of(local, 0, i);
        const int step =
            first_infinite_in(local, type, upper, &row, columns.from + k, columns.at + k);
        first = step < first ? step : first;
      }
  }
  return first;
}

/* --- Symmetric matrices ----------------------------------------------------------------------- */

/* Complete a block on the diagonal: above[i][j] = below[j][i]. */
static void reflect(char *block, int64_t ld, int64_t n, size_t element, cw_type type)
{
  for (int64_t i = 0; i < n; i++)
    for (int64_t j = i + 1; j < n; j++) {
      char *there = block + (size_t)(i * ld + j) * element;
      memcpy(there, block + (size_t)(j * ld + i) * element, element);
      conjugate(type, there);
    }
}

/* Put one block of the lower triangle, and its mirror image. row, column: of the array. */
static cw_error store_both(const struct cwi_grid_part *local, cw_array array,
                           const struct span *row, const struct span *column, char *block,
                           char *mirror)
{
  const int64_t ld = local->desc[8];
  struct cwi_first_error first;
  cw_handle handle = {0};
  if (row->from == column->from)
    reflect(block, ld, row->count, local->element, array->type);
  cwi_first_begin(&first, start_block(CW_PUT, array, row, column, block, ld, &handle));
  if (row->from != column->from) {
    transpose(mirror, row->count, block, ld, row->count, column->count, local->element,
              array->type);
    cwi_first_note(&first, start_block(CW_PUT, array, column, row, mirror, row->count, &handle));
  }
  cwi_first_note(&first, cw_wait(&handle));
  return cwi_first_return(&first);
}

cw_error cwi_grid_part_store_symmetric(struct cwi_grid_part *local, cw_array array)
{
  const struct image image = {local->data, local->desc[8], true};
  const size_t block = (size_t)local->grid->block;
  cw_error error = CW_OK;
  if (local->data == NULL)
    return CW_OK;
  /* One block has all of the diagonal, and needs no mirror. */
  char *mirror = malloc(local->grid->alone ? 1 : block * block * local->element);
  if (mirror == NULL)
    return cwi_outside("no memory for a block of a matrix");
  for (int64_t i = 0; i < spans(local, 0) && error == CW_OK; i++)
    for (int64_t j = 0; j < spans(local, 1) && error == CW_OK; j++) {
      const struct span column = span_of(local, 0, i), row = span_of(local, 1, j);
      if (row.from >= column.from)
        error =
            store_both(local, array, &row, &column, image_at(local, &image, &column, &row), mirror);
    }
  free(mirror);
  return error;
}
