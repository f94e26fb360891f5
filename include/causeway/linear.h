/* Causeway: linear algebra on distributed matrices: multiplication (BLAS), factors, solvers,
 * eigenvalues and singular values of dense matrices (ScaLAPACK; LAPACK where a matrix is small).
 *
 * ScaLAPACK works directly on a CW_CYCLIC matrix with square blocks of 32 to 64. Other matrices are
 * moved to such blocks for the duration of a call; on one node this takes 2 % of the time of the
 * call.
 *
 * Matrices are arrays of two dimensions, of any distribution; the types are CW_FLOAT, CW_DOUBLE,
 * CW_FLOAT_COMPLEX and CW_DOUBLE_COMPLEX. Every call is collective over the team of its arrays, and
 * begins and ends with a synchronisation of this team. Rows and columns are those that the program
 * sees: row-major.
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

/* Computes c = alpha * op(a) * op(b) + beta * c on patches. The field `transposed` of the operands
 * is ignored.
 *
 * ta, tb: op of a, and op of b. alpha, beta: one element each; NULL stands for 1 (alpha) and 0
 * (beta). If beta is 0, c is not read. The patches op(a), op(b) and c are m x k, k x n and m x n. A
 * patch of an array with more dimensions may have an extent above 1 in at most two of them. If it
 * has one in a single dimension, it is a row or a column, as the other patches require. c must not
 * overlap a or b. The result is the same, to the last bit, in each run with the same number of
 * processes and the same distribution of them over nodes. Collective over the arrays' team.
 * Complete on return: everywhere. Errors, on every member: CW_MISUSE (no array; patches or types
 * that do not fit), CW_OUTSIDE (memory; BLAS cannot be loaded). After GA_Dgemm, NGA_Matmul_patch.
 */
CW_CHECKED cw_error cw_array_multiply(cw_transposition ta, cw_transposition tb, const void *alpha,
                                      const cw_operand *a, const cw_operand *b, const void *beta,
                                      const cw_operand *c);

/* Solves op(a) * x = b for x, which replaces b. a: n x n; it is unchanged. b: n x m, or a vector of
 * n.
 *
 * cw_array_solve: LU with partial pivoting; op: a, its transpose, or its conjugate transpose.
 * cw_array_solve_positive: Cholesky, of a symmetric (Hermitian) positive definite matrix; only its
 * lower triangle is read. pivot: NULL, or receives 0 if the system was solved. Otherwise it
 * receives the number (from 1) of the step that failed, and b is unchanged: the matrix is singular
 * or not positive definite, it has a number that is not finite (NaN, infinite), or its factors
 * overflow. Collective over the arrays' team. Complete on return: everywhere. Thread level: one
 * thread of a process at a time. Errors, on every member: CW_MISUSE (no array; extents or types
 * that do not fit; pivot is NULL and the matrix singular), CW_OUTSIDE (memory; more elements for a
 * process than ScaLAPACK can count; BLAS, LAPACK or ScaLAPACK cannot be loaded). After GA_Lu_solve,
 * GA_Llt_solve; LAPACK xGESV, xPOSV. */
CW_CHECKED cw_error cw_array_solve(cw_transposition op, cw_array a, cw_array b, int64_t *pivot);
CW_CHECKED cw_error cw_array_solve_positive(cw_array a, cw_array b, int64_t *pivot);

/* Replaces a symmetric (Hermitian) positive definite matrix by its inverse, both triangles. Only
 * the lower one is read. pivot: as for cw_array_solve; if it is not 0, the matrix is unchanged.
 * Collective over the array's team. Complete on return: everywhere. Thread level: one thread of a
 * process at a time. Errors, on every member: as cw_array_solve. After GA_Spd_invert; LAPACK
 * xPOTRI. */
CW_CHECKED cw_error cw_array_invert_positive(cw_array a, int64_t *pivot);

/* Compute factors, which can be used several times.
 *
 * cw_array_lu computes P * a = L * U with partial pivoting. a: m x n; it receives U on and above
 * its diagonal, and L below it; the diagonal of L is 1. order: [m], on every member; order[i]
 * receives the number of the row of the old a that is row i of L * U.
 *
 * cw_array_cholesky computes a = L * conjugate(transpose(L)). Only the lower triangle of a is read;
 * a becomes L, with zeros above.
 *
 * pivot: as for cw_array_solve; if it is not 0, a is unchanged. Collective over the array's team.
 * Complete on return: everywhere. Thread level: one thread of a process at a time. Errors, on every
 * member: as cw_array_solve; CW_MISUSE (order is NULL). After LAPACK xGETRF, xPOTRF. */
CW_CHECKED cw_error cw_array_lu(cw_array a, int64_t *order, int64_t *pivot);
CW_CHECKED cw_error cw_array_cholesky(cw_array a, int64_t *pivot);

