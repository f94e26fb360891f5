/* Attached matrices and AXPY epochs, for runs in which one call of the library fails. */
#include "arrays.h"
#include "verdict.h"

#include <causeway/arithmetic.h>
#include <causeway/matrix.h>

enum { TILE = 20 };

static double tile[TILE][TILE];

static void fill(double value)
{
  for (int i = 0; i < TILE * TILE; i++)
    tile[i / TILE][i % TILE] = value;
}

static void expect_tile(double value)
{
  for (int i = 0; i < TILE * TILE; i++)
    expect(tile[i / TILE][i % TILE] == value, "a tile is wrong");
}

/* A failed put may be repeated; an accumulate may not. */
static void one_sided(cw_array array)
{
  cw_matrix matrix = NULL;
  const cw_local_matrix local = {
      .data = tile, .height = TILE, .width = TILE, .order = CW_COLUMN_MAJOR};
  TOGETHER(2, cw_matrix_attach(array, CW_ROW_MAJOR, &matrix));
  fill(3);
  if (me == 0) {
    MUST(cw_matrix_put(matrix, &local, 5, 6));
    MUST(cw_matrix_iput(matrix, &local, 5, 6));
    MUST(cw_matrix_flush(matrix, NULL));
  }
  TOGETHER(2, cw_array_sync(array));
  fill(0);
  MUST(cw_matrix_iget(matrix, &local, 5, 6));
  MUST(cw_matrix_flush_local(matrix, &local));
  expect_tile(3);
  TOGETHER(2, cw_array_sync(array));
  while (matrix != NULL && again_together("cw_matrix_detach", cw_matrix_detach(&matrix), 2))
    continue;
}

/* Uses one element, which is added completely or not at all. */
static void epochs(cw_array array)
{
  const double zero = 0;
  for (int end = 0; end < 2; end++) {
    cw_axpy axpy = NULL;
    double number = 1, seen = 5;
    const cw_local_matrix one = {.data = &number, .height = 1, .width = 1};
    const cw_local_matrix there = {.data = &seen, .height = 1, .width = 1};
    TOGETHER(2, cw_array_fill(array, NULL, NULL, &zero));
    TOGETHER(2, cw_axpy_attach(array, CW_ROW_MAJOR, CW_LOCAL_TO_GLOBAL, (cw_axpy_end)end, &axpy));
    MUST(cw_axpy_add(axpy, NULL, &one, me, me));
    MUST(cw_axpy_add(axpy, NULL, &one, EDGE - 1, EDGE - 1));
    while (axpy != NULL && again_together("cw_axpy_detach", cw_axpy_detach(&axpy), 2))
      continue;
    TOGETHER(2, cw_array_sync(array));
    TOGETHER(2, cw_axpy_attach(array, CW_ROW_MAJOR, CW_GLOBAL_TO_LOCAL, (cw_axpy_end)end, &axpy));
    MUST(cw_axpy_add(axpy, NULL, &there, EDGE - 1, EDGE - 1));
    expect(seen == 7, "a sum of an epoch is wrong");
    while (axpy != NULL && again_together("cw_axpy_detach", cw_axpy_detach(&axpy), 2))
      continue;
  }
}

void attached(void)
{
  static const int kinds_tried[] = {0, 3, 4};
  for (unsigned n = 0; n < sizeof kinds_tried / sizeof kinds_tried[0]; n++) {
    const double zero = 0;
    cw_array array = make_matrix(kinds_tried[n], "attached");
    doing = "attached matrices";
    TOGETHER(2, cw_array_fill(array, NULL, NULL, &zero));
    one_sided(array);
    doing = "AXPY epochs";
    epochs(array);
    drop(&array);
  }
}
