/* Linear equations and inverses: matrices go block-cyclic over a grid, ScaLAPACK works, results
 * come back. Small ones go to LAPACK on one process. */
#include "array/agreed.h"
#include "collective/collective.h"
#include "linear/blas.h"
#include "linear/meet.h"
#include "linear/solver.h"
#include "team/collective.h"

#include <causeway/linear.h>

#include <limits.h>
#include <stdlib.h>

/* One call. */
struct equations {
  const struct cwi_lapack *lapack;
  cw_transposition op;
  bool positive;
  cw_array a, b; /* b NULL: the inverse is wanted */
  int64_t n;
  struct cwi_grid grid;
  struct cwi_grid_part parts[2];
  int *pivots;
  int info;
};

/* Take memory and fill it. Local. Errors: CW_OUTSIDE. */
static cw_error solve_load(struct equations *e)
{
  const size_t element = e->a->element;
  CWI_TRY(cwi_grid_part_make(&e->grid, e->n, e->n, element, INT_MAX, &e->parts[0]));
  if (e->b != NULL) {
    const int64_t columns = e->b->dimensions > 1 ? e->b->axes[1].extent : 1;
    CWI_TRY(cwi_grid_part_make(&e->grid, e->n, columns, element, INT_MAX, &e->parts[1]));
  }
  if (!e->positive) {
    e->pivots = malloc(((size_t)e->parts[0].own[0] + (size_t)e->grid.block) * sizeof *e->pivots);
    if (e->pivots == NULL)
      return cwi_outside("no memory for the pivots of %lld rows", (long long)e->parts[0].own[0]);
  }
  CWI_TRY(cwi_grid_part_load(&e->parts[0], e->a));
  return e->b != NULL ? cwi_grid_part_load(&e->parts[1], e->b) : CW_OK;
}

static int factor(struct equations *e)
{
  return e->positive ? e->lapack->cholesky(&e->parts[0])
                     : e->lapack->factor(&e->parts[0], e->pivots);
}

static int solve_finish(struct equations *e)
{
  struct cwi_grid_part *a = &e->parts[0], *b = &e->parts[1];
  if (e->b == NULL)
    return e->lapack->cholesky_invert(a);
  return e->positive ? e->lapack->cholesky_solve(a, b)
                     : e->lapack->solve("NTC"[e->op], a, e->pivots, b);
}

/* The first pivot that is 0 or not finite, from 1, of those that are here; INT_MAX: none. PxGETRF
 * does not tell of a zero that has a panel of one row to itself, and nobody of a NaN. */
static int first_bad_pivot(const struct equations *e)
{
  const struct cwi_grid_part *a = &e->parts[0];
  for (int64_t k = 0; k < e->n && a->data != NULL; k++) {
    const void *pivot = cwi_grid_part_element(a, k, k);
    if (pivot != NULL && (cwi_is_zero(e->a->type, pivot) || !cwi_is_finite(e->a->type, pivot, 1)))
      return (int)k + 1;
  }
  return INT_MAX;
}

/* The result goes back only when there is one. */
static cw_error store(struct equations *e)
{
  if (e->info != 0)
    return CW_OK;
  return e->b == NULL ? cwi_grid_part_store_symmetric(&e->parts[0], e->a)
                      : cwi_grid_part_store(&e->parts[1], e->b);
}

/* Factors of the matrix. e->info: the step that fails. With a number that is not finite LAPACK's
 * answer would be 0, and its result rubbish. */
static cw_error factorize(struct equations *e)
{
  cw_team team = e->a->team;
  e->info = cwi_grid_part_first_infinite(&e->parts[0], e->a->type, e->positive);
  CWI_TRY(cwi_least_step(team, &e->info));
  if (e->info != 0)
    return CW_OK;
  e->info = e->grid.row >= 0 ? factor(e) : 0;
  CWI_TRY(cwi_solver_info(&e->grid, &e->info));
  if (e->info != 0)
    return CW_OK;
  e->info = first_bad_pivot(e);
  return cwi_least_step(team, &e->info);
}

static cw_error run_on_grid(void *call)
{
  struct equations *e = call;
  cw_team team = e->a->team;
  e->lapack = cwi_lapack_of(e->a->type);
  CWI_TRY(cwi_meet(team, solve_load(e)));
  CWI_TRY(factorize(e));
  if (e->info == 0) {
    e->info = e->grid.row >= 0 ? solve_finish(e) : 0;
    CWI_TRY(cwi_solver_info(&e->grid, &e->info));
  }
  return cwi_meet(team, store(e));
}

static cw_error solve_run(struct equations *e, cw_error checked)
{
  const cw_error error = cwi_grid_run(e->a, checked, e->n, &e->grid, run_on_grid, e);
  cwi_grid_part_free(&e->parts[0]);
  cwi_grid_part_free(&e->parts[1]);
  free(e->pivots);
  return error;
}

static cw_error solve_check(struct equations *e, bool with_b)
{
  if ((unsigned)e->op > CW_CONJUGATE_TRANSPOSED)
    return cwi_misuse("op is %d; it may be CW_NOT_TRANSPOSED (0), CW_TRANSPOSED (1) or "
                      "CW_CONJUGATE_TRANSPOSED (2)",
                      (int)e->op);
  CWI_TRY(cwi_check_square("a", e->a, &e->n));
  if (!with_b)
    return CW_OK;
  CWI_TRY(cwi_check_beside("b", e->b, e->a, e->n));
  return e->b == e->a ? cwi_misuse("a and b are both array '%s'", e->a->name) : CW_OK;
}

static cw_error solve(const char *call, struct equations *e, bool with_b, int64_t *pivot)
{
  CWI_TRY(cwi_in_call(call, cwi_check_array("a", e->a)));
  const cw_error checked = solve_check(e, with_b);
  const struct cwi_agreed agreed[] = {
      cwi_agreed_choice("op", cwi_transposition_names, e->op),
      cwi_agreed_array("a", e->a),
      cwi_agreed_array("b", e->b),
      CWI_AGREED_END,
  };
  CWI_TRY(
      CWI_COLLECTIVELY(call, e->a->team, checked == CW_OK ? agreed : NULL, solve_run(e, checked)));
  return cwi_in_call(
      call, cwi_tell_pivot(e->info, e->positive ? "positive definite" : "regular", e->a, pivot));
}

cw_error cw_array_solve(cw_transposition op, cw_array a, cw_array b, int64_t *pivot)
{
  struct equations e = {.op = op, .a = a, .b = b};
  return solve("cw_array_solve", &e, true, pivot);
}

cw_error cw_array_solve_positive(cw_array a, cw_array b, int64_t *pivot)
{
  struct equations e = {.positive = true, .a = a, .b = b};
  return solve("cw_array_solve_positive", &e, true, pivot);
}

cw_error cw_array_invert_positive(cw_array a, int64_t *pivot)
{
  struct equations e = {.positive = true, .a = a};
  return solve("cw_array_invert_positive", &e, false, pivot);
}
