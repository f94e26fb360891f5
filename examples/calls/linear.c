/* Calls of causeway/linear.h and matrix.h: a small positive definite matrix is assembled from local
 * matrices, factored, and used to solve equations. */
#include "expect.h"

#include <math.h>

enum { N = 6 };

static cw_array matrix(void)
{
  const int64_t extents[2] = {N, N}, block[2] = {2, 2};
  const cw_array_options options = {.type = CW_DOUBLE,
                                    .dimensions = 2,
                                    .extents = extents,
                                    .distribution = {.layout = CW_CYCLIC, .block = block}};
  cw_array array = NULL;
  CW_MUST(cw_array_create(cw_team_world(), &options, &array));
  return array;
}

/* Fills a with 1, and with N + 1 on the diagonal: its eigenvalues are N, and 2 * N once. */
static void fill(cw_array a)
{
  const double one = 1, shift = N;
  CW_MUST(cw_array_fill(a, NULL, NULL, &one));
  CW_MUST(cw_array_diagonal(a, CW_DIAGONAL_SHIFT, NULL, &shift));
}

static bool is_near(double value, double expected)
{
  return fabs(value - expected) < 1e-10;
}

static double entry(cw_array a, int64_t i, int64_t j)
{
  const int64_t index[2] = {i, j}, ld = 1;
  double value = 0;
  CW_MUST(cw_array_get(a, index, index, &value, &ld));
  return value;
}

/* Process 0 puts and adds local matrices, by transfers and by messages. */
static void assemble(cw_array a)
{
  double data[4] = {1, 2, 3, 4};
  const cw_local_matrix local = {.data = data, .height = 2, .width = 2};
  cw_matrix attached = NULL;
  cw_axpy axpy = NULL;
  CW_MUST(cw_array_fill(a, NULL, NULL, NULL));
  CW_MUST(cw_matrix_attach(a, CW_ROW_MAJOR, &attached));
  if (cw_process() == 0)
    CW_MUST(cw_matrix_iput(attached, &local, 1, 1));
  CW_MUST(cw_matrix_flush(attached, NULL));
  CW_MUST(cw_matrix_detach(&attached));

  CW_MUST(cw_axpy_attach(a, CW_ROW_MAJOR, CW_LOCAL_TO_GLOBAL, CW_CONSENSUS, &axpy));
  if (cw_process() == 0)
    CW_MUST(cw_axpy_add(axpy, NULL, &local, 1, 1));
  CW_MUST(cw_axpy_detach(&axpy));
  CW_MUST(cw_array_sync(a));
  EXPECT(entry(a, 2, 2) == 8);
}

/* Solves a * x = b for the b of which x is all ones, in four ways. */
static void solve(cw_array a, cw_array b)
{
  const double row_sum = 2 * N;
  int64_t order[N], pivot = -1;
  fill(a);
  CW_MUST(cw_array_fill(b, NULL, NULL, &row_sum));
  CW_MUST(cw_array_solve(CW_NOT_TRANSPOSED, a, b, &pivot));
  EXPECT(pivot == 0 && is_near(entry(b, 0, 0), 1));
  CW_MUST(cw_array_fill(b, NULL, NULL, &row_sum));
  CW_MUST(cw_array_solve_positive(a, b, &pivot));
  EXPECT(is_near(entry(b, N - 1, 0), 1));

  CW_MUST(cw_array_lu(a, order, &pivot)); /* a becomes its factors, for several solutions */
  CW_MUST(cw_array_fill(b, NULL, NULL, &row_sum));
  CW_MUST(cw_array_lu_solve(CW_NOT_TRANSPOSED, a, order, b));
  EXPECT(is_near(entry(b, 1, 1), 1));

  fill(a);
  CW_MUST(cw_array_cholesky(a, &pivot));
  CW_MUST(cw_array_fill(b, NULL, NULL, &row_sum));
  CW_MUST(cw_array_solve_triangular(CW_LOWER_TRIANGLE, CW_NOT_TRANSPOSED, a, b, &pivot));
  CW_MUST(cw_array_solve_triangular(CW_LOWER_TRIANGLE, CW_CONJUGATE_TRANSPOSED, a, b, &pivot));
  EXPECT(is_near(entry(b, 2, 3), 1));
}

static void decompose(cw_array a, cw_array b, cw_array c)
{
  double values[N];
  int64_t pivot = -1;
  fill(a);
  CW_MUST(cw_array_eigen(a, NULL, b, values));
  EXPECT(is_near(values[0], N) && is_near(values[N - 1], 2 * N));
  CW_MUST(cw_array_svd(a, NULL, values, NULL));
  EXPECT(is_near(values[0], 2 * N));

  CW_MUST(cw_array_qr(a, b, c)); /* a = b * c */
  const cw_operand q = {.array = b}, r = {.array = c};
  cw_array product = matrix();
  CW_MUST(cw_array_multiply(CW_NOT_TRANSPOSED, CW_NOT_TRANSPOSED, NULL, &q, &r, NULL,
                            &(cw_operand){.array = product}));
  EXPECT(is_near(entry(product, 1, 1), N + 1));
  CW_MUST(cw_array_least_squares(a, product, c, &pivot)); /* a * c = a: c is the identity */
  EXPECT(is_near(entry(c, 3, 3), 1) && is_near(entry(c, 3, 2), 0));
  CW_MUST(cw_array_invert_positive(a, &pivot));
  EXPECT(is_near(entry(a, 0, 1), -1.0 / (2 * N * N)));
  CW_MUST(cw_array_destroy(&product));
}

int main(int argc, char **argv)
{
  start(&argc, &argv);
  cw_array a = matrix(), b = matrix(), c = matrix();
  assemble(a);
  solve(a, b);
  decompose(a, b, c);
  CW_MUST(cw_array_destroy(&a));
  CW_MUST(cw_array_destroy(&b));
  CW_MUST(cw_array_destroy(&c));
  return stop();
}
