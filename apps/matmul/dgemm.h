/* Matrix multiplication in the memory of one process, by BLAS. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* Arguments of dgemm, which computes c = op(a) op(b) + beta c. The matrices are stored by rows
 * without gaps. */
struct dgemm {
  bool ta, tb;
  int64_t m, n, k;
  const double *a, *b;
  double beta, *c;
};
void dgemm(const struct dgemm *call);

/* Makes BLAS use a single thread in each process. */
void dgemm_alone(void);
