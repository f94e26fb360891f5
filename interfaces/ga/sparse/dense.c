/* Products and conversions of sparse arrays and dense arrays of two dimensions. Dense arrays are
 * processed in panels, so that a process needs memory only for a part of a large array. */
#include "ga/sparse/sparse.h"

#include "array/array.h"
#include "number/number_kernels.h"
#include "team/agreement.h"

#include <stdlib.h>
#include <string.h>

enum { PANEL_BYTES = 32 << 20 };

/* Returns the width of a panel: the number of indices, at most `extent`, for which a panel has
 * memory if each index takes `length` elements. */
static int64_t panel_width(size_t length, size_t element, int64_t extent)
{
  const size_t each = (length + 1) * element;
  const int64_t width = each < PANEL_BYTES ? (int64_t)(PANEL_BYTES / each) : 1;
  return width < extent ? width : extent;
}

/* --- Products --- */

/* A product of a sparse array S and a dense array G. For S G, this process multiplies its rows of S
 * by the rows of G that it needs. For G S, from_right is set: it multiplies its own part of G by
 * its rows of S, with transposed panels. */
struct factors {
  const struct cwi_sparse *sparse;
  bool from_right;
  struct cwi_sparse_panel from, to;
};

/* Multiplies the sparse array by the panel x and adds the product to `sums`. */
static void multiply_panel(const struct factors *product, const char *x, char *sums)
{
  const struct cwi_sparse *sparse = product->sparse;
  const struct cwi_sparse_elements *mine = &sparse->mine;
  const cwi_accumulate_kernel *kernels = cwi_accumulate_kernels[sparse->native];
  const size_t bytes = (size_t)product->from.width * sparse->element;
  for (size_t u = 0; u < mine->entries; u++)
    for (size_t k = mine->first[u]; k < mine->first[u + 1]; k++) {
      union cwi_scalar scale;
      const size_t row = (size_t)mine->row[u], place = mine->place[k];
      const size_t source = product->from_right ? row : place;
      const size_t target = product->from_right ? place : row;
      const bool scaled =
          cwi_scale_read(sparse->native, mine->values + k * sparse->element, &scale);
      kernels[scaled](sums + target * bytes, 0, x + source * bytes, 0, bytes, 1, &scale);
    }
}

/* Multiplies panel by panel. Each needed element is transferred once. */
static cw_error multiply_panels(struct factors *product, int64_t extent)
{
  const struct cwi_sparse *sparse = product->sparse;
  const size_t rows = sparse->my_rows, needed = sparse->mine.needed_count;
  const size_t longer = rows > needed ? rows : needed;
  const int64_t most = panel_width(longer, sparse->element, extent);
  char *x = cwi_sparse_space(longer * (size_t)most, sparse->element);
  char *sums = cwi_sparse_space(longer * (size_t)most, sparse->element);
  cw_error error =
      x != NULL && sums != NULL ? CW_OK : cwi_outside("no memory for a panel of an array");
  for (int64_t first = 0; first < extent && error == CW_OK && x != NULL && sums != NULL;
       first += most) {
    product->from.first = product->to.first = first;
    product->from.width = product->to.width = most < extent - first ? most : extent - first;
    memset(sums, 0, longer * (size_t)product->to.width * sparse->element);
    error = product->from_right ? cwi_sparse_move_rows(sparse, CW_GET, &product->from, x)
                                : cwi_sparse_move_needed(sparse, CW_GET, &product->from, x);
    if (error != CW_OK)
      break;
    multiply_panel(product, x, sums);
    error = product->from_right ? cwi_sparse_move_needed(sparse, CW_ACCUMULATE, &product->to, sums)
                                : cwi_sparse_move_rows(sparse, CW_PUT, &product->to, sums);
  }
  free(x);
  free(sums);
  return error;
}

/* Computes a product. `along` is the dimension of the dense array that is multiplied by the sparse
 * array. */
