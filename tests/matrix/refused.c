/* Wrong arguments of attached matrices and epochs: each is named, no data is moved, and limits are
 * checked. */
#include "kit/native.h"

#include <stdlib.h>

enum { ROWS = 8, COLUMNS = 5 };

static cw_array make(int dimensions, cw_type type)
{
  const int64_t extents[3] = {ROWS, COLUMNS, 2};
  const cw_array_options options = {
      .type = type, .element_bytes = 3, .dimensions = dimensions, .extents = extents};
  const double zero = 0;
  cw_array array = NULL;
  KIT_MUST(cw_array_create(cw_team_world(), &options, &array));
  if (type == CW_DOUBLE)
    KIT_OK(cw_array_fill(array, NULL, NULL, &zero));
  return array;
}

static void check_places(cw_matrix matrix)
{
  double data[ROWS * COLUMNS] = {0};
  cw_local_matrix local = {.data = data, .height = ROWS, .width = COLUMNS};
  KIT_MISUSE("matrix is NULL", cw_matrix_put(NULL, &local, 0, 0));
  KIT_MISUSE("matrix|detached", cw_matrix_get((cw_matrix)(void *)data, &local, 0, 0));
  KIT_MISUSE("local is NULL", cw_matrix_put(matrix, NULL, 0, 0));
  KIT_MISUSE("i is 1|8 rows", cw_matrix_put(matrix, &local, 1, 0));
  KIT_MISUSE("j is -1|5 columns", cw_matrix_get(matrix, &local, 0, -1));
  KIT_MISUSE("i is 9223372036854775807", cw_matrix_iput(matrix, &local, INT64_MAX, 0));
  local.ld = 4;
  KIT_MISUSE("ld of local is 4|rows, 5", cw_matrix_iget(matrix, &local, 0, 0));
  local.order = CW_COLUMN_MAJOR;
  KIT_MISUSE("ld of local is 4|columns, 8", cw_matrix_accumulate(matrix, NULL, &local, 0, 0));
  local.order = (cw_matrix_order)2;
  KIT_MISUSE("order of local is 2", cw_matrix_put(matrix, &local, 0, 0));
  local = (cw_local_matrix){.height = 1, .width = 1};
  KIT_MISUSE("data of local is NULL", cw_matrix_iaccumulate(matrix, NULL, &local, 0, 0));
  local.height = -1;
  KIT_MISUSE("local has -1 rows", cw_matrix_put(matrix, &local, 0, 0));
  local.height = 0; /* a matrix without rows is valid even at the end, and without data */
  KIT_OK(cw_matrix_put(matrix, &local, ROWS, COLUMNS - 1));
  KIT_MISUSE("i is 9", cw_matrix_put(matrix, &local, ROWS + 1, 0));
  KIT_MISUSE("i is 8|8 rows", cw_matrix_fetch_add(matrix, ROWS, 0, data, NULL));
  KIT_MISUSE("value is NULL", cw_matrix_fetch_add(matrix, 0, 0, NULL, NULL));
  KIT_MISUSE("matrix is NULL", cw_matrix_flush(NULL, NULL));
  KIT_MISUSE("matrix is NULL", cw_matrix_flush_local(NULL, NULL));
}

/* More local matrices, and more operations on one, than are supported. */
static void check_bounds(cw_array array, cw_matrix matrix)
{
  enum { LOCALS = 200 };
  double ones[LOCALS], got[ROWS][COLUMNS];
  for (int n = 0; n < LOCALS; n++) {
    ones[n] = 1;
    const cw_local_matrix one = {.data = &ones[n], .height = 1, .width = 1};
    KIT_OK(cw_matrix_iaccumulate(matrix, NULL, &one, n % ROWS, n % COLUMNS));
    const cw_local_matrix first = {.data = ones, .height = 1, .width = 1};
    KIT_OK(cw_matrix_iaccumulate(matrix, NULL, &first, 0, 0));
  }
  KIT_OK(cw_matrix_flush(matrix, NULL));
  KIT_OK(cw_array_sync(array));
  const cw_local_matrix all = {.data = got, .height = ROWS, .width = COLUMNS};
  KIT_OK(cw_matrix_get(matrix, &all, 0, 0));
  double sum = 0;
  for (int i = 0; i < ROWS * COLUMNS; i++)
    sum += got[i / COLUMNS][i % COLUMNS];
  kit_check(sum == 2.0 * LOCALS * kit_processes(), "the sum of all is %g", sum);
  KIT_OK(cw_array_sync(array));
}

