/* Checks and answers of the solvers. */
#include "linear/solver.h"

#include "collective/collective.h"
#include "team/agreed.h"

#include <limits.h>
#include <stdlib.h>

cw_error cwi_check_square(const char *name, cw_array array, int64_t *n)
{
  CWI_TRY(cwi_check_array(name, array));
  if (cwi_lapack_of(array->type) == NULL)
    return cwi_misuse("%s is array '%s', whose type is %s; it may be %s to %s", name, array->name,
                      cwi_type_word(array->type), cwi_type_word(CW_FLOAT),
                      cwi_type_word(CW_DOUBLE_COMPLEX));
  *n = array->axes[0].extent;
  if (array->dimensions != 2 || array->axes[1].extent != *n)
    return cwi_misuse("%s is array '%s' of %d dimensions and %lld x %lld elements; it must be a "
                      "square matrix",
                      name, array->name, array->dimensions, (long long)*n,
                      array->dimensions > 1 ? (long long)array->axes[1].extent : 1);
  if (*n > INT_MAX)
    return cwi_misuse("%s is array '%s' with %lld rows; LAPACK counts up to %d", name, array->name,
                      (long long)*n, INT_MAX);
  return CW_OK;
}

cw_error cwi_check_beside(const char *name, cw_array array, cw_array a, int64_t n)
{
  CWI_TRY(cwi_check_array(name, array));
  if (array->type != a->type)
    return cwi_misuse("%s is array '%s' of type %s; a is of type %s", name, array->name,
                      cwi_type_word(array->type), cwi_type_word(a->type));
  if (!cwi_team_same_members(array->team, a->team))
    return cwi_misuse("%s is array '%s', whose team has other members than that of a", name,
                      array->name);
  if (array->dimensions > 2 || array->axes[0].extent != n)
    return cwi_misuse("%s is array '%s' of %d dimensions and %lld rows; a has %lld rows", name,
                      array->name, array->dimensions, (long long)array->axes[0].extent,
                      (long long)n);
  if (array->dimensions == 2 && array->axes[1].extent > INT_MAX)
    return cwi_misuse("%s is array '%s' with %lld columns; LAPACK counts up to %d", name,
                      array->name, (long long)array->axes[1].extent, INT_MAX);
  return CW_OK;
}

cw_error cwi_solver_info(const struct cwi_grid *grid, int *info)
{
  CWI_TRY(cwi_broadcast(grid->team, grid->root, info, sizeof *info));
  return *info >= 0 ? CW_OK : cwi_outside("LAPACK refused its argument %d", -*info);
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

cw_error cwi_tell_pivot(int info, const char *what, cw_array a, int64_t *pivot)
{
  if (pivot != NULL)
    *pivot = info;
  if (info == 0 || pivot != NULL)
    return CW_OK;
  return cwi_misuse("array '%s' is not %s (pivot %d)", a->name, what, info);
}

cw_error cwi_workspace_take(struct cwi_workspace *space, cw_type type, int info)
{
  if (info != 0)
    return cwi_outside("LAPACK refused its argument %d", -info);
  space->work = malloc((size_t)space->counts[0] * cwi_type_bytes[type]);
  space->real = malloc((size_t)space->counts[1] * cwi_lapack_of(type)->real);
  space->integers = malloc((size_t)space->counts[2] * sizeof(int));
  if (space->work != NULL && space->real != NULL && space->integers != NULL)
    return CW_OK;
  return cwi_outside("no memory for LAPACK to work with: %d, %d and %d numbers", space->counts[0],
                     space->counts[1], space->counts[2]);
}

void cwi_workspace_free(struct cwi_workspace *space)
{
  free(space->work);
  free(space->real);
  free(space->integers);
}
