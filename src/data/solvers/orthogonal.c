/* QR factors and least squares. */
#include "array/array_arguments.h"
#include "collective/collective.h"
#include "collective_call/collective_check.h"
#include "linear/synchronize.h"
#include "profile/profile.h"
#include "solvers/solver.h"

#include <causeway/linear.h>

#include <float.h>
#include <limits.h>
#include <stdlib.h>

/* --- QR --------------------------------------------------------------------------------------- */

/* Data of a call. */
struct qr {
  const struct cwi_lapack *lapack;
  cw_array a, q, r;
  int64_t extents[2], least;
  struct cwi_grid grid;
  struct cwi_grid_part parts[2]; /* of a, which becomes q, and of r */
  void *tau;
};

/* Allocates the parts and loads them. Local. Errors: CW_OUTSIDE. */
static cw_error qr_load(struct qr *f)
{
  const size_t element = f->a->element;
  struct cwi_grid_part *a = &f->parts[0];
  f->lapack = cwi_lapack_of(f->a->type);
  CWI_TRY(cwi_grid_part_make(&f->grid, f->extents[0], f->extents[1], element, INT_MAX, a));
  if (f->r != NULL)
    CWI_TRY(cwi_grid_part_make(&f->grid, f->least, f->extents[1], element, INT_MAX, &f->parts[1]));
  f->tau = malloc(((size_t)a->own[1] + (size_t)f->grid.block) * element);
  if (f->tau == NULL)
    return cwi_outside("no memory for the reflections of %lld columns", (long long)a->own[1]);
  return cwi_grid_part_load(a, f->a, NULL);
}

static int step_orthogonalize(void *call, struct cwi_workspace *space)
{
  struct qr *f = call;
  return f->lapack->orthogonalize(&f->parts[0], f->tau, space);
}

static int step_form_q(void *call, struct cwi_workspace *space)
{
  struct qr *f = call;
  return f->lapack->form_q(&f->parts[0], f->tau, space);
}

/* Stores q and r. Called when both have been computed. */
static cw_error qr_store(const struct qr *f)
{
  CWI_TRY(f->q != NULL ? cwi_grid_part_store(&f->parts[0], f->q, NULL) : CW_OK);
  return f->r != NULL ? cwi_grid_part_store(&f->parts[1], f->r, NULL) : CW_OK;
}

static cw_error qr_on_grid(void *call)
{
  struct qr *f = call;
  cw_team team = f->grid.team;
  int info = 0;
  CWI_TRY(cwi_matrix_synchronize(team, qr_load(f)));
  CWI_TRY(cwi_check_finite(&f->parts[0], f->a, false));
  CWI_TRY(cwi_solver_step(&f->parts[0], f->a->type, step_orthogonalize, f, &info));
  if (f->r != NULL) {
    cwi_grid_part_copy(&f->parts[1], &f->parts[0]);
    cwi_grid_part_clear(&f->parts[1], CWI_BELOW);
  }
  if (f->q != NULL)
    CWI_TRY(cwi_solver_step(&f->parts[0], f->a->type, step_form_q, f, &info));
  return cwi_matrix_synchronize(team, qr_store(f));
}

static cw_error qr_check(struct qr *f)
{
  CWI_TRY(cwi_check_matrix("a", f->a, f->extents));
  f->least = cwi_lesser(f->extents[0], f->extents[1]);
  if (f->q != NULL)
    CWI_TRY(cwi_check_shape("q", f->q, f->a, f->extents[0], f->least));
  if (f->r != NULL)
    CWI_TRY(cwi_check_shape("r", f->r, f->a, f->least, f->extents[1]));
  return f->q == NULL || f->q != f->r
             ? CW_OK
             : cwi_misuse("q and r are both array '%s'; they must be different arrays", f->q->name);
}

static cw_error qr_run(struct qr *f, cw_error checked)
{
  const cw_error error = cwi_grid_run(f->a, checked, f->least, &f->grid, qr_on_grid, f);
  cwi_grid_part_free(&f->parts[0]);
  cwi_grid_part_free(&f->parts[1]);
  free(f->tau);
  return error;
}

cw_error cw_array_qr(cw_array a, cw_array q, cw_array r)
{
  CWI_PROFILED(CW_CALL_LINEAR);
  struct qr f = {.a = a, .q = q, .r = r};
  CWI_TRY(cwi_in_call("cw_array_qr", cwi_check_array("a", a)));
  const cw_error checked = qr_check(&f);
  const struct cwi_argument agreed[] = {cwi_agreed_array("a", a), cwi_agreed_array("q", q),
                                        cwi_agreed_array("r", r), CWI_ARGUMENTS_END};
  return CWI_COLLECTIVELY("cw_array_qr", a->team, checked == CW_OK ? agreed : NULL,
                          qr_run(&f, checked));
}

/* --- Least squares ---------------------------------------------------------------------------- */

/* Data of a call. */
struct fit {
  const struct cwi_lapack *lapack;
  cw_array a, b, x;
  int64_t extents[2];
  struct cwi_grid grid;
  struct cwi_grid_part parts[2]; /* of a, and of b, which becomes x and has space for both */
  double *least;                 /* limits, which elements of the triangle's diagonal must exceed */
  int info;
};