static cw_error dense_product(struct factors *product, int g_a, const char *what, int along,
                              int *g_c)
{
  const struct cwi_sparse *sparse = product->sparse;
  const int64_t before = product->from_right ? sparse->rows : sparse->columns;
  const int64_t after = product->from_right ? sparse->columns : sparse->rows;
  int64_t extents[2] = {0};
  CWI_TRY(cwi_sparse_check_array(sparse, what, g_a, 2, along, before, &product->from.array));
  const int64_t other = product->from.array->axes[1 - along].extent;
  extents[along] = after;
  extents[1 - along] = other;
  product->from.along = product->to.along = along;
  CWI_TRY(cwi_sparse_synchronize(sparse));
  CWI_TRY(cwi_sparse_new_array(sparse, sparse->type, 2, extents, along, g_c, &product->to.array));
  CWI_TRY(multiply_panels(product, other));
  return cwi_sparse_synchronize(sparse);
}

cw_error cwi_sparse_times_dense(int s_a, int g_b, bool turned, int *g_c)
{
  struct cwi_sparse *sparse = NULL;
  CWI_TRY(cwi_sparse_assembled("s_a", s_a, &sparse));
  struct factors product = {.sparse = sparse, .from_right = false};
  return dense_product(&product, g_b, "g_b", turned, g_c);
}

cw_error cwi_dense_times_sparse(int g_a, int s_b, bool turned, int *g_c)
{
  struct cwi_sparse *sparse = NULL;
  CWI_TRY(cwi_sparse_assembled("s_b", s_b, &sparse));
  struct factors product = {.sparse = sparse, .from_right = true};
  return dense_product(&product, g_a, "g_a", !turned, g_c);
}

/* --- Conversions --- */

/* A panel of some of this process's rows with all columns. */
struct row_band {
  struct cwi_sparse_panel panel;
  int64_t first, count;
};

static cw_error move_some(cw_operation operation, const struct row_band *rows, char *buffer)
{
  int64_t lo[2] = {rows->first, 0}, hi[2] = {rows->first + rows->count - 1, rows->panel.width - 1};
  int64_t strides[2] = {rows->panel.width, 1};
  if (rows->panel.along == 1) {
    lo[1] = lo[0], hi[0] = hi[1], hi[1] = rows->first + rows->count - 1;
    lo[0] = 0;
    strides[0] = 1, strides[1] = rows->panel.width;
  }
  const cw_patch patch = {
      .operation = operation, .lo = lo, .hi = hi, .buffer = buffer, .strides = strides};
  return cw_array_transfer(rows->panel.array, &patch);
}

/* Adds the elements that are not 0, and all elements of the diagonal, to the list. */
static cw_error list_rows(const struct cwi_sparse *sparse, const struct row_band *rows,
                          const char *buffer, struct cwi_sparse_list *list)
{
  const struct cwi_sparse_kernels *kernels = cwi_sparse_kernels(sparse->native);
  for (int64_t row = rows->first; row < rows->first + rows->count; row++)
    for (int64_t column = 0; column < sparse->columns; column++, buffer += sparse->element)
      if (row == column || !kernels->is_zero(buffer))
        CWI_TRY(cwi_sparse_list_add(list, sparse->element, row, column, buffer));
  return CW_OK;
}

static cw_error list_dense(const struct cwi_sparse *sparse, struct row_band *rows,
                           struct cwi_sparse_list *list)
{
  const int64_t end = sparse->first_row + (int64_t)sparse->my_rows;
  const int64_t most = panel_width((size_t)sparse->columns, sparse->element,
                                   sparse->my_rows > 0 ? (int64_t)sparse->my_rows : 1);
  char *buffer = cwi_sparse_space((size_t)(most * sparse->columns), sparse->element);
  cw_error error = buffer != NULL ? CW_OK : cwi_outside("no memory for rows of an array");
  rows->panel.width = sparse->columns;
  for (rows->first = sparse->first_row; rows->first < end && error == CW_OK; rows->first += most) {
    rows->count = most < end - rows->first ? most : end - rows->first;
    error = move_some(CW_GET, rows, buffer);
    if (error == CW_OK)
      error = list_rows(sparse, rows, buffer, list);
  }
  free(buffer);
  return error;
}