/* A copy of an array that is attached, and that process 0 accesses, is neither attached nor
 * accessed. */
static void check_copy(cw_array array)
{
  const int64_t first[2] = {0, 0};
  cw_array_view view;
  cw_array copy = NULL;
  if (kit_me() == 0)
    KIT_OK(cw_array_access(array, first, first, &view));
  KIT_OK(cw_array_duplicate(array, NULL, &copy));
  KIT_OK(cw_array_destroy(&copy));
  if (kit_me() == 0)
    KIT_OK(cw_array_release(array, &view));
}

/* Flushing one matrix does not affect the gets of another one of the same array, which complete
 * with their own flush. */
static void check_two(cw_array array)
{
  cw_matrix one = NULL, two = NULL;
  double got[2][ROWS * COLUMNS];
  KIT_MUST(cw_matrix_attach(array, CW_ROW_MAJOR, &one));
  KIT_MUST(cw_matrix_attach(array, CW_COLUMN_MAJOR, &two));
  const cw_local_matrix rows = {.data = got[0], .height = ROWS, .width = COLUMNS};
  const cw_local_matrix columns = {
      .data = got[1], .height = COLUMNS, .width = ROWS, .order = CW_COLUMN_MAJOR};
  KIT_OK(cw_matrix_iget(one, &rows, 0, 0));
  KIT_OK(cw_matrix_iget(two, &columns, 0, 0));
  KIT_OK(cw_matrix_flush_local(one, NULL));
  KIT_OK(cw_matrix_flush_local(two, NULL));
  kit_check_bytes(got[0], got[1], sizeof got[0], "a matrix and its transpose by columns");
  cw_array destroyed = array;
  KIT_MISUSE("is attached|: 2)", cw_array_destroy(&destroyed));
  check_copy(array);
  KIT_OK(cw_matrix_detach(&one));
  KIT_OK(cw_matrix_detach(&two));
  KIT_MISUSE("matrix is NULL", cw_matrix_detach(&two));
  KIT_MISUSE("matrix is NULL", cw_matrix_detach(NULL));
}

/* More bytes than a size_t counts, with equal and with different storage orders. */
static void check_outside(cw_array array)
{
  cw_matrix matrix = NULL;
  cw_axpy axpy = NULL;
  double data[ROWS] = {0};
  cw_local_matrix local = {.data = data, .height = 2, .width = 2, .ld = INT64_MAX / 4};
  KIT_MUST(cw_matrix_attach(array, CW_ROW_MAJOR, &matrix));
  KIT_MUST(cw_axpy_attach(array, CW_ROW_MAJOR, CW_LOCAL_TO_GLOBAL, CW_CONSENSUS, &axpy));
  for (int order = 0; order < 2; order++) {
    local.order = (cw_matrix_order)order;
    KIT_MISUSE("2^62", cw_matrix_put(matrix, &local, 0, 0));
    KIT_MISUSE("2^62", cw_axpy_add(axpy, NULL, &local, 0, 0));
  }
  KIT_OK(cw_axpy_detach(&axpy));
  KIT_OK(cw_matrix_detach(&matrix));
}

