/* Factors of a matrix on a grid: LU with its pivots, or Cholesky's. */
#ifndef CWI_SOLVERS_FACTOR_H
#define CWI_SOLVERS_FACTOR_H

#include "solvers/solver.h"

struct cwi_factors {
  const struct cwi_lapack *lapack;
  cw_array a;
  bool positive; /* Cholesky, of the lower triangle */
  struct cwi_grid grid;
  struct cwi_grid_part part;
  int *pivots; /* not positive: ScaLAPACK's, of the rows that are here */
  int info;    /* the step that fails, from 1; 0: none */
};

/* Take memory and fill it. Local. Errors: CW_OUTSIDE. */
CWI_CHECKED cw_error cwi_factors_load(struct cwi_factors *f);
void cwi_factors_free(struct cwi_factors *f);

/* Collective. Sets f->info. Errors, on every member: CW_OUTSIDE. */
CWI_CHECKED cw_error cwi_factorize(struct cwi_factors *f);

/* The answer of a call that has factorized, or would have. */
CWI_CHECKED cw_error cwi_factors_answer(const struct cwi_factors *f, int64_t *pivot);
#endif
