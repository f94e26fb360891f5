/* The steps of solvers, one entry for each type: ScaLAPACK's routines, or LAPACK's where one
 * process works alone. Of symmetric matrices the lower triangle counts. */
#ifndef CWI_SOLVERS_LAPACK_H
#define CWI_SOLVERS_LAPACK_H

#include "solvers/local_matrix.h"

/* What a routine works with: elements, real numbers, integers. */
struct cwi_workspace {
  int counts[3]; /* -1: it only says how many it needs, in the first of each */
  void *work, *real;
  int *integers;
  struct {
    double _Complex work;
    double real;
    int integers;
  } queried; /* the first of each, while it is queried */
};

/* Each is called by all places of the grid, and by nobody else. Those that return a number return
 * LAPACK's info: 0, or what went wrong; the same on all. */
struct cwi_lapack {
  /* Factors of a general matrix, with its pivots; solve op(a) x = b by them. */
  int (*factor)(struct cwi_grid_part *a, int *pivots);
  int (*solve)(char op, struct cwi_grid_part *a, int *pivots, struct cwi_grid_part *b);
  /* Cholesky's factor, the solution, and the inverse by it. */
  int (*cholesky)(struct cwi_grid_part *a);
  int (*cholesky_solve)(struct cwi_grid_part *a, struct cwi_grid_part *b);
  int (*cholesky_invert)(struct cwi_grid_part *a);
  /* b becomes inverse(op(t)) b. which: 'L' or 'U', the triangle; diagonal: 'U': it is 1. */
  void (*triangular)(char which, char op, char diagonal, struct cwi_grid_part *t,
                     struct cwi_grid_part *b);
  /* From a x = w s x to the standard problem, s being factored; eigenvalues are to be multiplied by
   * *scale. */
  int (*reduce)(struct cwi_grid_part *a, struct cwi_grid_part *s, double *scale);
  /* Eigenvalues w (of the real type), ascending, and vectors z; alone: z is a. */
  int (*eigen)(struct cwi_grid_part *a, struct cwi_grid_part *z, void *w,
               struct cwi_workspace *space);
  /* a becomes r and the reflections that make q; these become q's first columns, as many as a has
   * rows or columns. */
  int (*orthogonalize)(struct cwi_grid_part *a, void *tau, struct cwi_workspace *space);
  int (*form_q)(struct cwi_grid_part *a, const void *tau, struct cwi_workspace *space);
  /* Of b, which has as many rows as the greater extent of a: the solution replaces the first ones.
   * a becomes its triangular factor. */
  int (*least_squares)(struct cwi_grid_part *a, struct cwi_grid_part *b,
                       struct cwi_workspace *space);
  /* Singular values s, descending; u and vh only if vectors are wanted. */
  int (*svd)(bool vectors, struct cwi_grid_part *a, struct cwi_grid_part *u, void *s,
             struct cwi_grid_part *vh, struct cwi_workspace *space);
  size_t real; /* bytes of an eigenvalue */
};
const struct cwi_lapack *cwi_lapack_of(cw_type type);

/* Loads LAPACK, and ScaLAPACK unless one process works alone, before any of the steps. Local.
 * Errors: CW_OUTSIDE. */
CWI_CHECKED cw_error cwi_lapack_begin(bool alone);
#endif
