/* Redistribution between arrays and the block-cyclic, column-major matrices of the solvers: blocks
 * are got and put one-sidedly, all at once. */
#include "linear/share.h"

#include "base/size.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static void share_axis(struct cwi_share *share, int side, int64_t extent, int places)
{
  struct cwi_axis *axis = &share->axes[side];
  const int64_t width = share->grid->alone ? extent : share->grid->block;
  *axis = (struct cwi_axis){.extent = extent,
                            .width = width,
                            .blocks = (extent - 1) / width + 1,
                            .grid = places,
                            .inverse = 1.0 / (double)width,
                            .dense = true};
  if (share->place[side] >= 0)
    share->own[side] = cwi_axis_own_elements(axis, share->place[side]);
}

cw_error cwi_share_make(const struct cwi_grid *grid, int64_t rows, int64_t columns, size_t element,
                        int64_t most, struct cwi_share *share)
{
  *share = (struct cwi_share){.grid = grid, .place = {grid->row, grid->column}, .element = element};
  share_axis(share, 0, rows, grid->rows);
  share_axis(share, 1, columns, grid->columns);
  const int64_t ld = share->own[0] > 0 ? share->own[0] : 1;
  const int desc[9] = {1, grid->context, (int)rows, (int)columns, grid->block, grid->block, 0,
                       0, (int)ld};
  memcpy(share->desc, desc, sizeof desc);
  if (share->own[0] == 0 || share->own[1] == 0)
    return CW_OK;
  if (!grid->alone && share->own[0] > most / share->own[1])
    return cwi_outside("this process would have %lld x %lld elements of a matrix; ScaLAPACK counts "
                       "up to %lld: use more processes",
                       (long long)share->own[0], (long long)share->own[1], (long long)most);
  size_t bytes = 0;
  if (cwi_multiply((size_t)share->own[0] * (size_t)share->own[1], element, &bytes))
    share->data = malloc(bytes);
  if (share->data == NULL)
    return cwi_outside("no memory for %lld x %lld elements of a matrix", (long long)share->own[0],
                       (long long)share->own[1]);
  return CW_OK;
}

void cwi_share_free(struct cwi_share *share)
{
  free(share->data);
  share->data = NULL;
}

/* --- Blocks ----------------------------------------------------------------------------------- */

/* Some rows or columns that lie together in the share: all of one, or a block. */
struct span {
  int64_t from, count; /* in the matrix */
  int64_t at;          /* in the share */
};

static struct span span_of(const struct cwi_share *share, int side, int64_t number)
{
  const struct cwi_axis *axis = &share->axes[side];
  const int64_t block = cwi_axis_own_block(axis, share->place[side], number);
  const int64_t from = cwi_axis_start(axis, block);
  return (struct span){from, cwi_axis_end(axis, block) - from, cwi_axis_place(axis, block)};
}

static int64_t spans(const struct cwi_share *share, int side)
{
  return cwi_axis_own_blocks(&share->axes[side], share->place[side]);
}

