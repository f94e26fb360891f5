/* Small dense matrices, stored by rows, of which every process has a copy; and their linear algebra
 * by LAPACK. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct matrix {
  int rows, columns;
  double *values; /* values[row * columns + column] */
};

/** Returns a new matrix of zeros. */
struct matrix matrix_create(int rows, int columns);

void matrix_free(struct matrix *matrix);

static inline size_t matrix_size(const struct matrix *matrix)
{
  return (size_t)matrix->rows * (size_t)matrix->columns;
}

/** Copies `from` to `to`, which has the same shape. */
void matrix_copy(const struct matrix *from, struct matrix *to);

/** Adds factor x `from` to `to`. */
void matrix_add(double factor, const struct matrix *from, struct matrix *to);

/** Returns the sum of the products of corresponding elements. */
double matrix_dot(const struct matrix *a, const struct matrix *b);

/** Computes c = factor x op(a) op(b). `ta` and `tb` are 'N' or 'T'. c must not be a or b. */
void matrix_multiply(double factor, char ta, const struct matrix *a, char tb,
                     const struct matrix *b, struct matrix *c);

/** Computes to = x a x^T. */
void matrix_congruence(const struct matrix *x, const struct matrix *a, struct matrix *to);

/** Replaces the symmetric matrix `a` by its eigenvectors, one in each row, in ascending order of
 * the eigenvalues. */
void matrix_eigen(struct matrix *a, double *eigenvalues);

/** Returns the matrix X with X overlap X^T = 1. Directions in which the overlap is nearly zero are
 * left out, so X may have fewer rows than columns. */
struct matrix matrix_orthogonaliser(const struct matrix *overlap);

/** Solves a x = b for a symmetric matrix and one right-hand side, and stores x in `b`. Returns
 * false if a is singular. */
bool matrix_solve(const struct matrix *a, double *b);

/** Makes OpenBLAS, if that is the BLAS, use one thread, because the other cores run other
 * processes. */
void matrix_use_one_thread(void);