typedef enum cw_triangle {
  CW_LOWER_TRIANGLE = 0,
  CW_UPPER_TRIANGLE = 1,
  CW_UNIT_LOWER_TRIANGLE = 2, /* the diagonal is 1, whatever the matrix has there */
  CW_UNIT_UPPER_TRIANGLE = 3
} cw_triangle;

/* Solve an equation for x by means of known factors. x replaces b, which is n x m, or a vector of
 * n.
 *
 * cw_array_solve_triangular solves op(T) * x = b. T is the given triangle of t, which is n x n;
 * nothing else of t is read. pivot: as for cw_array_solve; a step fails if its diagonal element is
 * 0 or not finite. cw_array_lu_solve solves op(a) * x = b. lu and order are the results of
 * cw_array_lu for a, which is n x n. Collective over the arrays' team. Complete on return:
 * everywhere. Thread level: one thread of a process at a time. Errors, on every member: as
 * cw_array_solve; CW_MISUSE (order is NULL, or names a row twice). After BLAS xTRSM, LAPACK xGETRS.
 */
CW_CHECKED cw_error cw_array_solve_triangular(cw_triangle triangle, cw_transposition op, cw_array t,
                                              cw_array b, int64_t *pivot);
CW_CHECKED cw_error cw_array_lu_solve(cw_transposition op, cw_array lu, const int64_t *order,
                                      cw_array b);

/* Computes a = q * r. a: m x n, unchanged. Let k be the smaller of m and n. q: m x k; receives
 * columns of length 1 that are orthogonal to each other. r: k x n; receives the upper triangle,
 * with zeros below. q and r may be NULL, and each may be a if it has the same shape. The diagonal
 * of r may have any sign. Collective over the arrays' team. Complete on return: q and r. Thread
 * level: one thread of a process at a time. Errors, on every member: CW_MISUSE (no array; extents
 * or types that do not fit; a number is not finite), CW_OUTSIDE (as cw_array_solve). After LAPACK
 * xGEQRF, xORGQR. */
CW_CHECKED cw_error cw_array_qr(cw_array a, cw_array q, cw_array r);

/* Computes the singular value decomposition a = u * diagonal(s) * vh. a: m x n, unchanged. Let k be
 * the smaller of m and n. u: m x k; its columns are the left singular vectors. vh: k x n; its rows
 * are the conjugated right singular vectors. u and vh may be NULL, and each may be a if it has the
 * same shape. s: [k] on every member; receives the singular values in descending order, as float or
 * double like the array's numbers. Collective over the arrays' team. Complete on return: u, s, vh.
 * Thread level: one thread of a process at a time. Errors, on every member: as cw_array_qr;
 * CW_MISUSE (s is NULL), CW_OUTSIDE (no convergence). After LAPACK xGESDD (divide and conquer),
 * ScaLAPACK PxGESVD. */
CW_CHECKED cw_error cw_array_svd(cw_array a, cw_array u, void *s, cw_array vh);

/* Finds the x with the least |a * x - b| for each column of b; if there are several, the shortest
 * one.
 *
 * a: m x n, b: m x c or a vector of m; both are unchanged. x: n x c, or a vector of n; it may be b
 * if m = n. pivot: NULL, or receives 0 if x was found. Otherwise it receives the number (from 1) of
 * a column of a, and x is unchanged: the column depends on those before it, within rounding errors,
 * or has a number that is not finite. (If a has more columns than rows, it is the number of a row.)
 * Use cw_array_svd for such matrices. If a has more columns than rows, one process does all the
 * work. Collective over the arrays' team. Complete on return: x. Thread level: one thread of a
 * process at a time. Errors, on every member: CW_MISUSE (as cw_array_qr; pivot is NULL and a column
 * depends on others), CW_OUTSIDE (as cw_array_solve). After LAPACK xGELS. */
CW_CHECKED cw_error cw_array_least_squares(cw_array a, cw_array b, cw_array x, int64_t *pivot);

/* Computes eigenvalues and eigenvectors of a symmetric (Hermitian) matrix: a * v = v * w; or, with
 * a positive definite matrix s, of the generalised problem a * v = s * v * w.
 *
 * a, s: n x n, only their lower triangles are read; s: NULL for the standard problem. Both are
 * unchanged. v: NULL, or n x n: receives the eigenvectors; v[i][k] is component i of eigenvector k.
 * It may be a or s. The vectors have length 1; with s, transpose(conjugate(v)) * s * v is 1. w: [n]
 * on every member; receives the eigenvalues in ascending order, as float or double like the array's
 * numbers. Collective over the arrays' team. Complete on return: v and w. Thread level: one thread
 * of a process at a time. Errors, on every member: CW_MISUSE (no array; extents or types that do
 * not fit; s is not positive definite; a number is not finite), CW_OUTSIDE (as cw_array_solve; no
 * convergence). After GA_Diag, GA_Diag_std; LAPACK xSYGVD, xSYEVD (divide and conquer). */
CW_CHECKED cw_error cw_array_eigen(cw_array a, cw_array s, cw_array v, void *w);

#ifdef __cplusplus
}
#endif
#endif
