/* The solvers, by LAPACK on one process and by ScaLAPACK with small blocks: residuals, unchanged
 * operands, singular and indefinite matrices, misuse. */
#include "kit/devices.h"
#include "linear/solving.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Checks that the largest element of op(a) x - b is within rounding errors. */
static void expect_solution(cw_type type, const entry *a, int n, cw_transposition op,
                            const entry *x, const entry *b, int columns)
{
  double worst = 0, scale = 1;
  for (int i = 0; i < n; i++)
    for (int c = 0; c < columns; c++) {
      entry sum = -b[i * columns + c];
      for (int j = 0; j < n; j++)
        sum += operated(a, n, op, i, j) * x[j * columns + c];
      worst = greater(cabs(sum), worst);
      scale = cabs(x[i * columns + c]) > scale ? cabs(x[i * columns + c]) : scale;
    }
  kit_check(worst <= 40 * n * precision(type) * scale, "residual %g, x up to %g", worst, scale);
}

static void solve(cw_type type, int n, int columns, bool positive)
{
  const cw_transposition op = positive ? CW_NOT_TRANSPOSED : (cw_transposition)kit_common(3);
  const int wide = columns > 0 ? columns : 1;
  entry *a = positive ? hermitian_matrix(type, n, true) : random_matrix(type, n, n);
  entry *b = random_matrix(type, n, wide), *x = make_numbers((int64_t)n * wide);
  cw_array pa = positive ? lower_of(type, n, a) : array_of(type, n, n, a);
  cw_array pb = array_of(type, n, columns, b);
  int64_t pivot = -1;
  kit_about("type %d, %d x %d, %d columns, op %d%s, %s, blocks of %d", type, n, n, columns, op,
            positive ? ", positive" : "", limits()->alone_below > 0 ? "alone" : "together",
            limits()->block);
  KIT_OK(positive ? cw_array_solve_positive(pa, pb, &pivot) : cw_array_solve(op, pa, pb, &pivot));
  kit_check_long(pivot, 0, "pivot");
  read_array(pb, x);
  expect_solution(type, a, n, op, x, b, wide);
  if (!positive)
    expect_same(pa, n * n, a, "elements of a that have changed");
  KIT_OK(cw_array_destroy(&pa));
  KIT_OK(cw_array_destroy(&pb));
  free(a);
  free(b);
  free(x);
}

static void invert(cw_type type, int n)
{
  entry *a = hermitian_matrix(type, n, true), *inverse = make_numbers((int64_t)n * n);
  entry *one = make_numbers((int64_t)n * n);
  cw_array pa = lower_of(type, n, a);
  int64_t pivot = -1;
  int skew = 0;
  kit_about("type %d, inverse of %d x %d, %s, blocks of %d", type, n, n,
            limits()->alone_below > 0 ? "alone" : "together", limits()->block);
  KIT_OK(cw_array_invert_positive(pa, &pivot));
  kit_check_long(pivot, 0, "pivot");
  read_array(pa, inverse);
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      skew += i != j && !(inverse[i * n + j] == conj(inverse[j * n + i]));
      one[i * n + j] = i == j;
    }
  kit_check_long(skew, 0, "elements that differ from those across the diagonal");
  expect_solution(type, a, n, CW_NOT_TRANSPOSED, inverse, one, n);
  KIT_OK(cw_array_destroy(&pa));
  free(a);
  free(inverse);
  free(one);
}

/* Checks a v = s v w and v* s v = 1; if s is NULL, it stands for the unit matrix. */
static void expect_vectors(cw_type type, const entry *a, const entry *s, int n, const entry *v,
                           const double *w)
{
  double residual = 0, skew = 0;
  for (int i = 0; i < n; i++)
    for (int k = 0; k < n; k++) {
      entry sum = s != NULL ? 0 : -w[k] * v[i * n + k], product = 0;
      for (int j = 0; j < n; j++) {
        sum += (a[i * n + j] - (s != NULL ? w[k] * s[i * n + j] : 0)) * v[j * n + k];
        for (int l = 0; l < n && s != NULL; l++)
          product += conj(v[j * n + i]) * s[j * n + l] * v[l * n + k];
        product += s != NULL ? 0 : conj(v[j * n + i]) * v[j * n + k];
      }
      residual = greater(cabs(sum), residual);
      skew = greater(cabs(product - (i == k)), skew);
    }
  kit_check(residual <= 60 * n * precision(type), "residual %g", residual);
  kit_check(skew <= 60 * n * precision(type), "the vectors are orthonormal but for %g", skew);
}

