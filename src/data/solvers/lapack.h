/* Calls of ScaLAPACK, or of LAPACK if one process works alone, in a table by type. The lower
 * triangle of symmetric matrices is used. */
#pragma once

#include "solvers/local_matrix.h"

/* Workspaces of a routine: elements, real numbers, integers. */
struct cwi_workspace {
  int counts[3]; /* -1 for a query: the routine stores the size that it needs as the first number of
                    each workspace */
  void *work, *real;
  int *integers;
  struct {
    double _Complex work;
    double real;
    int integers;
  } queried; /* results of a query */
};

/* Each function is called by all processes of the grid and by no others. Functions of type int
 * return LAPACK's info, which is 0 or an error, and the same on all of them. */
struct cwi_lapack {
  /* Factorize a general matrix with pivots, and solve op(a) x = b by the factors. */
  int (*factor)(struct cwi_grid_part *a, int *pivots);
  int (*solve)(char op, struct cwi_grid_part *a, int *pivots, struct cwi_grid_part *b);
  /* Compute Cholesky's factor, and by it the solution or the inverse. `space` has the extents of a;
   * it is used unless one process works alone. */
  int (*cholesky)(struct cwi_grid_part *a);
  int (*cholesky_solve)(struct cwi_grid_part *a, struct cwi_grid_part *b);
  int (*cholesky_invert)(struct cwi_grid_part *a, struct cwi_grid_part *space);
  /* Replaces b by inverse(op(t)) b. which: 'L' or 'U', the triangle; diagonal: 'U' if all its
   * elements are 1, otherwise 'N'. */
  void (*triangular)(char which, char op, char diagonal, struct cwi_grid_part *t,
                     struct cwi_grid_part *b);
  /* Reduces a x = w s x to the standard problem; s must have been factorized. The eigenvalues must
   * be multiplied by *scale. */
  int (*reduce)(struct cwi_grid_part *a, struct cwi_grid_part *s, double *scale);
  /* Computes eigenvalues w (of the real type), ascending, and vectors z. LAPACK stores the vectors
   * in a. */
  int (*eigen)(struct cwi_grid_part *a, struct cwi_grid_part *z, void *w,
               struct cwi_workspace *space);
  /* orthogonalize replaces a by r and the reflections that make q. form_q replaces these by the
   * first columns of q; their number is the lesser extent of a. */
  int (*orthogonalize)(struct cwi_grid_part *a, void *tau, struct cwi_workspace *space);
  int (*form_q)(struct cwi_grid_part *a, const void *tau, struct cwi_workspace *space);
  /* Solves least squares. b has as many rows as the greater extent of a; the solution replaces its
   * first rows. a becomes its triangular factor. */
  int (*least_squares)(struct cwi_grid_part *a, struct cwi_grid_part *b,
                       struct cwi_workspace *space);
  /* Computes singular values s, descending, and u and vh if vectors are wanted. */
  int (*svd)(bool vectors, struct cwi_grid_part *a, struct cwi_grid_part *u, void *s,
             struct cwi_grid_part *vh, struct cwi_workspace *space);
  size_t real; /* size of an eigenvalue in bytes */
};
const struct cwi_lapack *cwi_lapack_of(cw_type type);

/* Loads LAPACK, and ScaLAPACK unless one process works alone. Must be called before any function of
 * the table. Local. Errors: CW_OUTSIDE. */
CWI_CHECKED cw_error cwi_lapack_begin(bool alone);
