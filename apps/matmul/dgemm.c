/* Calls BLAS for the multiplication in the memory of one process. */
#include "dgemm.h"

#include <cblas.h>
#include <stddef.h>

/* Weak, because other BLAS libraries do not have it. */
#pragma weak openblas_set_num_threads
void openblas_set_num_threads(int threads); /* NOLINT(readability-redundant-declaration) */

void dgemm_alone(void)
{
  if (openblas_set_num_threads != NULL)
    openblas_set_num_threads(1);
}

void dgemm(const struct dgemm *call)
{
  const int m = (int)call->m, n = (int)call->n, k = (int)call->k;
  cblas_dgemm(CblasRowMajor, call->ta ? CblasTrans : CblasNoTrans,
              call->tb ? CblasTrans : CblasNoTrans, m, n, k, 1, call->a, call->ta ? m : k, call->b,
              call->tb ? k : n, call->beta, call->c, n);
}