/* Returns the eigenvalues, for comparison with the other way to compute them. */
static double *find_eigen(cw_type type, int n, const entry *a, const entry *s, bool into_a)
{
  cw_array pa = lower_of(type, n, a), ps = s != NULL ? lower_of(type, n, s) : NULL, pv = pa;
  double *found = kit_alloc((size_t)n + 1, sizeof *found), *w = kit_alloc((size_t)n, sizeof *w);
  entry *v = make_numbers((int64_t)n * n);
  kit_about("type %d, eigenvalues of %d x %d%s, %s, blocks of %d", type, n, n,
            s != NULL ? ", general" : "", limits()->alone_below > 0 ? "alone" : "together",
            limits()->block);
  if (!into_a)
    pv = array_of(type, n, n, a);
  KIT_OK(cw_array_eigen(pa, ps, NULL, w));
  memset(w, 0, (size_t)n * sizeof *w);
  KIT_OK(cw_array_eigen(pa, ps, pv, w));
  for (int i = 0; i < n; i++)
    found[i] = real_at(type, w, i);
  for (int i = 1; i < n; i++)
    kit_check(found[i] >= found[i - 1], "eigenvalue %d is %g, before it %g", i, found[i],
              found[i - 1]);
  read_array(pv, v);
  expect_vectors(type, a, s, n, v, found);
  if (!into_a)
    KIT_OK(cw_array_destroy(&pv));
  KIT_OK(cw_array_destroy(&pa));
  if (ps != NULL)
    KIT_OK(cw_array_destroy(&ps));
  free(w);
  free(v);
  return found;
}

/* block: 0 for any. */
static void eigen(cw_type type, int n, bool general, int block)
{
  entry *a = hermitian_matrix(type, n, false);
  entry *s = general ? hermitian_matrix(type, n, true) : NULL;
  double *found[2];
  for (int alone = 0; alone < 2; alone++) {
    choose(alone == 1, block);
    found[alone] = find_eigen(type, n, a, s, kit_common(2) == 1);
  }
  for (int i = 0; i < n; i++)
    kit_check(fabs(found[0][i] - found[1][i]) <= 60 * n * precision(type),
              "eigenvalue %d is %g by LAPACK and %g by ScaLAPACK", i, found[1][i], found[0][i]);
  free(found[0]);
  free(found[1]);
  free(a);
  free(s);
}

/* Tries all solvers for one type after the other. */
static void sizes(int largest, int count)
{
  for (int i = 0; i < count; i++) {
    const cw_type type = types[(i + (count < TYPES ? kit_common(TYPES) : 0)) % TYPES];
    const int n = i == 1 ? 1 : 1 + kit_common(i % 5 == 0 ? largest : 20);
    choose(kit_common(3) == 0, 0);
    solve(type, n, kit_common(3) == 0 ? 0 : 1 + kit_common(9), false);
    solve(type, n, kit_common(3) == 0 ? 0 : 1 + kit_common(9), true);
    invert(type, n);
    if (n <= 40)
      eigen(type, n, kit_common(2) == 1, 0);
  }
}

/* One row and column are zero; one element of the diagonal is negative. */
static void test_rejected(cw_type type, int n, bool alone)
{
  const int bad = kit_common(n);
  entry *a = hermitian_matrix(type, n, true), *b = random_matrix(type, n, 2);
  double w[64];
  int64_t pivot = 0;
  choose(alone, 0);
  kit_about("type %d, singular %d x %d, row %d, %s", type, n, n, bad, alone ? "alone" : "together");
  a[bad * n + bad] = -1;
  cw_array indefinite = array_of(type, n, n, a), good = array_of(type, n, n, a);
  for (int i = 0; i < n; i++)
    a[bad * n + i] = a[i * n + bad] = 0;
  cw_array pa = array_of(type, n, n, a), pb = array_of(type, n, 2, b);
  KIT_OK(cw_array_solve(CW_NOT_TRANSPOSED, pa, pb, &pivot));
  kit_check(pivot >= 1 && pivot <= n, "pivot %lld", (long long)pivot);
  KIT_MISUSE("cw_array_solve|regular", cw_array_solve(CW_TRANSPOSED, pa, pb, NULL));
  KIT_OK(cw_array_solve_positive(indefinite, pb, &pivot));
  kit_check_long(pivot, bad + 1, "pivot");
  KIT_MISUSE("positive", cw_array_solve_positive(pa, pb, NULL));
  expect_same(pb, 2 * n, b, "elements of b that have changed");
  KIT_OK(cw_array_invert_positive(pa, &pivot));
  kit_check_long(pivot, bad + 1, "pivot");
  expect_same(pa, n * n, a, "elements of a that have changed");
  KIT_MISUSE("cw_array_eigen|positive", cw_array_eigen(good, indefinite, NULL, w));
  KIT_OK(cw_array_destroy(&indefinite));
  KIT_OK(cw_array_destroy(&good));
  KIT_OK(cw_array_destroy(&pa));
  KIT_OK(cw_array_destroy(&pb));
  free(a);
  free(b);
}

