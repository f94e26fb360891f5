/* Factors: LU, Cholesky and QR, solutions by them, least squares, singular values; by LAPACK on one
 * process and by ScaLAPACK with small blocks. */
#include "kit/devices.h"
#include "linear/solving.h"

#include "solvers/lapack.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

void pb_topget_(const int *context, const char *what, const char *scope, char *topology);
void pb_topset_(const int *context, const char *what, const char *scope, const char *topology);

/* A local matrix, which is freed after its use. */
struct plain {
  entry *at;
  int rows, columns;
};

static struct plain zeros(int rows, int columns)
{
  return (struct plain){make_numbers((int64_t)rows * columns), rows, columns};
}

static struct plain drawn(cw_type type, int rows, int columns)
{
  return (struct plain){random_matrix(type, rows, columns), rows, columns};
}

static struct plain read_plain(cw_array array, int rows, int columns)
{
  struct plain made = zeros(rows, columns);
  read_array(array, made.at);
  return made;
}

static entry *element(const struct plain *matrix, int row, int column)
{
  return &matrix->at[row * matrix->columns + column];
}

static struct plain product(const struct plain *a, cw_transposition ta, const struct plain *b)
{
  const int rows = ta == CW_NOT_TRANSPOSED ? a->rows : a->columns;
  const int depth = ta == CW_NOT_TRANSPOSED ? a->columns : a->rows;
  struct plain made = zeros(rows, b->columns);
  for (int i = 0; i < rows; i++)
    for (int k = 0; k < depth; k++)
      for (int j = 0; j < b->columns; j++)
        *element(&made, i, j) += operated(a->at, a->columns, ta, i, k) * *element(b, k, j);
  return made;
}

static double distance(const struct plain *a, const struct plain *b)
{
  double most = 0;
  for (int i = 0; i < a->rows * a->columns; i++)
    most = greater(cabs(a->at[i] - b->at[i]), most);
  return most;
}

/* Checks that the columns are orthonormal. */
static void expect_orthonormal(cw_type type, const struct plain *q, const char *what)
{
  struct plain square = product(q, CW_CONJUGATE_TRANSPOSED, q), one = zeros(q->columns, q->columns);
  for (int i = 0; i < q->columns; i++)
    *element(&one, i, i) = 1;
  const double off = distance(&square, &one);
  kit_check(off <= 30 * (q->rows + 1) * precision(type), "%s is orthonormal but for %g", what, off);
  free(square.at);
  free(one.at);
}

static void expect_near(cw_type type, const struct plain *got, const struct plain *want,
                        double scale, const char *what)
{
  const double off = distance(got, want);
  kit_check(off <= 60 * (got->rows + got->columns) * precision(type) * scale, "%s is off by %g",
            what, off);
}

static void about(const char *what, cw_type type, int rows, int columns)
{
  kit_about("%s, type %d, %d x %d, %s, blocks of %d", what, type, rows, columns,
            limits()->alone_below > 0 ? "alone" : "together", limits()->block);
}

/* --- LU and Cholesky -------------------------------------------------------------------------- */

/* Copies L from below the diagonal and U from the rest. */
static void split(const struct plain *lu, struct plain *l, struct plain *u)
{
  const int k = lu->rows < lu->columns ? lu->rows : lu->columns;
  *l = zeros(lu->rows, k);
  *u = zeros(k, lu->columns);
  for (int i = 0; i < lu->rows; i++)
    for (int j = 0; j < lu->columns; j++)
      if (j < i)
        *element(l, i, j) = *element(lu, i, j);
      else
        *element(u, i, j) = *element(lu, i, j);
  for (int i = 0; i < k; i++)
    *element(l, i, i) = 1;
}

static void expect_lu(cw_type type, const struct plain *a, cw_array factors, const int64_t *order)
{
  struct plain lu = read_plain(factors, a->rows, a->columns), l, u;
  struct plain permuted = zeros(a->rows, a->columns);
  double most = 0;
  split(&lu, &l, &u);
  for (int i = 0; i < a->rows; i++) {
    const bool row = order[i] >= 0 && order[i] < a->rows;
    kit_check(row, "order[%d] is %lld", i, (long long)order[i]);
    for (int j = 0; j < a->columns && row; j++)
      *element(&permuted, i, j) = *element(a, (int)order[i], j);
  }
  for (int i = 0; i < l.rows * l.columns; i++)
    most = greater(cabs(l.at[i]), most);
  kit_check(most <= (is_complex(type) ? 1.5 : 1.0001), "an element of L is %g", most);
  struct plain again = product(&l, CW_NOT_TRANSPOSED, &u);
  expect_near(type, &again, &permuted, 4, "L U");
  struct plain *const all[] = {&lu, &l, &u, &permuted, &again};
  for (int i = 0; i < 5; i++)
    free(all[i]->at);
}

