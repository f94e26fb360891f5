/* Linear equations, inverses and eigenproblems. The matrices have whole-number entries and known
 * solutions; the eigenpairs are put back into the equation they solve.
 *
 * GA's solvers are Fortran at heart: from C, a right-hand side is a row of b, and an eigenvector is
 * a row of v. Not here: GA_Diag, GA_Diag_std and GA_Diag_reuse, which abort in Debian's build
 * ("peigs not interfaced").
 */
#include "ga_model.h"

#include <stdlib.h>

static const double TOLERANCE = 1e-9;

static model_type real_type; /* C_DBL, unscaled */

/* A global array of doubles with its model. */
typedef struct matrix {
  model m;
  int array;
} matrix;

static void matrix_init(matrix *a, int rows, int columns)
{
  model_init(&a->m, &real_type, 2, (int[]){rows, columns});
  a->array = model_create(&a->m);
  for (size_t i = 0; i < a->m.count; i++)
    a->m.at[i] = kit_common(9) - 4;
}

static void matrix_free(matrix *a)
{
  GA_Destroy(a->array);
  model_free(&a->m);
}

static model_number *at(const matrix *a, int i, int j)
{
  return &a->m.at[i * a->m.dims[1] + j];
}

/* Makes a square matrix symmetric and its diagonal dominant, so that it is positive definite. */
static void make_definite(matrix *a)
{
  int n = a->m.dims[0];

  for (int i = 0; i < n; i++) {
    for (int j = 0; j < i; j++)
      *at(a, i, j) = *at(a, j, i);
    *at(a, i, i) = 5 * n + i;
  }
}

/* Writes the models of the inputs into the arrays; the solvers abort on wrong ones. */
static void write_inputs(matrix *a, matrix *b)
{
  model_write(&a->m, a->array);
  model_write(&b->m, b->array);
  model_verify(&a->m, a->array);
  model_verify(&b->m, b->array);
  kit_stop_if_failed();
}

/* Compares the whole array with the model, within the tolerance. */
static void check(const matrix *a, const char *what)
{
  patch p;

  GA_Sync();
  patch_init_whole(&p, &a->m, 1);
  NGA_Get(a->array, p.lo, p.hi, p.buffer, p.ld);
  for (size_t n = 0; n < p.count; n++) {
    patch_spot spot = patch_find(&p, n);
    double got = creal(model_load(&real_type, p.buffer, spot.in_buffer));
    if (!kit_check_near(got, creal(a->m.at[spot.in_model]), TOLERANCE, what))
      break;
  }
  patch_free(&p);
  GA_Sync();
}

/* Lu_solve is tested untransposed only. GA 5.8.2 passes its `tran` to PDGETRS in a way that makes
 * it reject every letter; 0 means "not transposed", and 1 does not give the transposed solution. */
enum solver { LU, LLT, ANY, SOLVERS };

static void test_solver(enum solver how, int n, int sides)
{
  static const char *const names[SOLVERS] = {"Lu_solve", "Llt_solve", "Solve"};
  matrix a, x, b; /* each row of x solves the equation whose right-hand side is that row of b */

  kit_about("%s, %d x %d, %d right-hand sides", names[how], n, n, sides);
  matrix_init(&a, n, n);
  matrix_init(&x, sides, n);
  matrix_init(&b, sides, n);
  if (how >= LLT)
    make_definite(&a);
  else
    for (int i = 0; i < n; i++)
      *at(&a, i, i) += 5 * n;
  for (int s = 0; s < sides; s++)
    for (int i = 0; i < n; i++) {
      *at(&b, s, i) = 0;
      for (int j = 0; j < n; j++)
        *at(&b, s, i) += *at(&a, j, i) * *at(&x, s, j);
    }
  write_inputs(&a, &b);
  if (how == LU)
    GA_Lu_solve(0, a.array, b.array);
  if (how == LLT)
    kit_check_long(GA_Llt_solve(a.array, b.array), 0, "result");
  if (how == ANY)
    kit_check_long(GA_Solve(a.array, b.array), 0, "result");
  for (size_t i = 0; i < x.m.count; i++)
    b.m.at[i] = x.m.at[i];
  check(&b, "solution");
  matrix_free(&a);
  matrix_free(&x);
  matrix_free(&b);
}

