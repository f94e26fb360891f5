/* The product in one process's memory, where there is no BLAS. */
#include "dgemm.h"

void product_add(int64_t rows, int64_t columns, int64_t terms, const struct panel *a,
                 const struct panel *b, double *c)
{
  for (int64_t i = 0; i < rows; i++)
    for (int64_t k = 0; k < terms; k++) {
      const double factor = a->numbers[i * a->stride + k];
      const double *restrict row = b->numbers + k * b->stride;
      double *restrict sums = c + i * columns;
      for (int64_t j = 0; j < columns; j++)
        sums[j] += factor * row[j];
    }
}
