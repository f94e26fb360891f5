/* Causeway: linear algebra on distributed matrices: multiplication (BLAS), dense solvers
 * (ScaLAPACK; LAPACK where a matrix is small).
 *
 * Matrices are arrays of two dimensions, of any distribution; the types are CW_FLOAT, CW_DOUBLE and
 * their complex. Every call is collective over the team of its arrays, and begins and ends with a
 * synchronisation of it. Rows and columns are those that the program sees: row-major.
 *
 * Thread level of all calls: any, unless one says otherwise. BLAS runs with one thread in each
 * process, unless the environment sets OPENBLAS_NUM_THREADS. */
#ifndef CAUSEWAY_LINEAR_H
#define CAUSEWAY_LINEAR_H

#include <causeway/array.h>
#include <causeway/error.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum cw_transposition {
  CW_NOT_TRANSPOSED = 0,
  CW_TRANSPOSED = 1,
  CW_CONJUGATE_TRANSPOSED = 2
} cw_transposition;

/* c = alpha * op(a) * op(b) + beta * c, on patches; `transposed` of the operands is ignored.
 *
 * ta, tb: op. alpha, beta: one element; NULL: 1 and 0; with beta 0 c is not read. op(a) is m x k,
 * op(b) k x n, c m x n: rows and columns of the patches. Patches of arrays of more dimensions may
 * be wider than 1 in at most two; a patch that is wider in one is a row or a column, as the other
 * patches require. c must not overlap a or b. With the same number of processes the result is the
 * same, to the last bit, on each run. Collective over the arrays' team. Complete on return:
 * everywhere. Errors, on every member: CW_MISUSE (no array; patches or types that do not fit),
 * CW_OUTSIDE (memory). After GA_Dgemm, NGA_Matmul_patch. */
CW_CHECKED cw_error cw_array_multiply(cw_transposition ta, cw_transposition tb, const void *alpha,
                                      const cw_operand *a, const cw_operand *b, const void *beta,
                                      const cw_operand *c);

/* Solve op(a) * x = b for x, which replaces b. a: n x n; it is unchanged. b: n x m, or a vector of
 * n.
 *
 * cw_array_solve: LU with partial pivoting; op: a, its transpose, or its conjugate transpose.
 * cw_array_solve_positive: Cholesky, of a symmetric (Hermitian) positive definite matrix; only its
 * lower triangle is read. pivot: if not NULL receives 0, or the number (from 1) of the step in
 * which the matrix turned out to be singular or not positive definite, or to have a number that is
 * not finite (NaN, infinite): b is then unchanged.
 * Collective over the arrays' team. Complete on return: everywhere. Thread level: one thread of a
 * process at a time. Errors, on every member: CW_MISUSE (no array; extents or types that do not
 * fit; pivot is NULL and the matrix singular), CW_OUTSIDE (memory; more elements for a process than
 * ScaLAPACK can count). After GA_Lu_solve, GA_Llt_solve; LAPACK xGESV, xPOSV. */
CW_CHECKED cw_error cw_array_solve(cw_transposition op, cw_array a, cw_array b, int64_t *pivot);
CW_CHECKED cw_error cw_array_solve_positive(cw_array a, cw_array b, int64_t *pivot);

/* Replace a symmetric (Hermitian) positive definite matrix by its inverse, both triangles. Only the
 * lower one is read. pivot: as above; if it is not 0, the matrix is unchanged. Collective over the
 * array's team. Complete on return: everywhere. Thread level: as above. Errors, on every member, as
 * above. After GA_Spd_invert; LAPACK xPOTRI. */
CW_CHECKED cw_error cw_array_invert_positive(cw_array a, int64_t *pivot);

/* Eigenvalues and eigenvectors of a symmetric (Hermitian) matrix: a * v = v * w, or with s, which
 * is positive definite: a * v = s * v * w.
 *
 * a, s: n x n, only their lower triangles are read; s: NULL for the standard problem. Both are
 * unchanged. v: n x n, receives the eigenvectors, v[i][k] component i of number k; or NULL. It may
 * be a or s. The vectors have length 1; with s, transpose(conjugate(v)) * s * v is 1. w: [n] on
 * every member, receives the eigenvalues, ascending: float or double as the array's.
 * Collective over the arrays' team. Complete on return: v and w. Thread level: as above. Errors, on
 * every member: CW_MISUSE (as above; s is not positive definite; a number is not finite),
 * CW_OUTSIDE (as above; no convergence). After GA_Diag, GA_Diag_std; LAPACK xSYGVD, xSYEVD (divide
 * and conquer). */
CW_CHECKED cw_error cw_array_eigen(cw_array a, cw_array s, cw_array v, void *w);

#ifdef __cplusplus
}
#endif
#endif
