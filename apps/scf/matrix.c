/* Linear algebra of small dense matrices, by BLAS and LAPACK. */
#include "matrix.h"

#include "error.h"

#include <ga.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* NWChem drops the same directions (its setting lindep:tol). */
static const double dependence_limit = 1e-5;

/* These are the Fortran interfaces, which every BLAS and LAPACK has and which GA needs anyway. */
void dgemm_(const char *ta, const char *tb, const int *m, const int *n, const int *k,
            const double *alpha, const double *a, const int *lda, const double *b, const int *ldb,
            const double *beta, double *c, const int *ldc);
void dsyevd_(const char *job, const char *triangle, const int *n, double *a, const int *lda,
             double *w, double *work, const int *lwork, int *iwork, const int *liwork, int *info);
void dgesv_(const int *n, const int *nrhs, double *a, const int *lda, int *ipiv, double *b,
            const int *ldb, int *info);
void openblas_set_num_threads(int threads) __attribute__((weak));

void matrix_use_one_thread(void)
{
  if (openblas_set_num_threads)
    openblas_set_num_threads(1);
}

struct matrix matrix_create(int rows, int columns)
{
  struct matrix matrix = {.rows = rows, .columns = columns};
  matrix.values = memory_allocate(matrix_size(&matrix), sizeof(double));
  return matrix;
}

void matrix_free(struct matrix *matrix)
{
  free(matrix->values);
  *matrix = (struct matrix){.values = NULL};
}

void matrix_copy(const struct matrix *from, struct matrix *to)
{
  memcpy(to->values, from->values, matrix_size(from) * sizeof(double));
}

void matrix_add(double factor, const struct matrix *from, struct matrix *to)
{
  for (size_t i = 0; i < matrix_size(from); i++)
    to->values[i] += factor * from->values[i];
}

double matrix_dot(const struct matrix *a, const struct matrix *b)
{
  double sum = 0;
  for (size_t i = 0; i < matrix_size(a); i++)
    sum += a->values[i] * b->values[i];
  return sum;
}

void matrix_multiply(double factor, char ta, const struct matrix *a, char tb,
                     const struct matrix *b, struct matrix *c)
{
  static const double zero = 0;
  int inner = ta == 'N' ? a->columns : a->rows;
  /* Fortran sees every matrix transposed, so it computes c^T = op(b)^T op(a)^T. */
  dgemm_(&tb, &ta, &c->columns, &c->rows, &inner, &factor, b->values, &b->columns, a->values,
         &a->columns, &zero, c->values, &c->columns);
}

void matrix_congruence(const struct matrix *x, const struct matrix *a, struct matrix *to)
{
  struct matrix half = matrix_create(x->rows, a->columns);
  matrix_multiply(1, 'N', x, 'N', a, &half);
  matrix_multiply(1, 'N', &half, 'T', x, to);
  matrix_free(&half);
}

void matrix_eigen(struct matrix *a, double *eigenvalues)
{
  int query = -1, info, integer_count;
  double size;
  dsyevd_("V", "U", &a->rows, a->values, &a->columns, eigenvalues, &size, &query, &integer_count,
          &query, &info);
  int count = (int)size;
  double *work = memory_allocate((size_t)count, sizeof *work);
  int *integers = memory_allocate((size_t)integer_count, sizeof *integers);
  dsyevd_("V", "U", &a->rows, a->values, &a->columns, eigenvalues, work, &count, integers,
          &integer_count, &info);
  free(work);
  free(integers);
  if (info)
    GA_Error((char *)"scf: LAPACK's dsyevd failed", info);
}

struct matrix matrix_orthogonaliser(const struct matrix *overlap)
{
  int size = overlap->rows;
  struct matrix vectors = matrix_create(size, size);
  double *values = memory_allocate((size_t)size, sizeof *values);
  matrix_copy(overlap, &vectors);
  matrix_eigen(&vectors, values);
  int dropped = 0;
  while (dropped < size && values[dropped] < dependence_limit)
    dropped++;
  struct matrix rows = matrix_create(size - dropped, size);
  for (int i = 0; i < rows.rows; i++) {
    double scale = 1 / sqrt(values[dropped + i]);
    for (int j = 0; j < size; j++) {
      rows.values[i * size + j] = scale * vectors.values[(dropped + i) * size + j];
    }
  }
  matrix_free(&vectors);
  free(values);
  return rows;
}

bool matrix_solve(const struct matrix *a, double *b)
{
  static const int one = 1;
  struct matrix copy = matrix_create(a->rows, a->columns);
  matrix_copy(a, &copy);
  int *pivots = memory_allocate((size_t)a->rows, sizeof *pivots);
  int info;
  dgesv_(&a->rows, &one, copy.values, &a->columns, pivots, b, &a->rows, &info);
  free(pivots);
  matrix_free(&copy);
  return info == 0;
}
