/* A program's own routines that replace those of a shared LAPACK with which it is linked. INTEGER
 * is the type of their integers. */
#include <math.h>
#include <stddef.h>
#include <stdint.h>

INTEGER idamax_(const INTEGER *n, const double *x, const INTEGER *inc);
void dgemm_(const char *ta, const char *tb, const INTEGER *m, const INTEGER *n, const INTEGER *k,
            const double *alpha, const double *a, const INTEGER *lda, const double *b,
            const INTEGER *ldb, const double *beta, double *c, const INTEGER *ldc);

INTEGER idamax_(const INTEGER *n, const double *x, const INTEGER *inc)
{
  INTEGER greatest = *n > 0;
  for (INTEGER i = 1; i < *n; i++)
    if (fabs(x[i * *inc]) > fabs(x[(greatest - 1) * *inc]))
      greatest = i + 1;
  return greatest;
}

/* NOLINTNEXTLINE(readability-function-size): BLAS has this many parameters */
void dgemm_(const char *ta, const char *tb, const INTEGER *m, const INTEGER *n, const INTEGER *k,
            const double *alpha, const double *a, const INTEGER *lda, const double *b,
            const INTEGER *ldb, const double *beta, double *c, const INTEGER *ldc)
{
  const ptrdiff_t a_row = *ta == 'N' ? 1 : *lda, a_column = *ta == 'N' ? *lda : 1;
  const ptrdiff_t b_row = *tb == 'N' ? 1 : *ldb, b_column = *tb == 'N' ? *ldb : 1;
  for (ptrdiff_t j = 0; j < *n; j++)
    for (ptrdiff_t i = 0; i < *m; i++) {
      double sum = 0;
      for (ptrdiff_t l = 0; l < *k; l++)
        sum += a[i * a_row + l * a_column] * b[l * b_row + j * b_column];
      double *element = &c[i + j * *ldc];
      *element = *alpha * sum + (*beta == 0 ? 0 : *beta * *element);
    }
}
