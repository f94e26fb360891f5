/* Linear equations and inverses. Matrices are redistributed block-cyclically over a grid, ScaLAPACK
 * computes, and the results are stored back. Small ones are solved by LAPACK on one process. */
#include "array/array_arguments.h"
#include "collective_call/collective_check.h"
#include "linear/synchronize.h"
#include "profile/profile.h"
#include "solvers/factor.h"

#include <causeway/linear.h>

#include <limits.h>

/* Data of a call. */
struct equations {
  struct cwi_factors f;
  cw_transposition op;
  cw_array b;                /* NULL to compute the inverse */
  struct cwi_grid_part part; /* of b; space for the inverse */
};

/* Allocates the parts and loads them. Local. Errors: CW_OUTSIDE. */
static cw_error solve_load(struct equations *e)
{
  const cw_array a = e->f.a;
  const int64_t n = a->axes[0].extent;
  const bool alone = e->f.grid.alone;
  CWI_TRY(cwi_factors_load(&e->f));
  if (e->b == NULL)
    return alone ? CW_OK : cwi_grid_part_make(&e->f.grid, n, n, a->element, INT_MAX, &e->part);
  CWI_TRY(
      cwi_grid_part_make(&e->f.grid, n, cwi_columns_of(e->b), e->b->element, INT_MAX, &e->part));
  return cwi_grid_part_load(&e->part, e->b, NULL);
}

static int solve_finish(struct equations *e)
{
  struct cwi_factors *f = &e->f;
  if (e->b == NULL)
    return f->lapack->cholesky_invert(&f->part, &e->part);
  return f->positive ? f->lapack->cholesky_solve(&f->part, &e->part)
                     : f->lapack->solve(cwi_op_letters[e->op], &f->part, f->pivots, &e->part);
}

static cw_error solve_store(struct equations *e)
{
  return e->b == NULL ? cwi_grid_part_store_symmetric(&e->f.part, e->f.a)
                      : cwi_grid_part_store(&e->part, e->b, NULL);
}

/* Solves on the grid. The result is stored only if all members have succeeded. */
static cw_error solve_on_grid(void *call)
{
  struct equations *e = call;
  cw_team team = e->f.grid.team;
  CWI_TRY(cwi_matrix_synchronize(team, solve_load(e)));
  CWI_TRY(cwi_factorize(&e->f));
  if (e->f.info != 0)
    return CW_OK;
  e->f.info = e->f.grid.row >= 0 ? solve_finish(e) : 0;
  CWI_TRY(cwi_solver_info(&e->f.grid, &e->f.info));
  return cwi_matrix_synchronize(team, e->f.info == 0 ? solve_store(e) : CW_OK);
}

static cw_error solve_run(struct equations *e, cw_error checked, int64_t n)
{
  const cw_error error = cwi_grid_run(e->f.a, checked, n, &e->f.grid, solve_on_grid, e);
  cwi_factors_free(&e->f);
  cwi_grid_part_free(&e->part);
  return error;
}

static cw_error solve_check(const struct equations *e, bool with_b, int64_t *n)
{
  CWI_TRY(cwi_check_transposition("op", e->op));
  CWI_TRY(cwi_check_square("a", e->f.a, n));
  return with_b ? cwi_check_sides("b", e->b, "a", e->f.a, *n) : CW_OK;
}

static cw_error solve(const char *call, struct equations *e, bool with_b, int64_t *pivot)
{
  int64_t n = 0;
  cw_array a = e->f.a;
  CWI_TRY(cwi_in_call(call, cwi_check_array("a", a)));
  const cw_error checked = solve_check(e, with_b, &n);
  const struct cwi_argument agreed[] = {
      cwi_argument_choice("op", cwi_transposition_names, e->op),
      cwi_agreed_array("a", a),
      cwi_agreed_array("b", e->b),
      CWI_ARGUMENTS_END,
  };
  CWI_TRY(
      CWI_COLLECTIVELY(call, a->team, checked == CW_OK ? agreed : NULL, solve_run(e, checked, n)));
  return cwi_in_call(call, cwi_factors_answer(&e->f, pivot));
}

cw_error cw_array_solve(cw_transposition op, cw_array a, cw_array b, int64_t *pivot)
{
  CWI_PROFILED(CW_CALL_LINEAR);
  struct equations e = {.f = {.a = a}, .op = op, .b = b};
  return solve("cw_array_solve", &e, true, pivot);
}

cw_error cw_array_solve_positive(cw_array a, cw_array b, int64_t *pivot)
{
  CWI_PROFILED(CW_CALL_LINEAR);
  struct equations e = {.f = {.a = a, .positive = true}, .b = b};
  return solve("cw_array_solve_positive", &e, true, pivot);
}

cw_error cw_array_invert_positive(cw_array a, int64_t *pivot)
{
  CWI_PROFILED(CW_CALL_LINEAR);
  struct equations e = {.f = {.a = a, .positive = true}};
  return solve("cw_array_invert_positive", &e, false, pivot);
}