/* One number of the lower triangle is NaN, or a sum overflows. */
static void infinite(cw_type type, int n, bool alone)
{
  const int column = kit_common(n), row = column + kit_common(n - column);
  const double large = is_single(type) ? 3e38 : 1.5e308;
  const entry grows[4] = {1, large, -1, large};
  entry *a = hermitian_matrix(type, n, true), *b = random_matrix(type, n, 2);
  double w[64];
  int64_t pivot = 0;
  choose(alone, 0);
  kit_about("type %d, %d x %d without row %d, column %d, %s", type, n, n, row, column,
            alone ? "alone" : "together");
  cw_array good = array_of(type, n, n, a), pb = array_of(type, n, 2, b);
  a[row * n + column] = kit_common(2) == 0 ? NAN : -INFINITY;
  cw_array pa = array_of(type, n, n, a), huge = array_of(type, 2, 2, grows);
  cw_array sides = array_of(type, 2, 0, grows);
  KIT_OK(cw_array_solve(CW_NOT_TRANSPOSED, pa, pb, &pivot));
  kit_check_long(pivot, column + 1, "pivot of LU");
  KIT_MISUSE("cw_array_solve|regular", cw_array_solve(CW_TRANSPOSED, pa, pb, NULL));
  KIT_OK(cw_array_solve_positive(pa, pb, &pivot));
  kit_check_long(pivot, column + 1, "pivot of Cholesky");
  expect_same(pb, 2 * n, b, "elements of b that have changed");
  KIT_OK(cw_array_invert_positive(pa, &pivot));
  kit_check_long(pivot, column + 1, "pivot of the inverse");
  KIT_MISUSE("cw_array_eigen|not finite", cw_array_eigen(pa, NULL, NULL, w));
  KIT_MISUSE("cw_array_eigen|not finite", cw_array_eigen(good, pa, NULL, w));
  KIT_OK(cw_array_solve(CW_NOT_TRANSPOSED, huge, sides, &pivot));
  kit_check_long(pivot, 2, "pivot that overflows");
  cw_array *const made[] = {&good, &pa, &pb, &huge, &sides};
  for (int i = 0; i < 5; i++)
    KIT_OK(cw_array_destroy(made[i]));
  free(a);
  free(b);
}

static void misuse(void)
{
  const int64_t line[1] = {4};
  cw_array a = make_matrix(CW_DOUBLE, 4, 4, 0), b = make_matrix(CW_DOUBLE, 4, 2, 0);
  cw_array whole = make_matrix(CW_LONG, 4, 4, 0), single = make_matrix(CW_FLOAT, 4, 4, 0);
  cw_array small = make_matrix(CW_DOUBLE, 3, 3, 0), vector = make_array(CW_DOUBLE, 1, line, 0);
  double w[4];
  int64_t pivot;
  kit_about("misuse");
  KIT_MISUSE("cw_array_solve|a is NULL", cw_array_solve(CW_NOT_TRANSPOSED, NULL, b, &pivot));
  KIT_MISUSE("b is NULL", cw_array_solve(CW_NOT_TRANSPOSED, a, NULL, &pivot));
  KIT_MISUSE("op is 7", cw_array_solve((cw_transposition)7, a, b, &pivot));
  KIT_MISUSE("a and b are both", cw_array_solve(CW_NOT_TRANSPOSED, a, a, &pivot));
  KIT_MISUSE("square", cw_array_solve_positive(b, a, &pivot));
  KIT_MISUSE("square", cw_array_solve_positive(vector, b, &pivot));
  KIT_MISUSE("type is CW_LONG", cw_array_solve_positive(whole, b, &pivot));
  KIT_MISUSE("b is array|type CW_FLOAT", cw_array_solve_positive(a, single, &pivot));
  KIT_MISUSE("vector or matrix of 4 rows", cw_array_solve_positive(a, small, &pivot));
  KIT_MISUSE("square", cw_array_invert_positive(b, &pivot));
  KIT_MISUSE("s is array", cw_array_eigen(a, small, NULL, w));
  KIT_MISUSE("v is array", cw_array_eigen(a, NULL, b, w));
  KIT_MISUSE("both", cw_array_eigen(a, a, NULL, w));
  KIT_MISUSE("w is NULL", cw_array_eigen(a, NULL, NULL, NULL));
  cw_array *const made[] = {&a, &b, &whole, &single, &small, &vector};
  for (int i = 0; i < 6; i++)
    KIT_OK(cw_array_destroy(made[i]));
}

int main(int argc, char **argv)
{
  kit_start_native(&argc, &argv, "linear solvers");
  kit_take_devices(&argc, argv);
  const int largest = argc > 1 ? atoi(argv[1]) : 130;
  sizes(largest, argc > 2 ? atoi(argv[2]) : 24);
  if (largest >= 100) /* on two processes one has much less of the last block */
    for (int i = 0; i < TYPES; i++)
      eigen(types[i], 100, false, 64);
  test_rejected(types[kit_common(TYPES)], 1 + kit_common(30), true);
  test_rejected(types[kit_common(TYPES)], 1 + kit_common(30), false);
  test_rejected(types[kit_common(TYPES)], 1, false);
  infinite(types[kit_common(TYPES)], 1 + kit_common(30), true);
  infinite(types[kit_common(TYPES)], 1 + kit_common(30), false);
  misuse();
  kit_close_devices();
  return kit_finish_native();
}
