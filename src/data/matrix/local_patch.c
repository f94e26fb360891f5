/* Makes patches of local matrices: order of elements, leading dimension, and checks of the size. */
#include "matrix/local_patch.h"

#include "base/size.h"

/* Returns the dimension of the array along which rows (side 0) or columns (side 1) of the matrix
 * are numbered. */
static inline int dimension_of(cw_matrix_order order, int side)
{
  return order == CW_ROW_MAJOR ? side : 1 - side;
}

static int64_t side_extent(cw_array array, cw_matrix_order order, int side)
{
  return array->axes[dimension_of(order, side)].extent;
}

static cw_error check_local(const cw_local_matrix *local, size_t element)
{
  if (local == NULL)
    return cwi_misuse("local is NULL");
  if (local->height < 0 || local->width < 0)
    return cwi_misuse("local has %lld rows and %lld columns", (long long)local->height,
                      (long long)local->width);
  if (local->order != CW_ROW_MAJOR && local->order != CW_COLUMN_MAJOR)
    return cwi_misuse("the order of local is %d; it may be CW_ROW_MAJOR (0) or CW_COLUMN_MAJOR (1)",
                      (int)local->order);
  const bool by_rows = local->order == CW_ROW_MAJOR;
  const char *lines = by_rows ? "rows" : "columns";
  const int64_t count = by_rows ? local->height : local->width;
  const int64_t least = by_rows ? local->width : local->height;
  if (local->ld != 0 && local->ld < least)
    return cwi_misuse("ld of local is %lld; it must be 0, or at least the length of its %s, %lld",
                      (long long)local->ld, lines, (long long)least);
  size_t bytes = 0;
  if (count > 1 && (!cwi_multiply((size_t)local->ld, (size_t)count, &bytes) ||
                    !cwi_multiply(bytes, element, &bytes) || bytes >> 62 != 0))
    return cwi_misuse("ld of local is %lld, and it has %lld %s: more than 2^62 bytes",
                      (long long)local->ld, (long long)count, lines);
  return CW_OK;
}

/* Checks the position and size along one side. `name` is the name of the index; `what` is "rows" or
 * "columns". */
static cw_error check_side(const char *name, int64_t index, const char *what, int64_t count,
                           int64_t extent)
{
  if (index >= 0 && index <= extent && count <= extent - index)
    return CW_OK;
  return cwi_misuse("%s is %lld and local has %lld %s; the matrix has %lld", name, (long long)index,
                    (long long)count, what, (long long)extent);
}

cw_error cwi_local_patch(cw_array array, cw_matrix_order order, const cw_local_matrix *local,
                         int64_t i, int64_t j, struct cwi_local_patch *made, bool *empty)
{
  CWI_TRY(check_local(local, array->element));
  CWI_TRY(check_side("i", i, "rows", local->height, side_extent(array, order, 0)));
  CWI_TRY(check_side("j", j, "columns", local->width, side_extent(array, order, 1)));
  *empty = local->height == 0 || local->width == 0;
  if (*empty)
    return CW_OK;
  if (local->data == NULL)
    return cwi_misuse("data of local is NULL");
  const int64_t first[2] = {i, j}, count[2] = {local->height, local->width};
  const int64_t ld = local->ld != 0                 ? local->ld
                     : local->order == CW_ROW_MAJOR ? local->width
                                                    : local->height;
  for (int side = 0; side < 2; side++) {
    const int d = dimension_of(order, side);
    made->lo[d] = first[side];
    made->hi[d] = first[side] + count[side] - 1;
    made->strides[d] = (local->order == CW_ROW_MAJOR) == (side == 0) ? ld : 1;
  }
  made->patch = (cw_patch){.lo = made->lo, .hi = made->hi, .buffer = local->data};
  /* With leading dimensions a patch in the array's own order can take the fast path of patch.c. */
  if (made->strides[1] == 1)
    made->patch.ld = made->strides;
  else
    made->patch.strides = made->strides;
  return CW_OK;
}

cw_error cwi_matrix_index(cw_array array, cw_matrix_order order, int64_t i, int64_t j,
                          int64_t index[2])
{
  const int64_t of[2] = {i, j};
  for (int side = 0; side < 2; side++) {
    const int64_t extent = side_extent(array, order, side);
    if (of[side] < 0 || of[side] >= extent)
      return cwi_misuse("%s is %lld; the matrix has %lld %s", side == 0 ? "i" : "j",
                        (long long)of[side], (long long)extent, side == 0 ? "rows" : "columns");
    index[dimension_of(order, side)] = of[side];
  }
  return CW_OK;
}