/* Allocates the parts and loads them. Local. Errors: CW_OUTSIDE. */
static cw_error fit_load(struct fit *f)
{
  const size_t element = f->a->element;
  const int64_t m = f->extents[0], n = f->extents[1], most = m > n ? m : n;
  f->lapack = cwi_lapack_of(f->a->type);
  CWI_TRY(cwi_grid_part_make(&f->grid, m, n, element, INT_MAX, &f->parts[0]));
  CWI_TRY(cwi_grid_part_make(&f->grid, most, cwi_columns_of(f->b), element, INT_MAX, &f->parts[1]));
  f->least = malloc((size_t)cwi_lesser(m, n) * sizeof *f->least);
  if (f->least == NULL)
    return cwi_outside("no memory for the lengths of %lld columns", (long long)cwi_lesser(m, n));
  CWI_TRY(cwi_grid_part_load(&f->parts[0], f->a, NULL));
  return cwi_grid_part_load(&f->parts[1], f->b, NULL);
}

static int step_fit(void *call, struct cwi_workspace *space)
{
  struct fit *f = call;
  return f->lapack->least_squares(&f->parts[0], &f->parts[1], space);
}

/* Finds a column that depends on other columns within the rounding errors: its independent part is
 * not greater than the rounding errors of the column. This test does not depend on the units of the
 * columns. If there are more columns than rows, it tests rows. Collective. */
static cw_error find_dependent(struct fit *f)
{
  cw_team team = f->grid.team;
  const struct cwi_grid_part *triangle = &f->parts[0];
  const bool single = cwi_type_is_single(f->a->type);
  const int64_t m = f->extents[0], n = f->extents[1], least = cwi_lesser(m, n);
  const double rounding = (double)(m > n ? m : n) * (single ? (double)FLT_EPSILON : DBL_EPSILON);
  cwi_grid_part_greatest(triangle, f->a->type, f->least);
  CWI_TRY(cwi_allreduce(team, CW_DOUBLE, CW_MAXIMUM, (size_t)least, f->least));
  for (int64_t k = 0; k < least; k++)
    f->least[k] *= rounding;
  f->info = cwi_grid_part_bad_pivot(triangle, f->a->type, f->least);
  return cwi_least_step(team, &f->info);
}

static cw_error fit_on_grid(void *call)
{
  struct fit *f = call;
  cw_team team = f->grid.team;
  int info = 0;
  CWI_TRY(cwi_matrix_synchronize(team, fit_load(f)));
  f->info = cwi_grid_part_first_infinite(&f->parts[0], f->a->type, false);
  CWI_TRY(cwi_least_step(team, &f->info));
  if (f->info != 0)
    return CW_OK;
  CWI_TRY(cwi_solver_step(&f->parts[0], f->a->type, step_fit, f, &info));
  CWI_TRY(find_dependent(f));
  return cwi_matrix_synchronize(team, f->info == 0 ? cwi_grid_part_store(&f->parts[1], f->x, NULL)
                                                   : CW_OK);
}

static cw_error fit_check(struct fit *f)
{
  CWI_TRY(cwi_check_matrix("a", f->a, f->extents));
  CWI_TRY(cwi_check_sides("b", f->b, "a", f->a, f->extents[0]));
  CWI_TRY(cwi_check_sides("x", f->x, "a", f->a, f->extents[1]));
  if (cwi_columns_of(f->x) == cwi_columns_of(f->b))
    return CW_OK;
  return cwi_misuse("x is array '%s' with %lld columns; b has %lld", f->x->name,
                    (long long)cwi_columns_of(f->x), (long long)cwi_columns_of(f->b));
}

/* A matrix with more columns than rows is solved by one process, whatever its size. For such a
 * matrix PxGELS calls PxGELQF, in which PCLARFT reads out of bounds (ScaLAPACK 2.2.1). */
static cw_error fit_run(struct fit *f, cw_error checked)
{
  const bool wide = f->extents[1] > f->extents[0];
  const int64_t least = wide ? -1 : f->extents[1];
  const cw_error error = cwi_grid_run(f->a, checked, least, &f->grid, fit_on_grid, f);
  cwi_grid_part_free(&f->parts[0]);
  cwi_grid_part_free(&f->parts[1]);
  free(f->least);
  return error;
}

cw_error cw_array_least_squares(cw_array a, cw_array b, cw_array x, int64_t *pivot)
{
  CWI_PROFILED(CW_CALL_LINEAR);
  static const char call[] = "cw_array_least_squares";
  struct fit f = {.a = a, .b = b, .x = x};
  CWI_TRY(cwi_in_call(call, cwi_check_array("a", a)));
  const cw_error checked = fit_check(&f);
  const struct cwi_argument agreed[] = {cwi_agreed_array("a", a), cwi_agreed_array("b", b),
                                        cwi_agreed_array("x", x), CWI_ARGUMENTS_END};
  CWI_TRY(CWI_COLLECTIVELY(call, a->team, checked == CW_OK ? agreed : NULL, fit_run(&f, checked)));
  return cwi_in_call(call, cwi_report_pivot(f.info, "of full rank", a, pivot));
}
