/* Factors of a matrix on a grid: LU with its pivots, or Cholesky's. */
#pragma once

#include "solvers/solver.h"

struct cwi_factors {
  const struct cwi_lapack *lapack;
  cw_array a;
  bool positive; /* Cholesky, of the lower triangle; otherwise LU */
  struct cwi_grid grid;
  struct cwi_grid_part part;
  int *pivots; /* LU only: ScaLAPACK's pivots of the local rows */
  int info;    /* the step that failed, counted from 1; 0 if none */
};

/* Allocates the part and loads it. Local. Errors: CW_OUTSIDE. */
CWI_CHECKED cw_error cwi_factors_load(struct cwi_factors *f);
void cwi_factors_free(struct cwi_factors *f);

/* Factorizes the matrix and sets f->info. Collective. Errors, on every member: CW_OUTSIDE. */
CWI_CHECKED cw_error cwi_factorize(struct cwi_factors *f);

/* Returns the result of a call after cwi_factorize; see cwi_report_pivot. */
CWI_CHECKED cw_error cwi_factors_answer(const struct cwi_factors *f, int64_t *pivot);
