/* Linear equations, inverses, eigenproblems.
 *
 * GA's solvers see matrices as Fortran does, so in a C program all matrices are transposed: a
 * right-hand side is a row of b, and an eigenvector is a row of v. The solvers read only Fortran's
 * lower triangle of a symmetric matrix, which is the upper one in C. (GA_Diag and its variants read
 * the other one.) The native calls read the lower triangle in C, so they get a transposed copy. */
#include "ga/arithmetic/solve.h"

#include "number/scalar.h"

static cw_error ga_solve_copy(cw_array from, cw_array to, bool turned)
{
  const cw_operand a = {.array = from, .transposed = turned}, b = {.array = to};
  return cw_array_copy(&a, &b);
}

static cw_error check_square(const char *what, cw_array array)
{
  if (array->dimensions == 2 && array->axes[0].extent == array->axes[1].extent)
    return CW_OK;
  return cwi_misuse("%s is array '%s', which is not a square matrix", what, array->name);
}

/* Makes a transposed copy of a square matrix. After an error there is no copy. */
static cw_error solve_transposed(cw_array a, cw_array *turned)
{
  CWI_TRY(cw_array_duplicate(a, NULL, turned));
  struct cwi_first_error first;
  cwi_first_begin(&first, ga_solve_copy(a, *turned, true));
  if (first.error != CW_OK)
    cwi_first_note(&first, cw_array_destroy(turned));
  return cwi_first_return(&first);
}

enum method { BY_LU, BY_CHOLESKY };

/* Solves with a copy of a, because the solvers overwrite their matrix. Each row of b is a
 * right-hand side. */
static cw_error solve_copies(enum method method, cw_transposition op, cw_array a, cw_array b,
                             int64_t *pivot)
{
  cw_array factors = NULL, sides = NULL;
  struct cwi_first_error first;
  cwi_first_begin(&first, cw_array_duplicate(a, NULL, &factors));
  if (first.error == CW_OK)
    cwi_first_note(&first, ga_solve_copy(a, factors, method == BY_CHOLESKY));
  if (first.error == CW_OK && b->dimensions == 2)
    cwi_first_note(&first, cwi_ga_create_turned(b, &sides));
  if (sides != NULL)
    cwi_first_note(&first, ga_solve_copy(b, sides, true));
  cw_array right = sides != NULL ? sides : b;
  if (first.error == CW_OK)
    cwi_first_note(&first, method == BY_LU ? cw_array_solve(op, factors, right, pivot)
                                           : cw_array_solve_positive(factors, right, pivot));
  if (sides != NULL && first.error == CW_OK && *pivot == 0)
    cwi_first_note(&first, ga_solve_copy(sides, b, true));
  if (sides != NULL)
    cwi_first_note(&first, cw_array_destroy(&sides));
  if (factors != NULL)
    cwi_first_note(&first, cw_array_destroy(&factors));
  return cwi_first_return(&first);
}

static cw_error solve(enum method method, cw_transposition op, int g_a, int g_b, int64_t *pivot)
{
  cw_array a = NULL, b = NULL;
  CWI_TRY(cwi_ga_array("g_a", g_a, &a));
  CWI_TRY(cwi_ga_array("g_b", g_b, &b));
  CWI_TRY(check_square("g_a", a));
  if (b->dimensions > 2 || b->axes[b->dimensions - 1].extent != a->axes[0].extent)
    return cwi_misuse("g_b is array '%s' of %d dimensions, the last of %lld elements; each of its "
                      "rows must hold a right-hand side of %lld elements",
                      b->name, b->dimensions, (long long)b->axes[b->dimensions - 1].extent,
                      (long long)a->axes[0].extent);
  CWI_TRY(cw_wait_all());
  return cwi_ga_known_as(solve_copies(method, op, a, b, pivot), "a is g_a, b is g_b");
}

/* --- Solving by Cholesky, and by LU if Cholesky fails --- */

