/* What the solvers share: checks of their matrices, the answer of LAPACK for all members, its
 * workspace. */
#ifndef CWI_LINEAR_SOLVER_H
#define CWI_LINEAR_SOLVER_H

#include "linear/grid.h"
#include "linear/lapack.h"

#include <causeway/array.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Is it a square matrix of a type that LAPACK has? Its rows. Errors: CW_MISUSE. */
CWI_CHECKED cw_error cwi_check_square(const char *name, cw_array array, int64_t *n);

/* Do type and members fit those of the matrix a, and has it n rows? name: of the array. Errors:
 * CW_MISUSE. */
CWI_CHECKED cw_error cwi_check_beside(const char *name, cw_array array, cw_array a, int64_t n);

/* LAPACK's info, which the places of the grid know, for all members. Collective. Errors: CW_OUTSIDE
 * (a negative one). */
CWI_CHECKED cw_error cwi_solver_info(const struct cwi_grid *grid, int *info);

/* Refuse a matrix that has a number which is not finite; LAPACK might not end with it. lower: only
 * its lower triangle counts. Collective. Errors, on every member: CW_MISUSE, CW_OUTSIDE. */
CWI_CHECKED cw_error cwi_check_finite(const struct cwi_grid_part *local, cw_array array,
                                      bool lower);

/* Memory of the counts that were asked for. info: what asking returned. Local. Errors: CW_OUTSIDE. */
CWI_CHECKED cw_error cwi_workspace_take(struct cwi_workspace *space, cw_type type, int info);
void cwi_workspace_free(struct cwi_workspace *space);

/* The least step that any member has found. *step: mine, INT_MAX for none; receives it, or 0.
 * Collective. Errors: CW_OUTSIDE. */
CWI_CHECKED cw_error cwi_least_step(cw_team team, int *step);

/* The answer for an info that is not negative: 0 or a pivot's number goes to *pivot; without one,
 * a number is a misuse. what: what the matrix is not. */
CWI_CHECKED cw_error cwi_tell_pivot(int info, const char *what, cw_array a, int64_t *pivot);

#ifdef __cplusplus
}
#endif
#endif
