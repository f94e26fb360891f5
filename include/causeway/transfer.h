/* Causeway: one-sided transfers (put, get, accumulate) of any shape, blocking or not.
 *
 * Thread level of all calls: any, unless one says otherwise. */
#ifndef CAUSEWAY_TRANSFER_H
#define CAUSEWAY_TRANSFER_H

#include <causeway/error.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { CW_MAX_LEVELS = 8 }; /* stride levels beyond the contiguous run */

/* Types of the elements of accumulates, atomic updates, reductions and arrays. Complex numbers are
 * pairs of reals. */
typedef enum cw_type {
  CW_INT = 0,            /* int */
  CW_LONG = 1,           /* long */
  CW_FLOAT = 2,          /* float */
  CW_DOUBLE = 3,         /* double */
  CW_FLOAT_COMPLEX = 4,  /* float[2] */
  CW_DOUBLE_COMPLEX = 5, /* double[2] */
  CW_LONG_LONG = 6,      /* long long */
  CW_TYPES = 7,          /* number of types with arithmetic, which precede this */
  CW_INT8 = 16,          /* int8_t; this type and the following ones are only for atomic updates */
  CW_UINT8 = 17,
  CW_INT16 = 18,
  CW_UINT16 = 19,
  CW_INT32 = 20, /* arrays and reductions of teams also take it, as CW_INT */
  CW_UINT32 = 21,
  CW_INT64 = 22, /* arrays and reductions of teams also take it, as CW_LONG */
  CW_UINT64 = 23,
  CW_OPAQUE = 64 /* elements of any fixed size: arrays only; no arithmetic */
} cw_type;

/* Operations on two numbers, element by element: numbers of the members of a team, or the number in
 * memory and the one that arrives. Complex numbers have only sum and product; real ones have no
 * logical and no bitwise operations. CW_REPLACE takes all types. Integers wrap. In reductions of a
 * team, the minimum and the maximum of real numbers are NaN if one of the numbers is NaN, in any
 * order. In updates of memory the result is unspecified for NaN, because MPI or a device may
 * compute it. */
typedef enum cw_reduction {
  CW_SUM = 0,
  CW_PRODUCT = 1,
  CW_MINIMUM = 2,
  CW_MAXIMUM = 3,
  CW_ABSOLUTE_MINIMUM = 4, /* of absolute values; reductions of teams only */
  CW_ABSOLUTE_MAXIMUM = 5,
  CW_LOGICAL_AND = 6, /* 0 or 1 */
  CW_LOGICAL_OR = 7,
  CW_BIT_AND = 8,
  CW_BIT_OR = 9,
  CW_BIT_XOR = 10,
  CW_REDUCTIONS = 11,  /* number of operations for teams, which precede this */
  CW_LOGICAL_XOR = 16, /* from here on only for atomic updates */
  CW_REPLACE = 17,     /* store the number that arrives */
  CW_NO_OP = 18        /* change nothing: only fetch */
} cw_reduction;

typedef enum cw_operation {
  CW_PUT = 0,       /* local -> remote */
  CW_GET = 1,       /* remote -> local */
  CW_ACCUMULATE = 2 /* remote[i] += scale * local[i], or another reduction; atomic by element */
} cw_operation;

/* `count` segments of `bytes` bytes each: local[i] <-> remote[i]. */
typedef struct cw_vector {
  void *const *local;
  void *const *remote;
  size_t count;
  size_t bytes;
} cw_vector;

/* One transfer of any kind and shape. Fill it by hand or with the constructors below. The arrays
 * it points to are read before the call returns; only the data buffers stay in use. */
typedef struct cw_transfer {
  cw_operation operation;
  cw_type type;         /* accumulate only */
  const void *scale;    /* accumulate only: one element of type, or NULL for 1 */
  int process;          /* target, world rank */
  void *local;          /* my buffer: any memory of mine, even inside a region */
  void *remote;         /* address in a slice of the target, as cw_region_create gave it */
  size_t bytes;         /* contiguous run at the lowest level */
  int levels;           /* 0 = contiguous, up to CW_MAX_LEVELS */
  const size_t *counts; /* [levels] number of blocks at each level, lowest first */
  const ptrdiff_t *local_strides;  /* [levels] bytes from block to block */
  const ptrdiff_t *remote_strides; /* [levels] */
  const cw_vector *vectors;        /* if not NULL the shape is this list instead */
  size_t vector_count;
  cw_reduction reduction; /* accumulate only: remote[i] = remote[i] op local[i]. Only CW_SUM (0)
                             takes a scale */
  bool lock_free;    /* accumulate only: atomic against the calls of atomic.h, and not against other
                        accumulates; elements are aligned to their size, those of 16 bytes to 8 */
  bool local_device; /* my buffer lies in a device slice of mine (device.h) */
} cw_transfer;

/* Constructors: they describe a transfer as data. Block (i1..iL) of a strided shape starts at
 * base + sum of stride[k] * i(k+1). Local. Errors: none; cw_transfer_run and _start check. */
cw_transfer cw_contiguous(cw_operation operation, void *local, void *remote, size_t bytes,
                          int process);
cw_transfer cw_strided(cw_operation operation, void *local, const ptrdiff_t *local_strides,
                       void *remote, const ptrdiff_t *remote_strides, size_t bytes,
                       const size_t *counts, int levels, int process);
