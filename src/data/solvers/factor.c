/* Factors of matrices: LU and Cholesky. */
#include "solvers/factor.h"

#include "array/array_arguments.h"
#include "collective/collective.h"
#include "collective_call/collective_check.h"
#include "linear/synchronize.h"
#include "profile/profile.h"

#include <causeway/linear.h>

#include <limits.h>
#include <stdlib.h>

cw_error cwi_factors_load(struct cwi_factors *f)
{
  const struct cwi_axis *axes = f->a->axes;
  f->lapack = cwi_lapack_of(f->a->type);
  CWI_TRY(cwi_grid_part_make(&f->grid, axes[0].extent, axes[1].extent, f->a->element, INT_MAX,
                             &f->part));
  if (!f->positive) {
    f->pivots = malloc(((size_t)f->part.own[0] + (size_t)f->grid.block) * sizeof *f->pivots);
    if (f->pivots == NULL)
      return cwi_outside("no memory for the pivots of %lld rows", (long long)f->part.own[0]);
  }
  return cwi_grid_part_load(&f->part, f->a, NULL);
}

void cwi_factors_free(struct cwi_factors *f)
{
  cwi_grid_part_free(&f->part);
  free(f->pivots);
}

static int factor_step(struct cwi_factors *f)
{
  return f->positive ? f->lapack->cholesky(&f->part) : f->lapack->factor(&f->part, f->pivots);
}

/* Returns the first step that failed, as far as this process can see. PxGETRF does not report a
 * zero pivot whose panel is a single row, and no routine reports overflow. */
static int bad_step(const struct cwi_factors *f)
{
  const int infinite = cwi_grid_part_first_infinite(&f->part, f->a->type, f->positive);
  const int pivot = cwi_grid_part_bad_pivot(&f->part, f->a->type, NULL);
  return infinite < pivot ? infinite : pivot;
}

/* Searches for numbers that are not finite first: with such a number LAPACK would return 0 and a
 * meaningless result. */
cw_error cwi_factorize(struct cwi_factors *f)
{
  cw_team team = f->grid.team;
  f->info = cwi_grid_part_first_infinite(&f->part, f->a->type, f->positive);
  CWI_TRY(cwi_least_step(team, &f->info));
  if (f->info != 0)
    return CW_OK;
  f->info = f->grid.row >= 0 ? factor_step(f) : 0;
  CWI_TRY(cwi_solver_info(&f->grid, &f->info));
  if (f->info != 0)
    return CW_OK;
  f->info = bad_step(f);
  return cwi_least_step(team, &f->info);
}

cw_error cwi_factors_answer(const struct cwi_factors *f, int64_t *pivot)
{
  return cwi_report_pivot(f->info, f->positive ? "positive definite" : "regular", f->a, pivot);
}

/* - Calls that return factors - */

struct staying {
  struct cwi_factors f;
  int64_t *order; /* for LU only */
};

/* Gathers the pivot of each step, counted from 1, from the processes in the first column of the
 * grid, which have the pivots of their rows. Collective. Errors: CW_OUTSIDE. */
static cw_error gather_pivots(const struct cwi_factors *f, int64_t steps, int *pivots)
{
  CWI_ASSERT(pivots != NULL);
  for (int64_t i = 0; i < f->part.own[0] && f->grid.column == 0; i++) {
    const int64_t row = cwi_grid_part_index(&f->part, 0, i);
    if (row < steps)
      pivots[row] = f->pivots[i];
  }
  return cwi_allreduce(f->grid.team, CW_INT, CW_SUM, (size_t)steps, pivots);
}

/* Computes the order of the rows in L U: step i has exchanged row i with the row of its pivot. */
static void exchange_rows(const int *pivots, int64_t steps, int64_t *order, int64_t rows)
{
  for (int64_t i = 0; i < rows; i++)
    order[i] = i;
  for (int64_t i = 0; i < steps; i++) {
    const int64_t other = pivots[i] - 1, row = order[i];
    order[i] = order[other];
    order[other] = row;
  }
}

/* Computes the order of the rows on all members. Collective. Errors: CW_OUTSIDE. */
static cw_error share_order(const struct staying *s)
{
  const struct cwi_axis *axes = s->f.part.axes;
  const int64_t rows = axes[0].extent, steps = cwi_lesser(rows, axes[1].extent);
  int *pivots = calloc((size_t)steps, sizeof *pivots);
  cw_error error =
      pivots != NULL ? CW_OK : cwi_outside("no memory for %lld pivots", (long long)steps);
  error = cwi_matrix_synchronize(s->f.grid.team, error);
  if (error == CW_OK)
    error = gather_pivots(&s->f, steps, pivots);
  if (error == CW_OK)
    exchange_rows(pivots, steps, s->order, rows);
  free(pivots);
  return error;
}

static cw_error factor_on_grid(void *call)
{
  struct staying *s = call;
  struct cwi_factors *f = &s->f;
  cw_team team = f->grid.team;
  CWI_TRY(cwi_matrix_synchronize(team, cwi_factors_load(f)));
  CWI_TRY(cwi_factorize(f));
  if (f->info != 0)
    return CW_OK;
  if (f->positive)
    cwi_grid_part_clear(&f->part, CWI_ABOVE);
  else
    CWI_TRY(share_order(s));
  return cwi_matrix_synchronize(team, cwi_grid_part_store(&f->part, f->a, NULL));
}

static cw_error factor_check(const struct staying *s, int64_t *least)
{
  int64_t extents[2];
  CWI_TRY(s->f.positive ? cwi_check_square("a", s->f.a, least)
                        : cwi_check_matrix("a", s->f.a, extents));
  if (s->f.positive)
    return CW_OK;
  *least = cwi_lesser(extents[0], extents[1]);
  return s->order != NULL ? CW_OK : cwi_misuse("order is NULL; it receives the order of the rows");
}

static cw_error factor(const char *name, struct staying *s, int64_t *pivot)
{
  int64_t least = 0;
  CWI_TRY(cwi_in_call(name, cwi_check_array("a", s->f.a)));
  cw_array a = s->f.a;
  const cw_error checked = factor_check(s, &least);
  const struct cwi_argument agreed[] = {cwi_agreed_array("a", a), CWI_ARGUMENTS_END};
  const cw_error error =
      CWI_COLLECTIVELY(name, a->team, checked == CW_OK ? agreed : NULL,
                       cwi_grid_run(a, checked, least, &s->f.grid, factor_on_grid, s));
  cwi_factors_free(&s->f);
  return error == CW_OK ? cwi_in_call(name, cwi_factors_answer(&s->f, pivot)) : error;
}

cw_error cw_array_lu(cw_array a, int64_t *order, int64_t *pivot)
{
  CWI_PROFILED(CW_CALL_LINEAR);
  struct staying s = {.f = {.a = a}, .order = order};
  return factor("cw_array_lu", &s, pivot);
}

cw_error cw_array_cholesky(cw_array a, int64_t *pivot)
{
  CWI_PROFILED(CW_CALL_LINEAR);
  struct staying s = {.f = {.a = a, .positive = true}};
  return factor("cw_array_cholesky", &s, pivot);
}
