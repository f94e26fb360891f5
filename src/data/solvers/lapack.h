/* Calls of ScaLAPACK, or of LAPACK if one process works alone, in a table by type. The lower
 * triangle of symmetric matrices is used. */
#ifndef CWI_SOLVERS_LAPACK_H
#define CWI_SOLVERS_LAPACK_H

#include "solvers/local_matrix.h"

/* Workspaces of a routine: elements, real numbers, integers. */
struct cwi_workspace {
  int counts[3]; /* -1 for a query: the routine stores the sizes that it needs in the first of each
                  */
  void *work, *real;
  int *integers;
  struct {
    double _Complex work;
    double real;
    int integers;
  } queried; /* results of a query */
};

/* Each function is called by all processes of the grid and by no others. Those that return a number
 * return LAPACK's info: 0, or an error, the same on all. */
struct cwi_lapack {
  /* Factorizes a general matrix, with pivots; solves op(a) x = b by the factors. */
  int (*factor)(struct cwi_grid_part *a, int *pivots);
  int (*solve)(char op, struct cwi_grid_part *a, int *pivots, struct cwi_grid_part *b);
  /* Computes Cholesky's factor; the solution and the inverse by it. */
  int (*cholesky)(struct cwi_grid_part *a);
  int (*cholesky_solve)(struct cwi_grid_part *a, struct cwi_grid_part *b);
  int (*cholesky_invert)(struct cwi_grid_part *a);
  /* Replaces b by inverse(op(t)) b. which: 'L' or 'U', the triangle; diagonal: 'U' if it is 1. */
  void (*triangular)(char which, char op, char diagonal, struct cwi_grid_part *t,
                     struct cwi_grid_part *b);
  /* Reduces a x = w s x to the standard problem; s is factorized. Eigenvalues must be multiplied by
   * *scale. */
  int (*reduce)(struct cwi_grid_part *a, struct cwi_grid_part *s, double *scale);
  /* Computes eigenvalues w (of the real type), ascending, and vectors z; with LAPACK z is a. */
  int (*eigen)(struct cwi_grid_part *a, struct cwi_grid_part *z, void *w,
               struct cwi_workspace *space);
  /* Replaces a by r and the reflections that make q; replaces these by the first columns of q, as
   * many as a has rows or columns. */
  int (*orthogonalize)(struct cwi_grid_part *a, void *tau, struct cwi_workspace *space);
  int (*form_q)(struct cwi_grid_part *a, const void *tau, struct cwi_workspace *space);
  /* Solves least squares. b has as many rows as the greater extent of a; the solution replaces the
   * first of them. a becomes its triangular factor. */
  int (*least_squares)(struct cwi_grid_part *a, struct cwi_grid_part *b,
                       struct cwi_workspace *space);
  /* Computes singular values s, descending, and u and vh if vectors are wanted. */
  int (*svd)(bool vectors, struct cwi_grid_part *a, struct cwi_grid_part *u, void *s,
             struct cwi_grid_part *vh, struct cwi_workspace *space);
  size_t real; /* size of an eigenvalue in bytes */
};
const struct cwi_lapack *cwi_lapack_of(cw_type type);

/* Loads LAPACK, and ScaLAPACK unless one process works alone, before any of the steps. Local.
 * Errors: CW_OUTSIDE. */
CWI_CHECKED cw_error cwi_lapack_begin(bool alone);
#endif