cw_transfer cw_vectors(cw_operation operation, const cw_vector *vectors, size_t vector_count,
                       int process);

/* A handle names started operations: 8 bytes, opaque. {0} is the empty handle. Any number of
 * operations may be started on one handle. Do not copy a handle while its operations are pending.
 */
typedef struct cw_handle {
  uint32_t index;
  uint32_t generation;
} cw_handle;

/* Transfer contiguous memory to or from `process` (world rank), and wait for local completion.
 * cw_accumulate computes remote[i] += scale * local[i]. It is atomic for each real element against
 * all other accumulates of that type. A cw_transfer may carry other reductions.
 *
 * local: my buffer. remote: address inside one slice of the process. bytes: may be 0, and then the
 * call checks no address; of an accumulate a multiple of the element size. scale: one element, or
 * NULL for 1. Local. Complete on return: cw_put and cw_accumulate: the local buffer may be reused;
 * the target is updated at the latest after cw_fence(process). cw_get: the data has arrived.
 * My own operations on one target act in program order without a fence. (But two updates of
 * CW_SERVER_BULK bytes or more in different memory may arrive in either order; a shorter update
 * that follows them arrives after both.)
 * Errors: CW_MISUSE (process out of range; bytes outside one slice; NULL buffer; bad type or count;
 * the message names the argument) and nothing was moved; CW_OUTSIDE. */
CW_CHECKED cw_error cw_put(const void *local, void *remote, size_t bytes, int process);
CW_CHECKED cw_error cw_get(void *local, const void *remote, size_t bytes, int process);
CW_CHECKED cw_error cw_accumulate(cw_type type, const void *scale, const void *local, void *remote,
                                  size_t bytes, int process);

/* Runs a transfer of any shape: starts it and waits for local completion. Local. Completion, order
 * and Errors as cw_put, cw_get and cw_accumulate; also CW_MISUSE for bad levels. Where segments
 * overlap, a put stores one of them in each byte, and an accumulate applies all. The source of a
 * segment may overlap its own target: it is read before the target changes, as by memmove. Of two
 * segments of a transfer, the source of one may be read before or after the target of the other
 * changes. */
CW_CHECKED cw_error cw_transfer_run(const cw_transfer *transfer);

/* Starts a transfer and returns without waiting.
 *
 * handle: receives the operation in addition to those it already names. If it is NULL, the
 * operation is implicit: cw_wait_all or cw_wait_process completes it, and a fence of the process
 * completes puts and accumulates. Do not touch the local buffer until then. Local. Errors as
 * cw_transfer_run; after an error the handle is unchanged. */
CW_CHECKED cw_error cw_transfer_start(const cw_transfer *transfer, cw_handle *handle);

/* Collects operations on this handle and sends them together where the route can. The call changes
 * only this mode; make it on an empty handle. Local. Errors: CW_MISUSE (NULL). */
CW_CHECKED cw_error cw_handle_set_aggregate(cw_handle *handle, bool aggregate);

/* Waits for local completion of the operations of a handle; it is empty afterwards. The call waits
 * for all, even if one fails, and returns the first error. cw_wait(NULL) acts as cw_wait_all; an
 * empty handle returns at once. Local. Errors: CW_OUTSIDE. */
CW_CHECKED cw_error cw_wait(cw_handle *handle);

/* Tests whether the operations of a handle are locally complete. complete: receives true (the
 * handle is then empty) or false. Local. Errors: CW_MISUSE (NULL; a handle that no call has given),
 * CW_OUTSIDE. */
CW_CHECKED cw_error cw_test(cw_handle *handle, bool *complete);

/* Waits until one of several handles is complete, or tests whether one is. An empty handle counts
 * as complete: its operation was complete at the start, or an earlier call has returned the handle.
 * The program should remove such a handle from the array. The search begins after the handle that
 * the last call of this thread returned.
 *
 * handles: `count` of them, at least 1. which: receives the number of one that is complete; it is
 * empty then. complete: receives true if there is one, else false. MPI progresses meanwhile. Local.
 * Errors: CW_MISUSE (NULL; count is 0; a handle that no call has given), CW_OUTSIDE; if an
 * operation failed, `which` names its handle. After MPI_Waitany, MPI 3.0, section 3.7.5. */
CW_CHECKED cw_error cw_handle_wait_any(cw_handle *handles, size_t count, size_t *which);
CW_CHECKED cw_error cw_handle_test_any(cw_handle *handles, size_t count, size_t *which,
                                       bool *complete);

/* Waits for several handles; all are empty afterwards.
 *
 * handles: `count` of them; 0 is legal.
 * Local. Errors: CW_MISUSE (NULL, a handle that no call has given), CW_OUTSIDE. The call waits for
 * all, even if one fails, and returns the first error. After MPI_Waitall. */
CW_CHECKED cw_error cw_handle_wait_all(cw_handle *handles, size_t count);

/* Waits for local completion of all my started operations, or of those with one process (world
 * rank): implicit ones and those on handles. Local. Errors: CW_MISUSE (process out of range),
 * CW_OUTSIDE. */
CW_CHECKED cw_error cw_wait_all(void);
CW_CHECKED cw_error cw_wait_process(int process);

#ifdef __cplusplus
}
#endif
#endif
