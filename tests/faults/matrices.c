/* Products, solvers and files of arrays, for runs in which one call of the library fails. */
#include "arrays.h"
#include "solvers/process_grid.h"
#include "verdict.h"

#include <causeway/arithmetic.h>
#include <causeway/file.h>
#include <causeway/linear.h>

#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static double left(int i, int j)
{
  return (i * 13 + j * 7) % 11 - 5 + (i == j ? 40 : 0);
}

/* Returns an element of a symmetric positive definite matrix. */
static double symmetric(int i, int j)
{
  return (i * j) % 7 + (i == j ? 400 : 0);
}

static void load(cw_array array, double (*f)(int, int))
{
  for (int i = 0; i < EDGE; i++)
    for (int j = 0; j < EDGE; j++)
      model[i][j] = f(i, j);
  load_model(array);
}

#define ANEW(before, call)                                                                         \
  do                                                                                               \
    before;                                                                                        \
  while (again_together(#call, (call), 2))

/* --- Products --------------------------------------------------------------------------------- */

static void products(void)
{
  doing = "products";
  for (int kind = 0; kind < KINDS; kind++) {
    cw_array a = make_matrix(kind, "a"), b = make_matrix(5 - kind, "b"), c = make_matrix(kind, "c");
    const cw_operand of_a = {.array = a}, of_b = {.array = b}, of_c = {.array = c};
    load(a, left);
    load(b, symmetric);
    TOGETHER(2,
             cw_array_multiply(CW_TRANSPOSED, CW_NOT_TRANSPOSED, NULL, &of_a, &of_b, NULL, &of_c));
    for (int i = 0; i < EDGE; i++)
      for (int j = 0; j < EDGE; j++) {
        model[i][j] = 0;
        for (int k = 0; k < EDGE; k++)
          model[i][j] += left(k, i) * symmetric(k, j);
      }
    expect_model(c, 1e-6, "a product is wrong");
    drop(&c);
    drop(&b);
    drop(&a);
  }
}

/* One process has the whole result, so both processes take jobs. */
static void uneven_product(void)
{
  enum { LARGE = 200 };
  static const int64_t extents[2] = {LARGE, LARGE}, last[2] = {LARGE - 1, LARGE - 1};
  static const double one = 1;
  double seen = 0;
  cw_array a = make(2, extents, 0, CW_DOUBLE, "a"), c = make(2, extents, 2, CW_DOUBLE, "c");
  const cw_operand of_a = {.array = a}, of_c = {.array = c};
  doing = "an uneven product";
  TOGETHER(2, cw_array_fill(a, NULL, NULL, &one));
  ANEW(TOGETHER(2, cw_array_fill(c, NULL, NULL, &one)),
       cw_array_multiply(CW_NOT_TRANSPOSED, CW_TRANSPOSED, NULL, &of_a, &of_a, &one, &of_c));
  MUST(cw_array_get(c, last, last, &seen, NULL));
  expect(seen == LARGE + 1, "an uneven product is wrong");
  drop(&c);
  drop(&a);
}

/* --- Solvers ---------------------------------------------------------------------------------- */

static void unity(cw_array array)
{
  const double one = 1;
  TOGETHER(2, cw_array_fill(array, NULL, NULL, NULL));
  TOGETHER(2, cw_array_diagonal(array, CW_DIAGONAL_SHIFT, NULL, &one));
}

/* Checks that a * x is the unit matrix. */
static void expect_inverse(cw_array a, cw_array x, cw_array product)
{
  const cw_operand of_a = {.array = a}, of_x = {.array = x}, of_product = {.array = product};
  TOGETHER(2, cw_array_multiply(CW_NOT_TRANSPOSED, CW_NOT_TRANSPOSED, NULL, &of_a, &of_x, NULL,
                                &of_product));
  for (int i = 0; i < EDGE; i++)
    for (int j = 0; j < EDGE; j++)
      model[i][j] = i == j;
  expect_model(product, 1e-9, "a solver's result is wrong");
}

static void spectra(cw_array a, cw_array s, cw_array v)
{
  double w[EDGE], sum = 0;
  load(a, symmetric);
  unity(s);
  for (int general = 0; general < 2; general++) {
    TOGETHER(2, cw_array_eigen(a, general != 0 ? s : NULL, v, w));
    sum = 0;
    for (int i = 0; i < EDGE; i++)
      sum += w[i] - symmetric(i, i);
    expect(fabs(sum) < 1e-6, "eigenvalues are wrong");
  }
}

/* Computes the solution of a x = 1 by least squares, LU factors and singular vectors. */
static void factors(cw_array a, cw_array x, cw_array c)
{
  cw_array q = make_matrix(1, "q");
  int64_t order[EDGE];
  double s[EDGE], sum = 0;
  load(a, left);
  unity(c);
  TOGETHER(2, cw_array_least_squares(a, c, x, NULL));
  expect_inverse(a, x, c);
  ANEW(load(x, left), cw_array_lu(x, order, NULL));
  ANEW(unity(c), cw_array_lu_solve(CW_NOT_TRANSPOSED, x, order, c));
  expect_inverse(a, c, q);
  TOGETHER(2, cw_array_svd(a, q, s, c));
  for (int i = 0; i < EDGE; i++)
    sum += s[i] * s[i];
  for (int i = 0; i < EDGE; i++)
    for (int j = 0; j < EDGE; j++)
      sum -= left(i, j) * left(i, j);
  expect(fabs(sum) < 1e-6, "singular values are wrong");
  TOGETHER(2, cw_array_qr(a, q, x));
  load(a, symmetric);
  ANEW(load(x, symmetric), cw_array_cholesky(x, NULL));
  ANEW(unity(c), cw_array_solve_triangular(CW_LOWER_TRIANGLE, CW_NOT_TRANSPOSED, x, c, NULL));
  expect_inverse(x, c, q);
  drop(&q);
}

static void solvers(int kind)
{
  cw_array a = make_matrix(kind, "a"), x = make_matrix(0, "x"), c = make_matrix(5, "c");
  load(a, left);
  ANEW(unity(x), cw_array_solve(CW_NOT_TRANSPOSED, a, x, NULL));
  expect_inverse(a, x, c);
  load(a, symmetric);
  ANEW(unity(x), cw_array_solve_positive(a, x, NULL));
  expect_inverse(a, x, c);
  ANEW(load(x, symmetric), cw_array_invert_positive(x, NULL));
  expect_inverse(a, x, c);
  spectra(a, x, c);
  factors(a, x, c);
  drop(&c);
  drop(&x);
  drop(&a);
}

/* Runs with ScaLAPACK, and with LAPACK on one process. */
void matrices(void)
{
  products();
  uneven_product();
  doing = "solvers on a grid";
  cwi_grid_limit((struct cwi_solver_limits){
      .alone_below = 2, .block = 8, .follow_from = 1, .follow_to = EDGE});
  solvers(3);
  doing = "solvers on one process";
  cwi_grid_limit((struct cwi_solver_limits){.alone_below = EDGE + 1, .block = 8});
  solvers(4);
}

/* --- Files ------------------------------------------------------------------------------------ */

/* Checks that the folder has no other files. */
static void expect_alone(const char *folder)
{
  DIR *opened = opendir(folder);
  expect(opened != NULL, "no folder");
  for (const struct dirent *entry; (entry = readdir(opened)) != NULL;) /* NOLINT: one thread */
    expect(strstr(entry->d_name, ".partial") == NULL, "an unfinished file is left");
  closedir(opened);
}

void files(void)
{
  const char *folder = getenv("TMPDIR");
  char path[512];
  doing = "files";
  if (folder == NULL)
    folder = "/tmp";
  snprintf(path, sizeof path, "%s/causeway-faults.h5", folder);
  cw_array a = make_matrix(3, "a"), b = make_matrix(5, "b"), c = NULL;
  const cw_array both[2] = {a, b};
  const char *const names[2] = {"one", "group/two"};
  load(b, symmetric);
  load(a, left);
  TOGETHER(2, cw_arrays_save(path, 2, both, names));
  expect_alone(folder);
  TOGETHER(2, cw_array_load(path, "one", b));
  expect_model(b, 0, "what was loaded is wrong");
  TOGETHER(2, cw_array_create_from_file(cw_team_world(), path, "group/two", &kinds[4], &c));
  for (int i = 0; i < EDGE; i++)
    for (int j = 0; j < EDGE; j++)
      model[i][j] = symmetric(i, j);
  expect_model(c, 0, "an array from a file is wrong");
  drop(&c);
  drop(&b);
  drop(&a);
  if (me == 0)
    unlink(path);
}