static void check_attach(cw_array array)
{
  cw_matrix matrix = NULL;
  cw_axpy axpy = NULL;
  cw_array deep = make(3, CW_DOUBLE), opaque = make(2, CW_OPAQUE);
  KIT_MISUSE("array is NULL", cw_matrix_attach(NULL, CW_ROW_MAJOR, &matrix));
  KIT_MISUSE("3 dimensions", cw_matrix_attach(deep, CW_ROW_MAJOR, &matrix));
  KIT_MISUSE("order is 7", cw_matrix_attach(array, (cw_matrix_order)7, &matrix));
  KIT_MISUSE("matrix is NULL", cw_matrix_attach(array, CW_ROW_MAJOR, NULL));
  KIT_MISUSE("3 dimensions",
             cw_axpy_attach(deep, CW_ROW_MAJOR, CW_LOCAL_TO_GLOBAL, CW_CONSENSUS, &axpy));
  KIT_MISUSE("CW_OPAQUE",
             cw_axpy_attach(opaque, CW_ROW_MAJOR, CW_LOCAL_TO_GLOBAL, CW_CONSENSUS, &axpy));
  KIT_MISUSE("direction is 2",
             cw_axpy_attach(array, CW_ROW_MAJOR, (cw_axpy_direction)2, CW_CONSENSUS, &axpy));
  KIT_MISUSE("end is 2",
             cw_axpy_attach(array, CW_ROW_MAJOR, CW_LOCAL_TO_GLOBAL, (cw_axpy_end)2, &axpy));
  KIT_MISUSE("axpy is NULL",
             cw_axpy_attach(array, CW_ROW_MAJOR, CW_LOCAL_TO_GLOBAL, CW_CONSENSUS, NULL));
  KIT_MISUSE("axpy is NULL", cw_axpy_add(NULL, NULL, NULL, 0, 0));
  KIT_MISUSE("axpy is NULL", cw_axpy_detach(&axpy));
  /* A matrix whose elements cannot be added to. */
  KIT_MUST(cw_matrix_attach(opaque, CW_ROW_MAJOR, &matrix));
  char three[3] = {1, 2, 3};
  const cw_local_matrix one = {.data = three, .height = 1, .width = 1};
  KIT_OK(cw_matrix_put(matrix, &one, kit_me() % ROWS, 0));
  KIT_MISUSE("CW_OPAQUE", cw_matrix_accumulate(matrix, NULL, &one, 0, 0));
  KIT_MISUSE("type", cw_matrix_fetch_add(matrix, 0, 0, three, NULL));
  KIT_OK(cw_matrix_detach(&matrix));
  KIT_OK(cw_array_destroy(&deep));
  KIT_OK(cw_array_destroy(&opaque));
}

/* Members pass different arguments. */
static void check_differ(cw_array array)
{
  cw_matrix matrix = NULL;
  cw_axpy axpy = NULL;
  if (kit_processes() == 1)
    return;
  KIT_MISUSE("order",
             cw_matrix_attach(array, kit_me() == 0 ? CW_ROW_MAJOR : CW_COLUMN_MAJOR, &matrix));
  KIT_MISUSE("end", cw_axpy_attach(array, CW_ROW_MAJOR, CW_LOCAL_TO_GLOBAL,
                                   kit_me() == 0 ? CW_CONSENSUS : CW_END_OF_MESSAGES, &axpy));
  KIT_MISUSE("",
             cw_matrix_attach(array, kit_me() == 0 ? (cw_matrix_order)7 : CW_ROW_MAJOR, &matrix));
}

int main(int argc, char **argv)
{
  cw_matrix matrix = NULL;
  kit_start_native(&argc, &argv, "matrix_refused");
  cw_array array = make(2, CW_DOUBLE);
  KIT_MUST(cw_matrix_attach(array, CW_ROW_MAJOR, &matrix));
  check_places(matrix);
  check_bounds(array, matrix);
  KIT_OK(cw_matrix_detach(&matrix));
  check_two(array);
  check_outside(array);
  check_attach(array);
  check_differ(array);
  KIT_OK(cw_array_destroy(&array));
  return kit_finish_native();
}
