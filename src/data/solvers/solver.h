/* Functions that the solvers share: checks of matrices, LAPACK's results for all members,
 * workspaces.
 *
 * eigen.c         eigenvalues and eigenvectors of symmetric and Hermitian matrices
 * factor.c        factors of matrices: LU and Cholesky
 * lapack.c        LAPACK and ScaLAPACK for the solvers
 * local_matrix.c  redistribution between arrays and the block-cyclic matrices of the solvers
 * orthogonal.c    QR factors and least squares
 * process_grid.c  grids of processes for ScaLAPACK, each for one call of a solver
 * solve.c         linear equations and inverses
 * solver.c        checks and results of the solvers
 * svd.c           the singular value decomposition
 * triangular.c    equations with triangular matrices, and with the factors of LU */
#pragma once

#include "linear/patch_matrix.h"
#include "solvers/lapack.h"
#include "solvers/process_grid.h"

#include <causeway/linear.h>

/* LAPACK's letters for cw_transposition. */
extern const char cwi_op_letters[CW_CONJUGATE_TRANSPOSED + 1];

/* Check that an array is a matrix, or a square matrix, of a type that LAPACK supports. extents:
 * receives rows and columns; n: the number of rows. `name` is the argument's name. Errors:
 * CW_MISUSE. */
CWI_CHECKED cw_error cwi_check_matrix(const char *name, cw_array array, int64_t extents[2]);
CWI_CHECKED cw_error cwi_check_square(const char *name, cw_array array, int64_t *n);

/* Checks that the array has the type and members of the matrix a, and this shape. Errors:
 * CW_MISUSE. */
CWI_CHECKED cw_error cwi_check_shape(const char *name, cw_array array, cw_array a, int64_t rows,
                                     int64_t columns);

/* Checks that the array can be the right side or the solution of equations with the matrix a, whose
 * argument is called `of`: another array of the same type and members with `rows` rows. A vector
 * counts as one column. Errors: CW_MISUSE. */
CWI_CHECKED cw_error cwi_check_sides(const char *name, cw_array array, const char *of, cw_array a,
                                     int64_t rows);

/* Returns the number of columns; 1 for a vector. */
static inline int64_t cwi_columns_of(cw_array array)
{
  return array->dimensions > 1 ? array->axes[1].extent : 1;
}

/* Broadcasts LAPACK's info from the grid to all members. Collective. Errors: CW_OUTSIDE (it is
 * negative). */
CWI_CHECKED cw_error cwi_solver_info(const struct cwi_grid *grid, int *info);

/* Rejects a matrix with a number that is not finite, because LAPACK might not terminate. lower:
 * only the lower triangle is checked. Collective. Errors, on every member: CW_MISUSE,
 * CW_OUTSIDE. */
CWI_CHECKED cw_error cwi_check_finite(const struct cwi_grid_part *local, cw_array array,
                                      bool lower);

/* Runs a step that needs a workspace. `step` is called twice by the processes of the grid, first to
 * query the size. `a` is the matrix that it works on. `info` receives its result. Collective.
 * Errors, on every member: CW_OUTSIDE. */
CWI_CHECKED cw_error cwi_solver_step(const struct cwi_grid_part *a, cw_type type,
                                     int (*step)(void *call, struct cwi_workspace *space),
                                     void *call, int *info);

/* Finds the least step over all members. On entry *step is mine, or INT_MAX if there is none. On
 * return it is the least step, or 0 if no member has one. Collective. Errors: CW_OUTSIDE. */
CWI_CHECKED cw_error cwi_least_step(cw_team team, int *step);

/* Reports an info, which is 0 or the number of a bad pivot. If `pivot` is not NULL, stores the info
 * in *pivot. If `pivot` is NULL, returns CW_MISUSE for a bad pivot; `what` names the property that
 * the matrix does not have. */
CWI_CHECKED cw_error cwi_report_pivot(int info, const char *what, cw_array a, int64_t *pivot);