/* Checks solutions of op(a) x = b by the factors. */
static void expect_lu_solves(cw_type type, const struct plain *a, cw_array factors,
                             const int64_t *order)
{
  const cw_transposition op = (cw_transposition)kit_common(3);
  const int columns = kit_common(4), wide = columns > 0 ? columns : 1;
  struct plain b = drawn(type, a->rows, wide);
  cw_array pb = array_of(type, a->rows, columns, b.at);
  double scale = 1;
  KIT_OK(cw_array_lu_solve(op, factors, order, pb));
  struct plain x = read_plain(pb, a->rows, wide), again = product(a, op, &x);
  for (int i = 0; i < a->rows * wide; i++)
    scale = greater(cabs(x.at[i]), scale);
  expect_near(type, &again, &b, scale, "a x");
  KIT_OK(cw_array_destroy(&pb));
  free(b.at);
  free(x.at);
  free(again.at);
}

static void lu(cw_type type, int rows, int columns)
{
  struct plain a = drawn(type, rows, columns);
  int64_t *order = kit_alloc((size_t)rows, sizeof *order), pivot = -1;
  cw_array pa = array_of(type, rows, columns, a.at);
  about("LU", type, rows, columns);
  KIT_OK(cw_array_lu(pa, order, &pivot));
  kit_check_long(pivot, 0, "pivot");
  expect_lu(type, &a, pa, order);
  if (rows == columns)
    expect_lu_solves(type, &a, pa, order);
  KIT_OK(cw_array_destroy(&pa));
  free(order);
  free(a.at);
}

static void cholesky(cw_type type, int n)
{
  struct plain a = {hermitian_matrix(type, n, true), n, n}, transposed = zeros(n, n);
  int64_t pivot = -1;
  int above = 0;
  cw_array pa = lower_of(type, n, a.at);
  about("Cholesky", type, n, n);
  KIT_OK(cw_array_cholesky(pa, &pivot));
  kit_check_long(pivot, 0, "pivot");
  struct plain l = read_plain(pa, n, n);
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      *element(&transposed, j, i) = conj(*element(&l, i, j));
      above += j > i && !(*element(&l, i, j) == 0);
    }
  kit_check_long(above, 0, "elements above the diagonal that are not 0");
  struct plain again = product(&l, CW_NOT_TRANSPOSED, &transposed);
  expect_near(type, &again, &a, 4, "L L*");
  KIT_OK(cw_array_destroy(&pa));
  struct plain *const all[] = {&a, &transposed, &l, &again};
  for (int i = 0; i < 4; i++)
    free(all[i]->at);
}

/* Elements outside the triangle must not be read. */
static void triangular(cw_type type, int n, cw_triangle triangle)
{
  const bool upper = triangle == CW_UPPER_TRIANGLE || triangle == CW_UNIT_UPPER_TRIANGLE;
  const bool unit = triangle == CW_UNIT_LOWER_TRIANGLE || triangle == CW_UNIT_UPPER_TRIANGLE;
  const cw_transposition op = (cw_transposition)kit_common(3);
  const int columns = kit_common(4), wide = columns > 0 ? columns : 1;
  struct plain t = drawn(type, n, n), b = drawn(type, n, wide), spoilt = zeros(n, n);
  int64_t pivot = -1;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      entry *at = element(&t, i, j);
      const bool outside = upper ? j < i : j > i;
      *at = outside ? 0 : i == j ? 1 + (unit ? 0 : *at / 2) : rounded(type, *at / n);
      *at = rounded(type, *at);
      *element(&spoilt, i, j) = outside || (unit && i == j) ? NAN : *at;
    }
  cw_array pt = array_of(type, n, n, spoilt.at), pb = array_of(type, n, columns, b.at);
  about(upper ? "upper triangle" : "lower triangle", type, n, n);
  KIT_OK(cw_array_solve_triangular(triangle, op, pt, pb, &pivot));
  kit_check_long(pivot, 0, "pivot");
  struct plain x = read_plain(pb, n, wide), again = product(&t, op, &x);
  expect_near(type, &again, &b, 20, "T x");
  KIT_OK(cw_array_destroy(&pt));
  KIT_OK(cw_array_destroy(&pb));
  struct plain *const all[] = {&t, &b, &spoilt, &x, &again};
  for (int i = 0; i < 5; i++)
    free(all[i]->at);
}

