/* The product in one process's memory, by single-threaded BLAS. */
#include "dgemm.h"

#include <cblas.h>

/* Other BLAS libraries do not have it. */
#pragma weak openblas_set_num_threads
void openblas_set_num_threads(int threads); /* NOLINT(readability-redundant-declaration) */

void product_add(int64_t rows, int64_t columns, int64_t terms, const struct panel *a,
                 const struct panel *b, double *c)
{
  if (openblas_set_num_threads != NULL)
    openblas_set_num_threads(1);
  cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, (int)rows, (int)columns, (int)terms, 1,
              a->numbers, (int)a->stride, b->numbers, (int)b->stride, 1, c, (int)columns);
}
