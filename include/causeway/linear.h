/* Causeway: linear algebra on distributed matrices: multiplication (BLAS), factors, solvers,
 * eigenvalues and singular values of dense matrices (ScaLAPACK; LAPACK where a matrix is small).
 *
 * ScaLAPACK takes a CW_CYCLIC matrix with square blocks of 32 to 64 as its processes have it.
 * Others move to such blocks for the time of a call, which takes two hundredths of it on one node.
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
 * patches require. c must not overlap a or b. With the same number of processes, of which the same
 * share nodes, the result is the same, to the last bit, on each run. Collective over the arrays'
 * team. Complete on return: everywhere. Errors, on every member: CW_MISUSE (no array; patches or
 * types that do not fit), CW_OUTSIDE (memory; BLAS cannot be loaded). After GA_Dgemm,
 * NGA_Matmul_patch. */
CW_CHECKED cw_error cw_array_multiply(cw_transposition ta, cw_transposition tb, const void *alpha,
                                      const cw_operand *a, const cw_operand *b, const void *beta,
                                      const cw_operand *c);

/* Solves op(a) * x = b for x, which replaces b. a: n x n; it is unchanged. b: n x m, or a vector of
 * n.
 *
 * cw_array_solve: LU with partial pivoting; op: a, its transpose, or its conjugate transpose.
 * cw_array_solve_positive: Cholesky, of a symmetric (Hermitian) positive definite matrix; only its
 * lower triangle is read. pivot: if not NULL receives 0, or the number (from 1) of the step in
 * which the matrix turned out to be singular or not positive definite, or to have a number that is
 * not finite (NaN, infinite), or its factors to overflow: b is then unchanged.
 * Collective over the arrays' team. Complete on return: everywhere. Thread level: one thread of a
 * process at a time. Errors, on every member: CW_MISUSE (no array; extents or types that do not
 * fit; pivot is NULL and the matrix singular), CW_OUTSIDE (memory; more elements for a process than
 * ScaLAPACK can count; BLAS, LAPACK or ScaLAPACK cannot be loaded). After GA_Lu_solve,
 * GA_Llt_solve; LAPACK xGESV, xPOSV. */
CW_CHECKED cw_error cw_array_solve(cw_transposition op, cw_array a, cw_array b, int64_t *pivot);
CW_CHECKED cw_error cw_array_solve_positive(cw_array a, cw_array b, int64_t *pivot);

/* Replaces a symmetric (Hermitian) positive definite matrix by its inverse, both triangles. Only
 * the lower one is read. pivot: as above; if it is not 0, the matrix is unchanged. Collective over
 * the array's team. Complete on return: everywhere. Thread level: as above. Errors, on every
 * member, as above. After GA_Spd_invert; LAPACK xPOTRI. */
CW_CHECKED cw_error cw_array_invert_positive(cw_array a, int64_t *pivot);

/* Factors that stay, to be used again and again.
 *
 * cw_array_lu: P * a = L * U with partial pivoting. a: m x n, it becomes U, on and above the
 * diagonal, and L, below it; the diagonal of L is 1. order: [m], on every member, receives which
 * row of the old a is row i of L * U.
 *
 * cw_array_cholesky: a = L * conjugate(transpose(L)). Only the lower triangle of a is read; a
 * becomes L, with zeros above.
 *
 * pivot: as above; if it is not 0, a is unchanged. Collective over the array's team. Complete on
 * return: everywhere. Thread level: as above. Errors, on every member: as above; CW_MISUSE (order
 * is NULL). After LAPACK xGETRF, xPOTRF. */
CW_CHECKED cw_error cw_array_lu(cw_array a, int64_t *order, int64_t *pivot);
CW_CHECKED cw_error cw_array_cholesky(cw_array a, int64_t *pivot);

typedef enum cw_triangle {
  CW_LOWER_TRIANGLE = 0,
  CW_UPPER_TRIANGLE = 1,
  CW_UNIT_LOWER_TRIANGLE = 2, /* the diagonal is 1, whatever the matrix has there */
  CW_UNIT_UPPER_TRIANGLE = 3
} cw_triangle;

/* Solves by factors, for x, which replaces b: n x m, or a vector of n.
 *
 * cw_array_solve_triangular: op(T) * x = b; T is this triangle of t, n x n, of which nothing else
 * is read. pivot: as above, of the diagonal: the first element that is 0 or not finite.
 * cw_array_lu_solve: op(a) * x = b; lu and order are what cw_array_lu has made of a, n x n.
 * Collective over the arrays' team. Complete on return: everywhere. Thread level: as above. Errors,
 * on every member: as above; CW_MISUSE (order is NULL, or names a row twice). After BLAS xTRSM,
 * LAPACK xGETRS. */
CW_CHECKED cw_error cw_array_solve_triangular(cw_triangle triangle, cw_transposition op, cw_array t,
                                              cw_array b, int64_t *pivot);
CW_CHECKED cw_error cw_array_lu_solve(cw_transposition op, cw_array lu, const int64_t *order,
                                      cw_array b);

/* a = q * r. a: m x n, unchanged. With k = the lesser one of m and n: q: m x k, receives columns
 * of length 1 that are orthogonal to each other; r: k x n, receives the upper triangle, with zeros
 * below; each may be NULL, and each may be a if it has the shape. The diagonal of r may have any
 * sign. Collective over the arrays' team. Complete on return: q and r. Thread level as above.
 * Errors, on every member: CW_MISUSE (no array; extents or types that do not fit; a number is not
 * finite), CW_OUTSIDE (as above). After LAPACK xGEQRF, xORGQR. */
CW_CHECKED cw_error cw_array_qr(cw_array a, cw_array q, cw_array r);

/* a = u * diagonal(s) * vh, the singular value decomposition. a: m x n, unchanged. With k = the
 * lesser one of m and n: u: m x k, its columns are the left singular vectors; vh: k x n, its rows
 * are the conjugated right ones; each may be NULL, and each may be a if it has the shape. s: [k] on
 * every member, receives the singular values, descending: float or double as the array's.
 * Collective over the arrays' team. Complete on return: u, s, vh. Thread level as above. Errors, on
 * every member: as cw_array_qr; CW_MISUSE (s is NULL), CW_OUTSIDE (no convergence). After LAPACK
 * xGESDD (divide and conquer), ScaLAPACK PxGESVD. */
CW_CHECKED cw_error cw_array_svd(cw_array a, cw_array u, void *s, cw_array vh);

/* The x with the least |a * x - b| for each column of b; where there are many, the shortest one.
 *
 * a: m x n, b: m x c or a vector of m; both are unchanged. x: n x c, or a vector of n; it may be b
 * if m = n. pivot: if not NULL receives 0, or the number (from 1) of a column of a (a row, if it
 * has more columns) that depends on those before it as far as rounding tells, or that has a number
 * which is not finite: x is then unchanged; cw_array_svd serves such matrices. If a has more
 * columns than rows one process works alone, on all of it.
 * Collective over the arrays' team. Complete on return: x. Thread level as above. Errors, on every
 * member: CW_MISUSE (as cw_array_qr; pivot is NULL and a column depends on others), CW_OUTSIDE (as
 * above). After LAPACK xGELS. */
CW_CHECKED cw_error cw_array_least_squares(cw_array a, cw_array b, cw_array x, int64_t *pivot);

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