/* --- QR, least squares, singular values ------------------------------------------------------- */

static void expect_qr(cw_type type, const struct plain *a, cw_array pq, cw_array pr)
{
  const int k = a->rows < a->columns ? a->rows : a->columns;
  struct plain q = read_plain(pq, a->rows, k), r = read_plain(pr, k, a->columns);
  int below = 0;
  for (int i = 0; i < k; i++)
    for (int j = 0; j < i; j++)
      below += !(*element(&r, i, j) == 0);
  kit_check_long(below, 0, "elements of r below the diagonal that are not 0");
  struct plain again = product(&q, CW_NOT_TRANSPOSED, &r);
  expect_near(type, &again, a, 4, "q r");
  expect_orthonormal(type, &q, "q");
  free(q.at);
  free(r.at);
  free(again.at);
}

/* q or r may replace a; either may be computed alone. */
static void qr(cw_type type, int rows, int columns)
{
  const int k = rows < columns ? rows : columns;
  struct plain a = drawn(type, rows, columns);
  cw_array pa = array_of(type, rows, columns, a.at), pq, pr;
  struct plain nothing = zeros(rows, columns);
  about("QR", type, rows, columns);
  pq = array_of(type, rows, k, nothing.at);
  pr = array_of(type, k, columns, nothing.at);
  KIT_OK(cw_array_qr(pa, NULL, pr));
  KIT_OK(cw_array_qr(pa, pq, NULL));
  expect_qr(type, &a, pq, pr);
  expect_same(pa, rows * columns, a.at, "elements of a that have changed");
  if (rows >= columns) {
    KIT_OK(cw_array_qr(pa, pa, pr));
    expect_qr(type, &a, pa, pr);
  } else {
    KIT_OK(cw_array_qr(pa, pq, pa));
    expect_qr(type, &a, pq, pa);
  }
  cw_array *const made[] = {&pa, &pq, &pr};
  for (int i = 0; i < 3; i++)
    KIT_OK(cw_array_destroy(made[i]));
  free(a.at);
  free(nothing.at);
}

/* The residual of b is orthogonal to the columns of a. Where there are many solutions, x is a
 * combination of a's rows, which can be reached for another right-hand side. */
static void least_squares(cw_type type, int rows, int columns)
{
  const int sides = kit_common(4), wide = sides > 0 ? sides : 1;
  struct plain a = drawn(type, rows, columns), b = drawn(type, rows, wide);
  struct plain nothing = zeros(columns, wide);
  cw_array pa = array_of(type, rows, columns, a.at), pb = array_of(type, rows, sides, b.at);
  cw_array px = array_of(type, columns, sides, nothing.at);
  int64_t pivot = -1;
  double scale = 1;
  about("least squares", type, rows, columns);
  KIT_OK(cw_array_least_squares(pa, pb, px, &pivot));
  kit_check_long(pivot, 0, "pivot");
  struct plain x = read_plain(px, columns, wide), rest = product(&a, CW_NOT_TRANSPOSED, &x);
  for (int i = 0; i < columns * wide; i++)
    scale = greater(cabs(x.at[i]), scale);
  for (int i = 0; i < rows * wide; i++)
    rest.at[i] -= b.at[i];
  struct plain seen = product(&a, CW_CONJUGATE_TRANSPOSED, &rest), none = zeros(columns, wide);
  expect_near(type, &seen, &none, scale * (rows + columns), "a* (a x - b)");
  if (rows <= columns) {
    struct plain exact = zeros(rows, wide);
    expect_near(type, &rest, &exact, scale * columns, "a x - b");
    free(exact.at);
  }
  expect_same(pa, rows * columns, a.at, "elements of a that have changed");
  expect_same(pb, rows * wide, b.at, "elements of b that have changed");
  cw_array *const made[] = {&pa, &pb, &px};
  for (int i = 0; i < 3; i++)
    KIT_OK(cw_array_destroy(made[i]));
  struct plain *const all[] = {&a, &b, &nothing, &x, &rest, &seen, &none};
  for (int i = 0; i < 7; i++)
    free(all[i]->at);
}

