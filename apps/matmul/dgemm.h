/* BLAS: the multiplication in one process's memory. */
#ifndef MATMUL_DGEMM_H
#define MATMUL_DGEMM_H

#include <stdbool.h>
#include <stdint.h>

/* One call of dgemm, on matrices without gaps, row by row: c = op(a) op(b) + beta c. */
struct dgemm {
  bool ta, tb;
  int64_t m, n, k;
  const double *a, *b;
  double beta, *c;
};
void dgemm(const struct dgemm *call);

/* From now on BLAS works with one thread in each process. */
void dgemm_alone(void);

#endif
