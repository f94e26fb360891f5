/* Small dense matrices that every process holds, row by row, and their linear algebra by LAPACK. */
#ifndef SCF_MATRIX_H
#define SCF_MATRIX_H

#include <stdbool.h>
#include <stddef.h>

struct matrix {
  int rows, columns;
  double *values; /* values[row * columns + column] */
};

/** A matrix of zeros. */
struct matrix matrix_create(int rows, int columns);

void matrix_free(struct matrix *matrix);

static inline size_t matrix_size(const struct matrix *matrix)
{
  return (size_t)matrix->rows * (size_t)matrix->columns;
}

/** to = from; both have the same shape. */
void matrix_copy(const struct matrix *from, struct matrix *to);

/** to += factor x from */
void matrix_add(double factor, const struct matrix *from, struct matrix *to);

/** Sum of the products of the elements. */
double matrix_dot(const struct matrix *a, const struct matrix *b);

/** c = factor x op(a) op(b); `ta` and `tb` are 'N' or 'T'. c must be another matrix. */
void matrix_multiply(double factor, char ta, const struct matrix *a, char tb,
                     const struct matrix *b, struct matrix *c);

/** to = x a x^T */
void matrix_congruence(const struct matrix *x, const struct matrix *a, struct matrix *to);

/** Replaces symmetric `a` by its eigenvectors, one a row, eigenvalues ascending. */
void matrix_eigen(struct matrix *a, double *eigenvalues);

/** Rows X with X overlap X^T = 1, without the directions in which the overlap is nearly zero. */
struct matrix matrix_orthogonaliser(const struct matrix *overlap);

/** Solves a x = b, a symmetric, for one right-hand side in place of b; false when a is singular. */
bool matrix_solve(const struct matrix *a, double *b);

/** Makes OpenBLAS, if that is the BLAS, use one thread: the other cores belong to processes. */
void matrix_use_one_thread(void);

#endif