/* Scaling columns (or rows) by very different units does not change which are independent. Powers
 * of two change no digit. */
static void units(cw_type type, int rows, int columns)
{
  const bool tall = rows > columns;
  const int k = tall ? columns : rows, bad = 1 + kit_common(k - 1);
  struct plain a = drawn(type, rows, columns), b = drawn(type, rows, 1), x = zeros(columns, 1);
  cw_array pa = array_of(type, rows, columns, a.at), pb = array_of(type, rows, 0, b.at);
  cw_array px = array_of(type, columns, 0, x.at);
  int64_t pivot = -1;
  about("least squares of many units", type, rows, columns);
  KIT_OK(cw_array_least_squares(pa, pb, px, &pivot));
  read_array(px, x.at);
  for (int i = 0; i < k; i++) {
    const double unit =
        ldexp(1, kit_common(is_single(type) ? 40 : 200) - (is_single(type) ? 20 : 100));
    for (int j = 0; j < (tall ? rows : columns); j++)
      *(tall ? element(&a, j, i) : element(&a, i, j)) *= unit;
    if (tall)
      x.at[i] /= unit;
    else
      b.at[i] *= unit;
  }
  write_array(pa, a.at);
  write_array(pb, b.at);
  KIT_OK(cw_array_least_squares(pa, pb, px, &pivot));
  kit_check_long(pivot, 0, "pivot");
  struct plain got = read_plain(px, columns, 1);
  for (int i = 0; i < columns; i++)
    kit_check(cabs(got.at[i] - x.at[i]) <=
                  1000 * (rows + columns) * precision(type) * (cabs(x.at[i]) + (tall ? 0 : 1)),
              "x[%d] is off by %g", i, cabs(got.at[i] - x.at[i]));
  for (int j = 0; j < (tall ? rows : columns); j++)
    *(tall ? element(&a, j, bad) : element(&a, bad, j)) =
        4 * (tall ? *element(&a, j, bad - 1) : *element(&a, bad - 1, j));
  write_array(pa, a.at);
  KIT_OK(cw_array_least_squares(pa, pb, px, &pivot));
  kit_check_long(pivot, bad + 1, "pivot of a multiple of the one before");
  cw_array *const made[] = {&pa, &pb, &px};
  for (int i = 0; i < 3; i++)
    KIT_OK(cw_array_destroy(made[i]));
  struct plain *const all[] = {&a, &b, &x, &got};
  for (int i = 0; i < 4; i++)
    free(all[i]->at);
}

/* The shortest of many solutions: x = a* (a a*)^-1 b, which LU computes in another way. */
static void shortest(cw_type type, int rows, int columns)
{
  struct plain a = drawn(type, rows, columns), b = drawn(type, rows, 1);
  struct plain adjoint = zeros(columns, rows), nothing = zeros(columns, 1);
  for (int i = 0; i < rows; i++)
    for (int j = 0; j < columns; j++)
      *element(&adjoint, j, i) = conj(*element(&a, i, j));
  struct plain square = product(&a, CW_NOT_TRANSPOSED, &adjoint);
  cw_array pa = array_of(type, rows, columns, a.at), pb = array_of(type, rows, 0, b.at);
  cw_array px = array_of(type, columns, 0, nothing.at), ps = array_of(type, rows, rows, square.at);
  about("the shortest solution", type, rows, columns);
  KIT_OK(cw_array_least_squares(pa, pb, px, NULL));
  KIT_OK(cw_array_solve(CW_NOT_TRANSPOSED, ps, pb, NULL));
  struct plain x = read_plain(px, columns, 1), y = read_plain(pb, rows, 1);
  struct plain want = product(&adjoint, CW_NOT_TRANSPOSED, &y);
  expect_near(type, &x, &want, 2000, "x");
  cw_array *const made[] = {&pa, &pb, &px, &ps};
  for (int i = 0; i < 4; i++)
    KIT_OK(cw_array_destroy(made[i]));
  struct plain *const all[] = {&a, &b, &adjoint, &nothing, &square, &x, &y, &want};
  for (int i = 0; i < 8; i++)
    free(all[i]->at);
}