static void test_inverse(int n)
{
  matrix a, inverse;
  patch p;

  kit_about("Spd_invert, %d x %d", n, n);
  matrix_init(&a, n, n);
  matrix_init(&inverse, n, n);
  make_definite(&a);
  model_write(&a.m, inverse.array);
  GA_Sync();
  kit_check_long(GA_Spd_invert(inverse.array), 0, "result");
  GA_Sync();
  patch_init_whole(&p, &a.m, 0);
  NGA_Get(inverse.array, p.lo, p.hi, p.buffer, p.ld);
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      double sum = 0;
      for (int k = 0; k < n; k++)
        sum += creal(*at(&a, i, k)) * ((const double *)(const void *)p.buffer)[k * n + j];
      if (!kit_check_near(sum, i == j, TOLERANCE, "element of matrix times inverse"))
        i = j = n;
    }
  patch_free(&p);
  GA_Sync();
  matrix_free(&a);
  matrix_free(&inverse);
}

/* Returns (a v)[i], or v[i] if a is NULL. */
static double times(const matrix *a, const double *v, int i)
{
  double sum = 0;

  if (!a)
    return v[i];
  for (int j = 0; j < a->m.dims[0]; j++)
    sum += creal(*at(a, i, j)) * v[j];
  return sum;
}

static void check_eigenpairs(const matrix *a, const matrix *s, const double *values,
                             const double *v)
{
  int n = a->m.dims[0];
  double trace = 0, sum = 0;

  for (int k = 0; k < n; k++) {
    const double *vector = &v[k * n];
    double length = 0;

    trace += creal(*at(a, k, k));
    sum += values[k];
    if (k > 0)
      kit_check(values[k] >= values[k - 1], "eigenvalues %d and %d are not in order", k - 1, k);
    for (int i = 0; i < n; i++) {
      length += vector[i] * times(s, vector, i);
      if (!kit_check_near(times(a, vector, i), values[k] * times(s, vector, i), TOLERANCE,
                          "a v = e s v"))
        return;
    }
    if (!kit_check_near(length, 1, TOLERANCE, "length of an eigenvector"))
      return;
  }
  if (!s)
    kit_check_near(sum, trace, TOLERANCE, "sum of the eigenvalues");
}

static void test_eigen(int n, bool generalised)
{
  matrix a, s, v;
  double *values = kit_alloc((size_t)n, sizeof *values);
  patch p;

  kit_about("%s, %d x %d", generalised ? "Diag_seq" : "Diag_std_seq", n, n);
  matrix_init(&a, n, n);
  matrix_init(&s, n, n);
  matrix_init(&v, n, n);
  make_definite(&s);
  for (int i = 0; i < n; i++)
    for (int j = 0; j < i; j++)
      *at(&a, i, j) = *at(&a, j, i);
  write_inputs(&a, &s);
  if (generalised)
    GA_Diag_seq(a.array, s.array, v.array, values);
  else
    GA_Diag_std_seq(a.array, v.array, values);
  GA_Sync();
  patch_init_whole(&p, &v.m, 0);
  NGA_Get(v.array, p.lo, p.hi, p.buffer, p.ld);
  check_eigenpairs(&a, generalised ? &s : NULL, values, (const double *)(const void *)p.buffer);
  patch_free(&p);
  GA_Sync();
  matrix_free(&a);
  matrix_free(&s);
  matrix_free(&v);
  free(values);
}

int main(int argc, char **argv)
{
  kit_start(&argc, &argv, "solve");
  real_type = model_unscaled(&model_types[MODEL_DOUBLE]);
  for (int round = 0; round < 2; round++) {
    int n = 20 + kit_common(50);

    for (enum solver how = 0; how < SOLVERS; how++)
      test_solver(how, n, 1 + round * kit_common(9));
    test_inverse(n);
    test_eigen(n, false);
    test_eigen(n, true);
  }
  return kit_finish();
}
