/* The steps of solvers, one entry for each type: ScaLAPACK's routines, or LAPACK's where one
 * process works alone. Of symmetric matrices the lower triangle counts. */
#ifndef CWI_LINEAR_LAPACK_H
#define CWI_LINEAR_LAPACK_H

#include "linear/grid_part.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Room for eigenvalue problems: counts, and what they count. */
struct cwi_workspace {
  int counts[3];
  void *work, *real;
  int *integers;
};

/* Each is called by all members of the grid, and by nobody else. All but `back` return LAPACK's
 * info: 0, or what went wrong; the same on all. */
struct cwi_lapack {
  /* Factors of a general matrix, with its pivots; solve op(a) x = b by them. */
  int (*factor)(struct cwi_grid_part *a, int *pivots);
  int (*solve)(char op, struct cwi_grid_part *a, int *pivots, struct cwi_grid_part *b);
  /* Cholesky's factor, the solution, and the inverse by it. */
  int (*cholesky)(struct cwi_grid_part *a);
  int (*cholesky_solve)(struct cwi_grid_part *a, struct cwi_grid_part *b);
  int (*cholesky_invert)(struct cwi_grid_part *a);
  /* From a x = w s x to the standard problem, s being factored; eigenvalues are to be multiplied by
   * *scale. */
  int (*reduce)(struct cwi_grid_part *a, struct cwi_grid_part *s, double *scale);
  /* Eigenvalues w (of the real type), ascending, and vectors z; alone: z is a. The workspace has
   * no memory yet: only learn the counts. */
  int (*eigen)(struct cwi_grid_part *a, struct cwi_grid_part *z, void *w,
               struct cwi_workspace *space);
  /* Vectors of the reduced problem become those of the original one. */
  void (*back)(struct cwi_grid_part *s, struct cwi_grid_part *z);
  size_t real; /* bytes of an eigenvalue */
};
const struct cwi_lapack *cwi_lapack_of(cw_type type);

#ifdef __cplusplus
}
#endif
#endif