/* Checks u diagonal(s) vh = a, and that the singular values are the same without vectors. */
static void expect_svd(cw_type type, const struct plain *a, cw_array pu, const double *s,
                       cw_array pvh)
{
  const int k = a->rows < a->columns ? a->rows : a->columns;
  struct plain u = read_plain(pu, a->rows, k), vh = read_plain(pvh, k, a->columns);
  struct plain scaled = zeros(k, a->columns), v = zeros(a->columns, k);
  for (int i = 0; i < k; i++) {
    const double value = real_at(type, s, i);
    kit_check(value >= 0 && (i == 0 || value <= real_at(type, s, i - 1)), "singular value %d is %g",
              i, value);
    for (int j = 0; j < a->columns; j++) {
      *element(&scaled, i, j) = value * *element(&vh, i, j);
      *element(&v, j, i) = conj(*element(&vh, i, j));
    }
  }
  struct plain again = product(&u, CW_NOT_TRANSPOSED, &scaled);
  expect_near(type, &again, a, 10, "u s vh");
  expect_orthonormal(type, &u, "u");
  expect_orthonormal(type, &v, "v");
  struct plain *const all[] = {&u, &vh, &scaled, &v, &again};
  for (int i = 0; i < 5; i++)
    free(all[i]->at);
}

static void svd(cw_type type, int rows, int columns)
{
  const int k = rows < columns ? rows : columns;
  struct plain a = drawn(type, rows, columns), nothing = zeros(rows, columns);
  double *s = kit_alloc((size_t)k, sizeof *s), *alone = kit_alloc((size_t)k, sizeof *alone);
  cw_array pa = array_of(type, rows, columns, a.at), pu = array_of(type, rows, k, nothing.at);
  cw_array pvh = array_of(type, k, columns, nothing.at);
  about("SVD", type, rows, columns);
  KIT_OK(cw_array_svd(pa, NULL, alone, NULL));
  KIT_OK(cw_array_svd(pa, pu, s, NULL));
  KIT_OK(cw_array_svd(pa, NULL, s, pvh));
  expect_same(pa, rows * columns, a.at, "elements of a that have changed");
  KIT_OK(cw_array_svd(pa, pu, s, pvh));
  expect_svd(type, &a, pu, s, pvh);
  for (int i = 0; i < k; i++)
    kit_check(fabs(real_at(type, s, i) - real_at(type, alone, i)) <=
                  30 * (rows + columns) * precision(type),
              "singular value %d is %g, and %g without vectors", i, real_at(type, s, i),
              real_at(type, alone, i));
  if (rows >= columns)
    KIT_OK(cw_array_svd(pa, pa, s, pvh));
  else
    KIT_OK(cw_array_svd(pa, pu, s, pa));
  expect_svd(type, &a, rows >= columns ? pa : pu, s, rows >= columns ? pvh : pa);
  cw_array *const made[] = {&pa, &pu, &pvh};
  for (int i = 0; i < 3; i++)
    KIT_OK(cw_array_destroy(made[i]));
  free(a.at);
  free(nothing.at);
  free(s);
  free(alone);
}

/* Few elements are nonzero, with very different magnitudes. If each process distinguished 0 from
 * tiny numbers by its own part alone, processes would take different branches. */
static void svd_of_few(cw_type type, int rows, int columns)
{
  const int k = rows < columns ? rows : columns;
  struct plain a = drawn(type, rows, columns);
  double *s = kit_alloc((size_t)k, sizeof *s), squares = 0, sum = 0;
  about("SVD of few", type, rows, columns);
  for (int i = 0; i < rows; i++) {
    const double unit = kit_common(3) > 0 ? 0 : ldexp(1, kit_common(is_single(type) ? 60 : 300));
    for (int j = 0; j < columns; j++)
      *element(&a, i, j) *= kit_common(2) > 0 ? unit : 0;
  }
  cw_array pa = array_of(type, rows, columns, a.at);
  KIT_OK(cw_array_svd(pa, NULL, s, NULL));
  for (int i = 0; i < k; i++)
    sum += real_at(type, s, i) * real_at(type, s, i);
  for (int i = 0; i < rows * columns; i++)
    squares += cabs(a.at[i]) * cabs(a.at[i]);
  kit_check(fabs(sum - squares) <= 60 * (rows + columns) * precision(type) * squares,
            "the squares of singular values make %g, those of elements %g", sum, squares);
  KIT_OK(cw_array_destroy(&pa));
  free(a.at);
  free(s);
}

