/* Matrix multiplication on one process: BLAS, one entry for each type. */
#pragma once

#include "base/error.h"

#include <causeway/linear.h>
#include <causeway/transfer.h>

#include <stddef.h>

/* Arguments of a call of xGEMM, row-major. m, n, k are the extents of op(a) and op(b). */
struct cwi_gemm {
  cw_transposition ta, tb;
  int m, n, k;
  const void *alpha, *a;
  int lda;
  const void *b;
  int ldb;
  const void *beta;
  void *c;
  int ldc;
};

typedef void (*cwi_gemm_function)(const struct cwi_gemm *gemm);

/* BLAS routine and constants of a type. */
struct cwi_field {
  cwi_gemm_function gemm;
  const void *zero, *one;
};
/* Returns the entry of a type, or NULL if BLAS does not support the type. */
const struct cwi_field *cwi_field_of(cw_type type);

/* Loads BLAS, which products need. BLAS uses one thread unless the environment sets another number.
 * Local. Errors: CW_OUTSIDE. */
CWI_CHECKED cw_error cwi_blas_begin(void);