/* Computes the greatest difference between the matrix and its transpose. */
static cw_error find_skewness(cw_array a, double *differ)
{
  const union cwi_scalar minus = cwi_scalar_of(a->type, -1);
  cw_array turned = NULL;
  struct cwi_first_error first;
  cwi_first_begin(&first, cwi_ga_create_turned(a, &turned));
  if (first.error == CW_OK)
    cwi_first_note(&first, ga_solve_copy(a, turned, true));
  if (first.error == CW_OK)
    cwi_first_note(&first, cw_array_combine(CW_ELEMENT_SUM, NULL, &(cw_operand){.array = a}, &minus,
                                            &(cw_operand){.array = turned},
                                            &(cw_operand){.array = turned}));
  if (first.error == CW_OK)
    cwi_first_note(&first, cw_array_norm(turned, NULL, NULL, CW_NORM_MAXIMUM, differ));
  if (turned != NULL)
    cwi_first_note(&first, cw_array_destroy(&turned));
  return cwi_first_return(&first);
}

/* Sets *symmetric to true if the matrix is real and exactly symmetric. There is no tolerance: a
 * difference that is a rounding error in one row may be large in comparison with another row. The
 * solvers reject matrices of other types. */
static cw_error find_symmetry(int g_a, bool *symmetric)
{
  cw_array a = NULL;
  double differ = 0;
  *symmetric = false;
  CWI_TRY(cwi_ga_array("g_a", g_a, &a));
  CWI_TRY(check_square("g_a", a));
  if (!cwi_type_is_real(a->type))
    return CW_OK;
  CWI_TRY(cw_wait_all());
  CWI_TRY(find_skewness(a, &differ));
  *symmetric = differ == 0;
  return CW_OK;
}

/* A singular matrix ends the job, because there is no return value for it. */
static cw_error check_pivot(int g_a, int64_t pivot)
{
  return pivot == 0
             ? CW_OK
             : cwi_misuse("g_a is array '%s', which is singular: pivot %lld is zero, or not finite",
                          cwi_ga_entry(g_a)->name, (long long)pivot);
}

/* Solves by Cholesky if the matrix is symmetric, and by LU otherwise or if Cholesky fails. Cholesky
 * reads only one triangle, so for a matrix that is not symmetric it would solve a different
 * system. */
static cw_error solve_any(int g_a, int g_b, int64_t *indefinite)
{
  bool symmetric = false;
  int64_t pivot = 0;
  CWI_TRY(find_symmetry(g_a, &symmetric));
  *indefinite = 1;
  if (symmetric)
    CWI_TRY(solve(BY_CHOLESKY, CW_NOT_TRANSPOSED, g_a, g_b, indefinite));
  if (*indefinite == 0)
    return CW_OK;
  CWI_TRY(solve(BY_LU, CW_TRANSPOSED, g_a, g_b, &pivot));
  return check_pivot(g_a, pivot);
}

int GA_Solve(int g_a, int g_b)
{
  int64_t indefinite = 0;
  (void)CWI_GA_WAITS(solve_any(g_a, g_b, &indefinite));
  return (int)indefinite;
}

/* --- Solving by a given method --- */

int GA_Llt_solve(int g_a, int g_b)
{
  int64_t pivot = 0;
  (void)CWI_GA_WAITS(solve(BY_CHOLESKY, CW_NOT_TRANSPOSED, g_a, g_b, &pivot));
  return (int)pivot;
}

/* Solves by LU. For `tran`, 0 means 'n', as in GA. */
static cw_error solve_lu(char tran, int g_a, int g_b)
{
  int64_t pivot = 0;
  const bool plain = tran == 0 || tran == 'n' || tran == 'N';
  if (!plain && tran != 't' && tran != 'T')
    return cwi_misuse("tran is '%c' (%d); it may be 'n', 'N', 't' or 'T'", tran >= ' ' ? tran : '?',
                      tran);
  cw_array a = NULL;
  CWI_TRY(cwi_ga_array("g_a", g_a, &a));
  const struct cwi_argument agreed[] = {cwi_argument_text("tran", plain ? "n" : "t"),
                                        CWI_ARGUMENTS_END};
  CWI_TRY(cwi_ga_agreed(a->team, agreed));
  CWI_TRY(solve(BY_LU, plain ? CW_TRANSPOSED : CW_NOT_TRANSPOSED, g_a, g_b, &pivot));
  return check_pivot(g_a, pivot);
}

void GA_Lu_solve(char tran, int g_a, int g_b)
{
  (void)CWI_GA_WAITS(solve_lu(tran, g_a, g_b));
}