/* The topology of PBLAS broadcasts is a setting of each process, which the program or an earlier
 * call may leave different on them. Solvers must work and restore it. */
static void topologies(cw_type type)
{
  static const char topology[] = "DIS ";
  const int rank = cw_team_rank(cw_team_world()), context = 0;
  const char mine = topology[rank % 4];
  const char *const scopes[] = {"Rowwise", "Columnwise", "All"};
  char left = 0;
  for (int i = 0; i < 3; i++)
    pb_topset_(&context, "Broadcast", scopes[i], &mine);
  choose(false, 4);
  svd(type, 14, 19);
  qr(type, 19, 14);
  cholesky(type, 17);
  kit_about("topologies of PBLAS");
  for (int i = 0; i < 3; i++) {
    pb_topget_(&context, "Broadcast", scopes[i], &left);
    kit_check(left == mine, "%s it was '%c' and has become '%c'", scopes[i], mine, left);
    pb_topset_(&context, "Broadcast", scopes[i], " ");
  }
}

/* --- Matrices without a solution -------------------------------------------------------------- */

/* Column (or row) `bad` is 0, or contains a NaN. */
static void test_rejected(cw_type type, int rows, int columns, bool alone)
{
  const int k = rows < columns ? rows : columns, bad = kit_common(k);
  struct plain a = drawn(type, rows, columns), b = drawn(type, rows, 1),
               x = drawn(type, columns, 1);
  int64_t *order = kit_alloc((size_t)rows, sizeof *order), pivot = 0;
  double *s = kit_alloc((size_t)k, sizeof *s);
  choose(alone, 0);
  about("no rank, or no number", type, rows, columns);
  for (int i = 0; i < (rows >= columns ? rows : columns); i++)
    *(rows >= columns ? element(&a, i, bad) : element(&a, bad, i)) = 0;
  cw_array dependent = array_of(type, rows, columns, a.at);
  cw_array pb = array_of(type, rows, 0, b.at), px = array_of(type, columns, 0, x.at);
  KIT_OK(cw_array_least_squares(dependent, pb, px, &pivot));
  kit_check_long(pivot, bad + 1, "pivot of least squares");
  KIT_MISUSE("cw_array_least_squares|full rank", cw_array_least_squares(dependent, pb, px, NULL));
  if (rows >= columns) {
    KIT_OK(cw_array_lu(dependent, order, &pivot));
    kit_check_long(pivot, bad + 1, "pivot of LU");
  }
  expect_same(dependent, rows * columns, a.at, "elements of a that have changed");
  *element(&a, bad, bad) = kit_common(2) == 0 ? NAN : INFINITY;
  cw_array infinite = array_of(type, rows, columns, a.at);
  KIT_OK(cw_array_least_squares(infinite, pb, px, &pivot));
  kit_check_long(pivot, bad + 1, "pivot of least squares without a number");
  KIT_OK(cw_array_lu(infinite, order, &pivot));
  kit_check_long(pivot, bad + 1, "pivot of LU without a number");
  KIT_MISUSE("cw_array_qr|not finite", cw_array_qr(infinite, NULL, NULL));
  KIT_MISUSE("cw_array_svd|not finite", cw_array_svd(infinite, NULL, s, NULL));
  expect_same(px, columns, x.at, "elements of x that have changed");
  cw_array *const made[] = {&dependent, &infinite, &pb, &px};
  for (int i = 0; i < 4; i++)
    KIT_OK(cw_array_destroy(made[i]));
  free(a.at);
  free(b.at);
  free(x.at);
  free(order);
  free(s);
}

