/* Checks and results of the solvers. */
#include "solvers/solver.h"

#include "collective/collective.h"
#include "linear/synchronize.h"
#include "team/collective_arguments.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

const char cwi_op_letters[] = {'N', 'T', 'C'};

/* Checks that the extents fit into LAPACK's integers. */
static cw_error check_counts(const char *name, cw_array array)
{
  for (int d = 0; d < array->dimensions; d++)
    if (array->axes[d].extent > INT_MAX)
      return cwi_misuse("%s is array '%s' with %lld %s; LAPACK counts up to %d", name, array->name,
                        (long long)array->axes[d].extent, d == 0 ? "rows" : "columns", INT_MAX);
  return CW_OK;
}

static cw_error check_shape(const char *name, cw_array array, bool right, const char *wanted)
{
  if (right)
    return check_counts(name, array);
  return cwi_misuse("%s is array '%s' of %d dimensions and %lld x %lld elements; it must be %s",
                    name, array->name, array->dimensions, (long long)array->axes[0].extent,
                    (long long)cwi_columns_of(array), wanted);
}

cw_error cwi_check_matrix(const char *name, cw_array array, int64_t extents[2])
{
  CWI_TRY(cwi_check_field(name, array));
  extents[0] = array->axes[0].extent;
  extents[1] = cwi_columns_of(array);
  return check_shape(name, array, array->dimensions == 2, "a matrix");
}

cw_error cwi_check_square(const char *name, cw_array array, int64_t *n)
{
  CWI_TRY(cwi_check_field(name, array));
  *n = array->axes[0].extent;
  return check_shape(name, array, array->dimensions == 2 && array->axes[1].extent == *n,
                     "a square matrix");
}

cw_error cwi_check_shape(const char *name, cw_array array, cw_array a, int64_t rows,
                         int64_t columns)
{
  char wanted[64];
  CWI_TRY(cwi_check_partner(name, array, "a", a));
  (void)snprintf(wanted, sizeof wanted, "a matrix of %lld x %lld", (long long)rows,
                 (long long)columns);
  return check_shape(name, array,
                     array->dimensions == 2 && array->axes[0].extent == rows &&
                         array->axes[1].extent == columns,
                     wanted);
}

cw_error cwi_check_sides(const char *name, cw_array array, const char *of, cw_array a, int64_t rows)
{
  char wanted[64];
  CWI_TRY(cwi_check_partner(name, array, of, a));
  if (array == a)
    return cwi_misuse("%s and %s are both array '%s'; they must be different arrays", of, name,
                      a->name);
  (void)snprintf(wanted, sizeof wanted, "a vector or matrix of %lld rows", (long long)rows);
  return check_shape(name, array, array->dimensions <= 2 && array->axes[0].extent == rows, wanted);
}

cw_error cwi_solver_info(const struct cwi_grid *grid, int *info)
{
  CWI_TRY(cwi_broadcast(grid->team, grid->root, info, sizeof *info));
  return *info >= 0 ? CW_OK : cwi_outside("LAPACK rejected its argument %d", -*info);
}

cw_error cwi_least_step(cw_team team, int *step)
{
  CWI_TRY(cwi_allreduce(team, CW_INT, CW_MINIMUM, 1, step));
  *step = *step != INT_MAX ? *step : 0;
  return CW_OK;
}

cw_error cwi_check_finite(const struct cwi_grid_part *local, cw_array array, bool lower)
{
  int step = cwi_grid_part_first_infinite(local, array->type, lower);
  CWI_TRY(cwi_least_step(local->grid->team, &step));
  return step == 0 ? CW_OK
                   : cwi_misuse("array '%s' has a number that is not finite in row or column %d",
                                array->name, step - 1);
}

cw_error cwi_report_pivot(int info, const char *what, cw_array a, int64_t *pivot)
{
  if (pivot != NULL)
    *pivot = info;
  if (info == 0 || pivot != NULL)
    return CW_OK;
  return cwi_misuse("array '%s' is not %s (pivot %d)", a->name, what, info);
}

/* Returns a number that a routine has stored. */
static double answer(cw_type type, const void *first)
{
  return cwi_type_is_single(type) ? (double)*(const float *)first : *(const double *)first;
}

/* Returns a sufficient size of a workspace. `queried` is the size from the query, a floating-point
 * number that may be rounded. Sizes from ScaLAPACK are too small: in PxSYEVD, PxLASRT gets less
 * space than it needs. It lacks space for the columns of a neighbouring block. */
static double enough(const struct cwi_grid_part *a, double queried)
{
  const double columns = (double)a->own[1] + (double)a->grid->block;
  const double longer =
      (double)(a->axes[0].extent > a->axes[1].extent ? a->axes[0].extent : a->axes[1].extent);
  const double more = queried * 1.001 + 8 * longer + 1000;
  return a->grid->alone ? more : more + (double)a->own[0] * columns;
}

static void workspace_query(struct cwi_workspace *space)
{
  *space = (struct cwi_workspace){.counts = {-1, -1, -1}};
  space->work = &space->queried.work;
  space->real = &space->queried.real;
  space->integers = &space->queried.integers;
}

/* Allocates the workspaces whose sizes were queried. A workspace that cannot be allocated becomes
 * NULL. Local. Errors: CW_OUTSIDE. */
static cw_error workspace_take(const struct cwi_grid_part *a, cw_type type,
                               struct cwi_workspace *space)
{
  const double queried[3] = {answer(type, space->work), answer(type, space->real),
                             (double)*space->integers};
  const size_t bytes[3] = {cwi_type_bytes[type], cwi_lapack_of(type)->real, sizeof(int)};
  void *taken[3] = {NULL, NULL, NULL};
  bool all = true;
  for (int i = 0; i < 3; i++) {
    const double count = enough(a, queried[i]);
    const bool counted = count <= INT_MAX;
    space->counts[i] = counted ? (int)count : INT_MAX;
    taken[i] = counted ? malloc((size_t)space->counts[i] * bytes[i]) : NULL;
    all = all && taken[i] != NULL;
  }
  space->work = taken[0];
  space->real = taken[1];
  space->integers = taken[2];
  return all ? CW_OK
             : cwi_outside("no memory for LAPACK's workspace of %d, %d and %d numbers (LAPACK can "
                           "count up to %d)",
                           space->counts[0], space->counts[1], space->counts[2], INT_MAX);
}

static void workspace_free(struct cwi_workspace *space)
{
  free(space->work);
  free(space->real);
  free(space->integers);
}

cw_error cwi_solver_step(const struct cwi_grid_part *a, cw_type type,
                         int (*step)(void *call, struct cwi_workspace *space), void *call,
                         int *info)
{
  const struct cwi_grid *grid = a->grid;
  const bool place = grid->row >= 0;
  struct cwi_workspace space;
  workspace_query(&space);
  *info = place ? step(call, &space) : 0;
  CWI_TRY(cwi_solver_info(grid, info));
  const cw_error taken = place ? workspace_take(a, type, &space) : CW_OK;
  cw_error error = cwi_matrix_synchronize(grid->team, taken);
  if (error == CW_OK) {
    *info = place ? step(call, &space) : 0;
    error = cwi_solver_info(grid, info);
  }
  if (place)
    workspace_free(&space);
  return error;
}