static cw_error invert(int g_a, int64_t *pivot)
{
  cw_array a = NULL, turned = NULL;
  struct cwi_first_error first;
  CWI_TRY(cwi_ga_array("g_a", g_a, &a));
  CWI_TRY(check_square("g_a", a));
  CWI_TRY(cw_wait_all());
  CWI_TRY(solve_transposed(a, &turned));
  cwi_first_begin(&first, cwi_ga_known_as(cw_array_invert_positive(turned, pivot), "a is g_a"));
  if (first.error == CW_OK && *pivot == 0)
    cwi_first_note(&first, ga_solve_copy(turned, a, true));
  cwi_first_note(&first, cw_array_destroy(&turned));
  return cwi_first_return(&first);
}

int GA_Spd_invert(int g_a)
{
  int64_t pivot = 0;
  (void)CWI_GA_WAITS(invert(g_a, &pivot));
  return (int)pivot;
}

/* --- Eigenvalues --- */

/* Computes eigenvalues, and eigenvectors as columns of v in Fortran's view. `s` is NULL for the
 * standard problem. */
static cw_error eigen_columns(cw_array a, cw_array s, cw_array v, void *eval)
{
  cw_array columns = NULL;
  struct cwi_first_error first;
  cwi_first_begin(&first, cw_array_duplicate(v, NULL, &columns));
  if (first.error == CW_OK)
    cwi_first_note(&first, cw_array_eigen(a, s, columns, eval));
  if (first.error == CW_OK)
    cwi_first_note(&first, ga_solve_copy(columns, v, true));
  if (columns != NULL)
    cwi_first_note(&first, cw_array_destroy(&columns));
  return cwi_first_return(&first);
}

static cw_error eigen_turned(cw_array a, cw_array s, cw_array v, void *eval)
{
  cw_array turned_a = NULL, turned_s = NULL;
  struct cwi_first_error first;
  cwi_first_begin(&first, solve_transposed(a, &turned_a));
  if (first.error == CW_OK && s != NULL)
    cwi_first_note(&first, solve_transposed(s, &turned_s));
  if (first.error == CW_OK)
    cwi_first_note(&first, eigen_columns(turned_a, turned_s, v, eval));
  if (turned_s != NULL)
    cwi_first_note(&first, cw_array_destroy(&turned_s));
  if (turned_a != NULL)
    cwi_first_note(&first, cw_array_destroy(&turned_a));
  return cwi_first_return(&first);
}

/* Complex matrices are always transposed, because a complex matrix and its transpose have different
 * eigenvectors. */
cw_error cwi_ga_eigen(int g_a, const int *g_s, int g_v, bool lower, void *eval)
{
  cw_array a = NULL, s = NULL, v = NULL;
  CWI_TRY(cwi_ga_array("g_a", g_a, &a));
  if (g_s != NULL)
    CWI_TRY(cwi_ga_array("g_s", *g_s, &s));
  CWI_TRY(cwi_ga_array("g_v", g_v, &v));
  CWI_TRY(cwi_check_not_null("eval", eval));
  CWI_TRY(check_square("g_a", a));
  if (s != NULL)
    CWI_TRY(check_square("g_s", s));
  CWI_TRY(check_square("g_v", v));
  CWI_TRY(cw_wait_all());
  const bool transposes = lower || cwi_type_is_complex(a->type);
  return cwi_ga_known_as((transposes ? eigen_turned : eigen_columns)(a, s, v, eval),
                         "a is g_a, s is g_s, v is g_v, w is eval");
}

void GA_Diag_std(int g_a, int g_v, void *eval)
{
  (void)CWI_GA_WAITS(cwi_ga_eigen(g_a, NULL, g_v, true, eval));
}

void GA_Diag_std_seq(int g_a, int g_v, void *eval)
{
  (void)CWI_GA_WAITS(cwi_ga_eigen(g_a, NULL, g_v, true, eval));
}

/* GA_Diag_seq reads Fortran's upper triangles, unlike all other calls. */
void GA_Diag(int g_a, int g_s, int g_v, void *eval)
{
  (void)CWI_GA_WAITS(cwi_ga_eigen(g_a, &g_s, g_v, false, eval));
}

void GA_Diag_seq(int g_a, int g_s, int g_v, void *eval)
{
  (void)CWI_GA_WAITS(cwi_ga_eigen(g_a, &g_s, g_v, false, eval));
}

/* Ignores `reuse`: the factors of s are not kept between calls, but computed again. */
void GA_Diag_reuse(int reuse, int g_a, int g_s, int g_v, void *eval)
{
  (void)reuse;
  (void)CWI_GA_WAITS(cwi_ga_eigen(g_a, &g_s, g_v, false, eval));
}