/* A result that overflows must not become a factor. */
static void overflowing(cw_type type)
{
  const double most = is_single(type) ? (double)FLT_MAX : DBL_MAX;
  const entry values[6] = {1, 0.5, most, -1, 0.5, most};
  int64_t order[2], pivot = 0;
  cw_array a = array_of(type, 2, 3, values);
  about("overflow", type, 2, 3);
  KIT_OK(cw_array_lu(a, order, &pivot));
  kit_check_long(pivot, 2, "pivot");
  expect_same(a, 6, values, "elements of a that have changed");
  KIT_OK(cw_array_destroy(&a));
}

/* Real workspace in addition to the complex one: it is queried only by routines that use it. */
static void space_of_svd(cw_type type)
{
  enum { EDGE = 20000 };
  const struct cwi_grid grid = {.alone = true, .rows = 1, .columns = 1, .block = 64};
  struct cwi_grid_part part = {
      .grid = &grid, .axes = {{.extent = EDGE}, {.extent = EDGE}}, .desc = {[8] = EDGE}};
  struct cwi_workspace space = {.counts = {-1, -1, -1}};
  double s = 0;
  space.work = &space.queried.work;
  space.real = &space.queried.real;
  space.integers = &space.queried.integers;
  kit_about("workspace of singular values, type %d", type);
  kit_check_long(cwi_lapack_of(type)->svd(true, &part, &part, &s, &part, &space), 0, "info");
  kit_check(is_complex(type) == (space.queried.real > 0), "%g real numbers", space.queried.real);
}

static void no_triangle(cw_type type, int n)
{
  const int bad = kit_common(n);
  struct plain t = drawn(type, n, n), b = drawn(type, n, 1);
  int64_t pivot = 0;
  *element(&t, bad, bad) = kit_common(2) == 0 ? 0 : NAN;
  for (int i = 0; i < bad; i++)
    *element(&t, i, i) = 1;
  cw_array pt = array_of(type, n, n, t.at), pb = array_of(type, n, 0, b.at);
  about("no triangle", type, n, n);
  KIT_OK(cw_array_solve_triangular(CW_UPPER_TRIANGLE, CW_TRANSPOSED, pt, pb, &pivot));
  kit_check_long(pivot, bad + 1, "pivot");
  expect_same(pb, n, b.at, "elements of b that have changed");
  KIT_MISUSE("cw_array_solve_triangular|regular",
             cw_array_solve_triangular(CW_LOWER_TRIANGLE, CW_NOT_TRANSPOSED, pt, pb, NULL));
  KIT_OK(cw_array_destroy(&pt));
  KIT_OK(cw_array_destroy(&pb));
  free(t.at);
  free(b.at);
}

int main(int argc, char **argv)
{
  kit_start_native(&argc, &argv, "factors");
  kit_take_devices(&argc, argv);
  const int largest = argc > 1 ? atoi(argv[1]) : 60;
  const int count = (int)kit_rounds(argc > 2 ? argv[2] : NULL, 24);
  for (int i = 0; i < count; i++) {
    const cw_type type = types[(i + (count < TYPES ? kit_common(TYPES) : 0)) % TYPES];
    const int rows = i == 1 ? 1 : 1 + kit_common(largest);
    const int columns = i == 2 ? 1 : i % 4 == 3 ? rows : 1 + kit_common(largest);
    choose(kit_common(3) == 0, 0);
    lu(type, rows, columns);
    lu(type, rows, rows);
    cholesky(type, rows);
    triangular(type, rows, (cw_triangle)(i % 4));
    qr(type, rows, columns);
    if (rows != columns) /* square ones may be nearly singular */
      least_squares(type, rows, columns);
    units(type, 2 * rows + 3, 2 + rows / 2);
    units(type, 2 + rows / 2, 2 * rows + 3);
    shortest(type, 1 + rows / 3, 4 + rows);
    svd(type, rows, columns);
    svd_of_few(type, rows, columns);
  }
  for (int i = 0; i < 2; i++) {
    test_rejected(types[kit_common(TYPES)], 1 + kit_common(20), 1 + kit_common(20), i == 0);
    no_triangle(types[kit_common(TYPES)], 1 + kit_common(20));
    choose(i == 0, 0);
    overflowing(types[kit_common(TYPES)]);
  }
  topologies(types[kit_common(TYPES)]);
  choose(false, 9);
  for (int i = 0; i < TYPES; i++) {
    space_of_svd(types[i]);
    svd(types[i], 3, 3); /* one block for one process */
  }
  kit_close_devices();
  return kit_finish_native();
}
