/* Causeway: linear algebra on distributed matrices: multiplication (BLAS).
 *
 * Matrices are arrays of two dimensions, of any distribution; the types are CW_FLOAT, CW_DOUBLE and
 * their complex. Every call is collective over the team of its arrays; begins and ends with a
 * synchronisation of it. Rows and columns are meant as the program sees them: row-major.
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
 * be wider than 1 in two; where they are in fewer, the last dimensions count. c must not overlap a
 * or b. With the same number of processes the result is the same, to the last bit, on each run.
 * Collective over the arrays' team. Complete on return: everywhere. Errors, on every member:
 * CW_MISUSE (no array; patches or types that do not fit), CW_OUTSIDE (memory). After GA_Dgemm,
 * NGA_Matmul_patch. */
cw_error cw_array_multiply(cw_transposition ta, cw_transposition tb, const void *alpha,
                           const cw_operand *a, const cw_operand *b, const void *beta,
                           const cw_operand *c);

#ifdef __cplusplus
}
#endif
#endif
