/* Products and solvers in a program with its own BLAS and LAPACK, mostly with 8-byte integers
 * (own_blas_routines.c, own_blas_traps.c, or libraries): every result must be right. Matrices with
 * few rows use LAPACK; those with many rows use ScaLAPACK if there are two processes. */
#include "kit/kit.h"

#include <ga.h>

#include <math.h>
#include <stdlib.h>

enum { FEW = 12, MANY = 520 };

static int me;

static int create(int type, int rows, int columns)
{
  const int array = NGA_Create(type, 2, (int[]){rows, columns}, (char[]){"matrix"}, NULL);
  kit_check(array != 0, "cannot create a matrix");
  return array;
}

/* Returns an element of a symmetric positive definite matrix. */
static double element(int i, int j)
{
  return i == j ? 4 : 1.0 / (1 + (i - j) * (i - j));
}

static void fill(int array, int rows, int columns, double (*value)(int i, int j))
{
  double *row = kit_alloc((size_t)columns, sizeof *row);
  for (int i = 0; i < rows && me == 0; i++) {
    for (int j = 0; j < columns; j++)
      row[j] = value(i, j);
    NGA_Put(array, (int[]){i, 0}, (int[]){i, columns - 1}, row, (int[]){columns});
  }
  free(row);
  GA_Sync();
}

static double identity(int i, int j)
{
  return i == j;
}

static double solution(int i, int j)
{
  return (double)((3 * i + j) % 7) - 3;
}

static void check_matrix(int array, int rows, int columns, double (*value)(int i, int j))
{
  double *row = kit_alloc((size_t)columns, sizeof *row);
  for (int i = 0; i < rows && me == 0; i++) {
    NGA_Get(array, (int[]){i, 0}, (int[]){i, columns - 1}, row, (int[]){columns});
    for (int j = 0; j < columns; j++)
      kit_check(fabs(row[j] - value(i, j)) < 1e-9, "element (%d, %d) is %g; it should be %g", i, j,
                row[j], value(i, j));
  }
  free(row);
  GA_Sync();
}

enum solver { LU, CHOLESKY, EITHER };

static void solve(enum solver solver, int n, int a, int b, int x)
{
  static const char *const names[] = {"GA_Lu_solve", "GA_Llt_solve", "GA_Solve"};
  kit_about("%s of %d rows", names[solver], n);
  fill(a, n, n, element);
  fill(x, 2, n, solution); /* two right-hand sides, in rows */
  GA_Dgemm('n', 'n', 2, n, n, 1, x, a, 0, b);
  if (solver == LU)
    GA_Lu_solve('n', a, b);
  else
    kit_check_long(solver == CHOLESKY ? GA_Llt_solve(a, b) : GA_Solve(a, b), 0, "status");
  check_matrix(b, 2, n, solution);
}

static void invert(int n, int a, int inverse, int product)
{
  kit_about("GA_Spd_invert of %d rows", n);
  fill(a, n, n, element);
  GA_Copy(a, inverse);
  kit_check_long(GA_Spd_invert(inverse), 0, "status");
  GA_Dgemm('n', 'n', n, n, n, 1, a, inverse, 0, product);
  check_matrix(product, n, n, identity);
}

/* Rows of v are vectors with v a = w v s, where s is twice the identity. Checks the first and the
 * last one. */
static void diagonalize(int n, int a, int s, int v, int product)
{
  double two = 2, *w = kit_alloc((size_t)n, sizeof *w);
  double *left = kit_alloc((size_t)n, sizeof *left), *right = kit_alloc((size_t)n, sizeof *right);
  kit_about("GA_Diag of %d rows", n);
  fill(a, n, n, element);
  fill(s, n, n, identity);
  GA_Scale(s, &two);
  GA_Diag(a, s, v, w);
  fill(a, n, n, element); /* GA does not define its contents afterwards */
  GA_Dgemm('n', 'n', n, n, n, 1, v, a, 0, product);
  for (int row = 0; row < n; row += n - 1) {
    NGA_Get(product, (int[]){row, 0}, (int[]){row, n - 1}, left, (int[]){n});
    NGA_Get(v, (int[]){row, 0}, (int[]){row, n - 1}, right, (int[]){n});
    for (int j = 0; j < n; j++)
      kit_check(fabs(left[j] - 2 * w[row] * right[j]) < 1e-9, "v a is %g; it should be %g", left[j],
                2 * w[row] * right[j]);
  }
  free(w);
  free(left);
  free(right);
  GA_Sync();
}

static void solvers(int n)
{
  const int a = create(C_DBL, n, n), s = create(C_DBL, n, n), v = create(C_DBL, n, n),
            product = create(C_DBL, n, n), b = create(C_DBL, 2, n), x = create(C_DBL, 2, n);
  for (enum solver solver = LU; solver <= EITHER; solver++)
    solve(solver, n, a, b, x);
  invert(n, a, v, product);
  diagonalize(n, a, s, v, product);
  const int all[] = {a, s, v, product, b, x};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++)
    GA_Destroy(all[i]);
}

/* cblas_ routines of the other types: 2 x 3 = 6 in each element, times the number of columns. */
static void products(void)
{
  static const int types[] = {C_FLOAT, C_SCPL, C_DCPL};
  for (int t = 0; t < 3; t++) {
    float single[2] = {2, 0}, seen_single[2] = {0};
    double number[2] = {2, 0}, seen_number[2] = {0};
    const int a = create(types[t], FEW, FEW), c = create(types[t], FEW, FEW);
    const bool wide = types[t] == C_DCPL;
    kit_about("product of type %d", types[t]);
    GA_Fill(a, wide ? (void *)number : (void *)single);
    GA_Zero(c);
    if (types[t] == C_FLOAT)
      GA_Sgemm('n', 'n', FEW, FEW, FEW, 1, a, a, 0, c);
    else if (wide)
      GA_Zgemm('n', 'n', FEW, FEW, FEW, (DoubleComplex){1, 0}, a, a, (DoubleComplex){0, 0}, c);
    else
      GA_Cgemm('n', 'n', FEW, FEW, FEW, (SingleComplex){1, 0}, a, a, (SingleComplex){0, 0}, c);
    NGA_Get(c, (int[]){1, 2}, (int[]){1, 2}, wide ? (void *)seen_number : (void *)seen_single,
            (int[]){1});
    const double seen = wide ? seen_number[0] : (double)seen_single[0];
    kit_check(fabs(seen - 4 * FEW) < 1e-5, "%g; it should be %d", seen, 4 * FEW);
    GA_Destroy(a);
    GA_Destroy(c);
  }
}

int main(int argc, char **argv)
{
  kit_start(&argc, &argv, "own_blas");
  GA_Initialize();
  me = GA_Nodeid();
  products();
  solvers(FEW);
  solvers(MANY);
  GA_Terminate();
  return kit_finish();
}
