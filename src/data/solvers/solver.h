/* What the solvers share: checks of their matrices, the answer of LAPACK for all members, its
 * workspace.
 *
 * eigen.c         eigenvalues and eigenvectors of symmetric and Hermitian matrices: ScaLAPACK's
 *                 divide and conquer,
 * factor.c        factors of matrices: LU and Cholesky
 * lapack.c        LAPACK and ScaLAPACK for the solvers
 * local_matrix.c  redistribution between arrays and the block-cyclic, column-major matrices of
 *                 the solvers: blocks
 * orthogonal.c    QR factors and least squares
 * process_grid.c  grids of processes for ScaLAPACK: made for one call of a solver, on a
 *                 communicator of its own
 * solve.c         linear equations and inverses: matrices go block-cyclic over a grid, ScaLAPACK
 *                 works, results
 * solver.c        checks and answers of the solvers
 * svd.c           the singular value decomposition: LAPACK's divide and conquer, or ScaLAPACK's
 *                 QR iteration
 * triangular.c    equations with triangular matrices, and with the factors of LU */
#ifndef CWI_SOLVERS_SOLVER_H
#define CWI_SOLVERS_SOLVER_H

#include "linear/patch_matrix.h"
#include "solvers/lapack.h"
#include "solvers/process_grid.h"

#include <causeway/linear.h>

/* LAPACK's letters of cw_transposition. */
extern const char cwi_op_letters[CW_CONJUGATE_TRANSPOSED + 1];

/* Is it a matrix, of a type that LAPACK has? extents: receives its rows and columns. square: its
 * rows, if it has as many columns. name: of the argument. Errors: CW_MISUSE. */
CWI_CHECKED cw_error cwi_check_matrix(const char *name, cw_array array, int64_t extents[2]);
CWI_CHECKED cw_error cwi_check_square(const char *name, cw_array array, int64_t *n);

/* Do type and members fit those of the matrix a, and has it this shape? Errors: CW_MISUSE. */
CWI_CHECKED cw_error cwi_check_shape(const char *name, cw_array array, cw_array a, int64_t rows,
                                     int64_t columns);

/* Can it be, or receive, the other side of equations with the matrix a (whose argument is called
 * of): another array, of the same type and members, with so many rows; a vector is one column?
 * Errors: CW_MISUSE. */
CWI_CHECKED cw_error cwi_check_sides(const char *name, cw_array array, const char *of, cw_array a,
                                     int64_t rows);

/* 1 for a vector. */
static inline int64_t cwi_columns_of(cw_array array)
{
  return array->dimensions > 1 ? array->axes[1].extent : 1;
}

/* LAPACK's info, which the places of the grid know, for all members. Collective. Errors: CW_OUTSIDE
 * (a negative one). */
CWI_CHECKED cw_error cwi_solver_info(const struct cwi_grid *grid, int *info);

/* Refuse a matrix that has a number which is not finite; LAPACK might not end with it. lower: only
 * its lower triangle counts. Collective. Errors, on every member: CW_MISUSE, CW_OUTSIDE. */
CWI_CHECKED cw_error cwi_check_finite(const struct cwi_grid_part *local, cw_array array,
                                      bool lower);

/* A step that needs a workspace: the first time it only says how large a one. a: the matrix that it
 * works on. step: called by the places of the grid. info: receives what it returns. Collective.
 * Errors, on every member: CW_OUTSIDE. */
CWI_CHECKED cw_error cwi_solver_step(const struct cwi_grid_part *a, cw_type type,
                                     int (*step)(void *call, struct cwi_workspace *space),
                                     void *call, int *info);

/* The least step that any member has found. *step: mine, INT_MAX for none; receives it, or 0.
 * Collective. Errors: CW_OUTSIDE. */
CWI_CHECKED cw_error cwi_least_step(cw_team team, int *step);

/* The answer for an info that is not negative: 0 or a pivot's number goes to *pivot; without one,
 * a number is a misuse. what: what the matrix is not. */
CWI_CHECKED cw_error cwi_report_pivot(int info, const char *what, cw_array a, int64_t *pivot);
#endif