const void *cwi_share_element(const struct cwi_share *share, int64_t row, int64_t column)
{
  const int64_t index[2] = {row, column};
  int64_t at[2];
  for (int side = 0; side < 2; side++) {
    const struct cwi_axis *axis = &share->axes[side];
    const int64_t block = cwi_axis_block_of(axis, index[side]);
    if (cwi_axis_coordinate(axis, block) != share->place[side])
      return NULL;
    at[side] = cwi_axis_place(axis, block) + index[side] - cwi_axis_start(axis, block);
  }
  return (const char *)share->data + (size_t)(at[1] * share->desc[8] + at[0]) * share->element;
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

/* A row-major matrix that holds what the share holds: the share itself, transposed, or a copy. */
struct image {
  char *data;
  int64_t ld;
  bool transposed; /* its rows are the share's columns */
};

static void *image_at(const struct cwi_share *share, const struct image *image,
                      const struct span *row, const struct span *column)
{
  const int64_t at =
      image->transposed ? column->at * image->ld + row->at : row->at * image->ld + column->at;
  return image->data + (size_t)at * share->element;
}

/* Start to move all blocks. */
static cw_error start_blocks(cw_operation operation, const struct cwi_share *share, cw_array array,
                             const struct image *image, cw_handle *handle)
{
  for (int64_t i = 0; i < spans(share, 0); i++)
    for (int64_t j = 0; j < spans(share, 1); j++) {
      const struct span row = span_of(share, 0, i), column = span_of(share, 1, j);
      void *buffer = image_at(share, image, &row, &column);
      CWI_TRY(image->transposed
                  ? start_block(operation, array, &column, &row, buffer, image->ld, handle)
                  : start_block(operation, array, &row, &column, buffer, image->ld, handle));
    }
  return CW_OK;
}

static cw_error move_blocks(cw_operation operation, const struct cwi_share *share, cw_array array,
                            const struct image *image)
{
  struct cwi_first_error first;
  cw_handle handle = {0};
  cwi_first_begin(&first, start_blocks(operation, share, array, image, &handle));
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

/* A straight copy of the share in row-major order. Errors: CW_OUTSIDE. */
static cw_error make_image(const struct cwi_share *share, enum cwi_share_form form,
                           struct image *image)
{
  *image = (struct image){share->data, share->desc[8], true};
  if (form == CWI_SHARE_TRANSPOSED || share->data == NULL)
    return CW_OK;
  const size_t bytes = (size_t)share->own[0] * (size_t)share->own[1] * share->element;
  *image = (struct image){malloc(bytes), share->own[1], false};
  return image->data != NULL ? CW_OK : cwi_outside("no memory to transpose %zu bytes", bytes);
}

cw_error cwi_share_load(struct cwi_share *share, cw_array array, enum cwi_share_form form)
{
  struct image image;
  if (share->data == NULL)
    return CW_OK;
  CWI_TRY(make_image(share, form, &image));
  const cw_error error = move_blocks(CW_GET, share, array, &image);
  if (image.data == share->data)
    return error;
  if (error == CW_OK)
    transpose(share->data, share->desc[8], image.data, image.ld, share->own[0], share->own[1],
              share->element, form == CWI_SHARE_CONJUGATE ? array->type : CW_OPAQUE);
  free(image.data);
  return error;
}

cw_error cwi_share_store(struct cwi_share *share, cw_array array, enum cwi_share_form form)
{
  struct image image;
  if (share->data == NULL)
    return CW_OK;
  CWI_TRY(make_image(share, form, &image));
  const bool copied = image.data != share->data;
  if (copied)
    transpose(image.data, image.ld, share->data, share->desc[8], share->own[1], share->own[0],
              share->element, form == CWI_SHARE_CONJUGATE ? array->type : CW_OPAQUE);
  const cw_error error = move_blocks(CW_PUT, share, array, &image);
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
static int first_infinite_in(const struct cwi_share *share, cw_type type, bool upper,
                             const struct span *row, int64_t column, int64_t at)
{
  const char *data =
      (const char *)share->data + (size_t)(at * share->desc[8] + row->at) * share->element;
  const int64_t above = column + 1 - row->from; /* rows down to the diagonal */
  const int64_t count = !upper || above > row->count ? row->count : above;
  if (count <= 0 || cwi_is_finite(type, data, count))
    return INT_MAX;
  int64_t i = 0;
  while (cwi_is_finite(type, data + (size_t)i * share->element, 1))
    i++;
  return (int)(row->from + i < column ? row->from + i : column) + 1;
}

int cwi_share_first_infinite(const struct cwi_share *share, cw_type type, bool upper)
{
  int first = INT_MAX;
  for (int64_t j = 0; j < spans(share, 1) && share->data != NULL; j++) {
    const struct span columns = span_of(share, 1, j);
    for (int64_t k = 0; k < columns.count; k++)
      for (int64_t i = 0; i < spans(share, 0); i++) {
        const struct span row = span_of(share, 0, i);
        const int step =
            first_infinite_in(share, type, upper, &row, columns.from + k, columns.at + k);
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
static cw_error store_both(const struct cwi_share *share, cw_array array, const struct span *row,
                           const struct span *column, char *block, char *mirror)
{
  const int64_t ld = share->desc[8];
  struct cwi_first_error first;
  cw_handle handle = {0};
  if (row->from == column->from)
    reflect(block, ld, row->count, share->element, array->type);
  cwi_first_begin(&first, start_block(CW_PUT, array, row, column, block, ld, &handle));
  if (row->from != column->from) {
    transpose(mirror, row->count, block, ld, row->count, column->count, share->element,
              array->type);
    cwi_first_note(&first, start_block(CW_PUT, array, column, row, mirror, row->count, &handle));
  }
  cwi_first_note(&first, cw_wait(&handle));
  return cwi_first_return(&first);
}

cw_error cwi_share_store_symmetric(struct cwi_share *share, cw_array array)
{
  const struct image image = {share->data, share->desc[8], true};
  const size_t block = (size_t)share->grid->block;
  cw_error error = CW_OK;
  if (share->data == NULL)
    return CW_OK;
  /* One block has all of the diagonal, and needs no mirror. */
  char *mirror = malloc(share->grid->alone ? 1 : block * block * share->element);
  if (mirror == NULL)
    return cwi_outside("no memory for a block of a matrix");
  for (int64_t i = 0; i < spans(share, 0) && error == CW_OK; i++)
    for (int64_t j = 0; j < spans(share, 1) && error == CW_OK; j++) {
      const struct span column = span_of(share, 0, i), row = span_of(share, 1, j);
      if (row.from >= column.from)
        error =
            store_both(share, array, &row, &column, image_at(share, &image, &column, &row), mirror);
    }
  free(mirror);
  return error;
}
