/* Calls of causeway/arithmetic.h: operations on two vectors of eight elements and a matrix. */
#include "expect.h"

enum { N = 8 };

static cw_array make(const char *name, cw_type type, int dimensions)
{
  const int64_t extents[2] = {N, N};
  const cw_array_options options = {
      .name = name, .type = type, .dimensions = dimensions, .extents = extents};
  cw_array array = NULL;
  CW_MUST(cw_array_create(cw_team_world(), &options, &array));
  return array;
}

static double element(cw_array array, int64_t i)
{
  double value = 0;
  CW_MUST(cw_array_get(array, &i, &i, &value, NULL));
  return value;
}

static void vectors(cw_array x, cw_array y)
{
  const double start_at = 1, step = 2, ten = 10, low = 3, high = 9;
  const cw_operand from = {.array = x}, to = {.array = y};
  CW_MUST(cw_array_enumerate(x, NULL, NULL, &start_at, &step)); /* 1 3 5 ... 15 */
  CW_MUST(cw_array_copy(&from, &to));
  CW_MUST(cw_array_apply(y, NULL, NULL, CW_SCALE, &ten));
  EXPECT(element(y, 1) == 30);

  double dot = 0, value = 0, norm = 0;
  int64_t index = -1;
  CW_MUST(cw_array_dot(&from, &from, &dot));
  EXPECT(dot == 680);
  CW_MUST(cw_array_norm(x, NULL, NULL, CW_NORM_MAXIMUM, &norm));
  EXPECT(norm == 15);
  CW_MUST(cw_array_select(x, NULL, NULL, true, &value, &index));
  EXPECT(value == 15 && index == N - 1);
  CW_MUST(cw_array_combine(CW_ELEMENT_SUM, NULL, &from, NULL, &to, &to)); /* y = x + y */
  EXPECT(element(y, 0) == 11);

  /* x may be subtracted 11 times from y before an element is below 0. */
  const double minus = -1;
  CW_MUST(cw_array_apply(x, NULL, NULL, CW_SCALE, &minus));
  CW_MUST(cw_array_step(&to, &from, NULL, NULL, &value, NULL));
  EXPECT(value == 11);
  CW_MUST(cw_array_apply(x, NULL, NULL, CW_SCALE, &minus));

  /* Elements are limited to the range from 3 to 9. */
  cw_array least = make("least", CW_DOUBLE, 1), most = make("most", CW_DOUBLE, 1);
  CW_MUST(cw_array_fill(least, NULL, NULL, &low));
  CW_MUST(cw_array_fill(most, NULL, NULL, &high));
  CW_MUST(cw_array_median(&from, &(cw_operand){.array = least}, &(cw_operand){.array = most}, &to));
  EXPECT(element(y, 0) == 3 && element(y, N - 1) == 9);
  CW_MUST(cw_array_destroy(&least));
  CW_MUST(cw_array_destroy(&most));
}

/* Elements 0 and 4 begin a segment each. */
static void segments(cw_array x, cw_array y)
{
  cw_array mask = make("mask", CW_INT, 1);
  const int64_t begins[2] = {0, 4};
  const int ones[2] = {1, 1};
  int64_t count = 0;
  CW_MUST(cw_array_fill(mask, NULL, NULL, NULL));
  if (cw_process() == 0)
    CW_MUST(cw_array_scatter(mask, 2, begins, ones));
  CW_MUST(cw_array_scan_copy(x, y, mask, 0, N - 1)); /* 1 1 1 1 9 9 9 9 */
  EXPECT(element(y, 3) == 1 && element(y, 7) == 9);
  CW_MUST(cw_array_scan_add(x, y, mask, 0, N - 1, false)); /* 1 4 9 16 9 20 ... */
  EXPECT(element(y, 3) == 16 && element(y, 5) == 20);
  CW_MUST(cw_array_pack(x, y, mask, 0, N - 1, &count));
  EXPECT(count == 2 && element(y, 1) == 9);
  CW_MUST(cw_array_unpack(y, x, mask, 0, N - 1, &count));
  EXPECT(count == 2 && element(x, 4) == 9);
  CW_MUST(cw_array_destroy(&mask));
}

static void matrices(cw_array x)
{
  cw_array a = make("matrix", CW_DOUBLE, 2);
  const double two = 2;
  double sum = 0;
  CW_MUST(cw_array_randomize(a, NULL, NULL, NULL, 1));
  CW_MUST(cw_array_symmetrize(a));
  CW_MUST(cw_array_fill(a, NULL, NULL, NULL));
  CW_MUST(cw_array_diagonal(a, CW_DIAGONAL_SHIFT, NULL, &two));
  CW_MUST(cw_array_scale_slices(a, 0, x)); /* row i by x[i] */
  CW_MUST(cw_array_norm(a, NULL, NULL, CW_NORM_SUM, &sum));
  EXPECT(sum == 2 * 64);
  CW_MUST(cw_array_destroy(&a));
}

int main(int argc, char **argv)
{
  start(&argc, &argv);
  cw_array x = make("x", CW_DOUBLE, 1), y = make("y", CW_DOUBLE, 1);
  vectors(x, y);
  segments(x, y);
  matrices(x);
  CW_MUST(cw_array_destroy(&x));
  CW_MUST(cw_array_destroy(&y));
  return stop();
}