cw_error cwi_sparse_from_dense(int g_a, size_t index, bool turned, int *s_a)
{
  struct row_band rows = {.panel.along = turned};
  struct cwi_sparse *sparse = NULL;
  struct cwi_sparse_list list = {0};
  CWI_TRY(cwi_ga_array("g_a", g_a, &rows.panel.array));
  const cw_array array = rows.panel.array;
  if (array->dimensions != 2)
    return cwi_misuse("g_a is array '%s' of %d dimensions; this call takes matrices", array->name,
                      array->dimensions);
  const struct cwi_sparse_shape shape = {
      array->team, cwi_ga_entry(g_a)->group,   cwi_ga_entry(g_a)->type,
      index,       array->axes[turned].extent, array->axes[!turned].extent};
  if (index == sizeof(int) && (shape.rows > INT32_MAX || shape.columns > INT32_MAX))
    return cwi_misuse("g_a is array '%s' of %lld x %lld elements, more than an int counts: call "
                      "NGA_Sprs_array_create_from_dense64",
                      array->name, (long long)shape.rows, (long long)shape.columns);
  CWI_TRY(cwi_sparse_make(&shape, s_a, &sparse));
  CWI_TRY(cwi_sparse_synchronize(sparse));
  const cw_error error = cwi_sparse_build(sparse, &list, list_dense(sparse, &rows, &list));
  cwi_sparse_list_free(&list);
  return error;
}

/* Expands some of this process's rows to dense rows. */
static void fill_rows(const struct cwi_sparse *sparse, const struct cwi_sparse_by_row *by_row,
                      const struct row_band *rows, char *buffer)
{
  const struct cwi_sparse_elements *mine = &sparse->mine;
  const cwi_accumulate_kernel add = cwi_accumulate_kernels[sparse->native][0];
  const size_t row_bytes = (size_t)sparse->columns * sparse->element;
  memset(buffer, 0, (size_t)rows->count * row_bytes);
  for (int64_t i = 0; i < rows->count; i++) {
    const size_t row = (size_t)(rows->first + i - sparse->first_row);
    char *to = buffer + (size_t)i * row_bytes;
    for (size_t e = by_row->first[row]; e < by_row->first[row + 1]; e++) {
      const size_t u = by_row->entries[e];
      for (size_t k = mine->first[u]; k < mine->first[u + 1]; k++)
        cwi_combine(add, to + (size_t)mine->needed[mine->place[k]] * sparse->element,
                    mine->values + k * sparse->element, sparse->element);
    }
  }
}

static cw_error put_dense(const struct cwi_sparse *sparse, struct row_band *rows)
{
  struct cwi_sparse_by_row by_row = {0};
  const int64_t end = sparse->first_row + (int64_t)sparse->my_rows;
  const int64_t most = panel_width((size_t)sparse->columns, sparse->element,
                                   sparse->my_rows > 0 ? (int64_t)sparse->my_rows : 1);
  char *buffer = cwi_sparse_space((size_t)(most * sparse->columns), sparse->element);
  cw_error error = buffer != NULL ? cwi_sparse_by_row(sparse, &by_row)
                                  : cwi_outside("no memory for rows of an array");
  rows->panel.width = sparse->columns;
  for (rows->first = sparse->first_row; rows->first < end && error == CW_OK; rows->first += most) {
    rows->count = most < end - rows->first ? most : end - rows->first;
    fill_rows(sparse, &by_row, rows, buffer);
    error = move_some(CW_PUT, rows, buffer);
  }
  cwi_sparse_by_row_free(&by_row);
  free(buffer);
  return error;
}

cw_error cwi_sparse_to_dense(int s_a, bool turned, int *g_a)
{
  struct cwi_sparse *sparse = NULL;
  struct row_band rows = {.panel.along = turned};
  CWI_TRY(cwi_sparse_assembled("s_a", s_a, &sparse));
  int64_t extents[2];
  extents[turned] = sparse->rows;
  extents[!turned] = sparse->columns;
  CWI_TRY(cwi_sparse_synchronize(sparse));
  CWI_TRY(cwi_sparse_new_array(sparse, sparse->type, 2, extents, turned, g_a, &rows.panel.array));
  CWI_TRY(put_dense(sparse, &rows));
  return cwi_sparse_synchronize(sparse);
}
