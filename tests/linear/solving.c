/* Implements tests/linear/solving.h. */
#include "linear/solving.h"

#include <math.h>
#include <stdlib.h>

double precision(cw_type type)
{
  return is_single(type) ? 1.2e-7 : 2.3e-16;
}

static struct cwi_solver_limits limits_now;

const struct cwi_solver_limits *limits(void)
{
  return &limits_now;
}

/* See solving.h. */
void choose(bool alone, int block)
{
  const int any = 1 + kit_common(12);
  limits_now.alone_below = alone ? 1000000 : 0;
  limits_now.block = block > 0 ? block : any;
  limits_now.follow_from = 1;
  limits_now.follow_to = kit_common(3) > 0 ? 64 : 0;
  cwi_grid_limit(limits_now);
}

/* Returns a number rounded to a type. */
entry rounded(cw_type type, entry value)
{
  double element[2];
  to_element(type, value, element);
  return from_element(type, element);
}

entry *random_matrix(cw_type type, int rows, int columns)
{
  entry *made = make_numbers((int64_t)rows * columns);
  for (int i = 0; i < rows * columns; i++)
    made[i] = rounded(type, some_real(type));
  return made;
}

/* Makes a Hermitian matrix, positive definite if `positive`. */
entry *hermitian_matrix(cw_type type, int n, bool positive)
{
  entry *a = random_matrix(type, n, n), *made = make_numbers((int64_t)n * n);
  for (int i = 0; i < n; i++)
    for (int j = 0; j <= i; j++) {
      entry sum = positive ? (i == j) : a[i * n + j];
      for (int k = 0; k < n && positive; k++)
        sum += a[i * n + k] * conj(a[j * n + k]) / n;
      made[i * n + j] = rounded(type, i == j ? creal(sum) : sum);
      made[j * n + i] = conj(made[i * n + j]);
    }
  free(a);
  return made;
}

cw_array array_of(cw_type type, int rows, int columns, const entry *values)
{
  const int64_t extents[2] = {rows, columns};
  cw_array array = make_array(type, columns > 0 ? 2 : 1, extents, kit_common(DISTRIBUTIONS));
  write_array(array, values);
  return array;
}

/* Like array_of, with NaNs above the diagonal, which must not be read. */
cw_array lower_of(cw_type type, int n, const entry *values)
{
  entry *spoilt = make_numbers((int64_t)n * n);
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      spoilt[i * n + j] = j > i ? NAN : values[i * n + j];
  cw_array array = array_of(type, n, n, spoilt);
  free(spoilt);
  return array;
}

void expect_same(cw_array array, int count, const entry *values, const char *what)
{
  entry *got = make_numbers(count);
  int wrong = 0;
  read_array(array, got);
  for (int i = 0; i < count; i++)
    wrong += !(got[i] == values[i]);
  kit_check_long(wrong, 0, what);
  free(got);
}

/* Returns the greater number; NaN counts as the greatest. */
double greater(double a, double b)
{
  return isnan(a) || a > b ? a : b;
}

entry operated(const entry *a, int columns, cw_transposition op, int row, int column)
{
  if (op == CW_NOT_TRANSPOSED)
    return a[row * columns + column];
  const entry value = a[column * columns + row];
  return op == CW_TRANSPOSED ? value : conj(value);
}

double real_at(cw_type type, const double *values, int i)
{
  return is_single(type) ? (double)((const float *)values)[i] : values[i];
}
