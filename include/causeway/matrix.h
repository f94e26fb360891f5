/* Causeway: local matrices that go one-sidedly to and from a distributed matrix, at any place.
 *
 * A matrix is an array of two dimensions with any distribution. Two interfaces reach it: attached
 * matrices, by one-sided transfers, and AXPY epochs, by messages. New programs should use the
 * first. The second is for programs that expect it, and for comparison. After Ghosh, Hammond, Pena,
 * Balaji, Gebremedhin, Chapman: One-Sided Interface for Matrix Operations using MPI-3 RMA: A Case
 * Study with Elemental (2016).
 *
 * Thread level of all calls: any, unless one says otherwise; one thread at a time uses an attached
 * matrix or an epoch. */
#ifndef CAUSEWAY_MATRIX_H
#define CAUSEWAY_MATRIX_H

#include <causeway/array.h>
#include <causeway/error.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Order of a matrix's elements in memory. In a distributed matrix, element (i, j) is a[i][j] of the
 * array for CW_ROW_MAJOR. For CW_COLUMN_MAJOR it is a[j][i], so that columns are contiguous, as in
 * Fortran, ScaLAPACK and Elemental. */
typedef enum cw_matrix_order { CW_ROW_MAJOR = 0, CW_COLUMN_MAJOR = 1 } cw_matrix_order;

/* A matrix in my own memory; its elements have the type of the array. */
typedef struct cw_local_matrix {
  void *data;            /* puts and accumulates only read it */
  int64_t height, width; /* rows and columns; 0 if there are no elements */
  int64_t ld; /* elements from row to row (CW_ROW_MAJOR) or from column to column; 0 if there are no
                 gaps */
  cw_matrix_order order; /* not necessarily that of the distributed matrix */
} cw_local_matrix;

/* --- Attached matrices: the RMA interface ----------------------------------------------------- */

/* An array that is attached as a matrix; NULL stands for "none". */
typedef struct cwi_attached *cw_matrix;

/* Attaches an array as a matrix.
 *
 * array: of two dimensions; it cannot be destroyed while it is attached. It may be attached several
 * times, and used in all other ways. order: of the matrix's elements in the array. matrix: receives
 * the handle.
 * Collective over the array's team, synchronising. Errors, on every member: CW_MISUSE (no array;
 * not two dimensions; order; NULL), CW_OUTSIDE (memory). After RMAInterface::Attach. */
CW_CHECKED cw_error cw_matrix_attach(cw_array array, cw_matrix_order order, cw_matrix *matrix);

/* Completes all operations that I have started on a matrix, detaches it, and sets the handle to
 * NULL. Collective over the array's team, synchronising: what all members have put and added is
 * visible to all. Errors: CW_MISUSE (no matrix), CW_OUTSIDE. If the members could not synchronise,
 * the matrix stays attached. After RMAInterface::Detach. */
CW_CHECKED cw_error cw_matrix_detach(cw_matrix *matrix);

/* Puts, gets or accumulates a local matrix at element (i, j).
 *
 * local: at most as many rows and columns as the matrix has from (i, j) on. accumulate: matrix +=
 * scale * local, atomic for each real element; scale: one element, or NULL for 1. Local. Complete
 * on return: put and accumulate: `local` may be reused, the matrix is updated at the latest after
 * cw_matrix_flush; get: the data has arrived. Errors: CW_MISUSE (no matrix; local matrix that is
 * NULL, has no data, or does not fit; ld less than its rows or columns; a type without arithmetic)
 * and nothing was moved; CW_OUTSIDE. After RMAInterface::Put, Get, Acc. */
CW_CHECKED cw_error cw_matrix_put(cw_matrix matrix, const cw_local_matrix *local, int64_t i,
                                  int64_t j);
CW_CHECKED cw_error cw_matrix_get(cw_matrix matrix, const cw_local_matrix *local, int64_t i,
                                  int64_t j);
CW_CHECKED cw_error cw_matrix_accumulate(cw_matrix matrix, const void *scale,
                                         const cw_local_matrix *local, int64_t i, int64_t j);

/* Starts a put, get or accumulate of a local matrix.
 *
 * Arguments as for cw_matrix_put, cw_matrix_get and cw_matrix_accumulate. Elements of `local` may
 * be reused, or read, after a flush of it. scale is copied. A matrix keeps at most 64 local
 * matrices and 64 operations of each. A call with one more local matrix first completes the
 * operations of another local matrix; a call for one more operation first completes the earlier
 * operations of the same local matrix. Local. Errors as cw_matrix_put. After RMAInterface::Iput,
 * Iget, Iacc. */
CW_CHECKED cw_error cw_matrix_iput(cw_matrix matrix, const cw_local_matrix *local, int64_t i,
                                   int64_t j);
CW_CHECKED cw_error cw_matrix_iget(cw_matrix matrix, const cw_local_matrix *local, int64_t i,
                                   int64_t j);
CW_CHECKED cw_error cw_matrix_iaccumulate(cw_matrix matrix, const void *scale,
                                          const cw_local_matrix *local, int64_t i, int64_t j);

/* Completes the operations that I have started on a matrix.
 *
 * local: selects the operations whose local matrices have the same `data`; NULL selects all of this
 * matrix. The call does not wait for operations of other attached matrices, even of the same array.
 * Local. Complete on return: flush_local: local matrices may be reused, and gets have arrived;
 * flush: also, the matrix is updated, and all processes see the updates. Errors: CW_MISUSE (no
 * matrix), CW_OUTSIDE. After RMAInterface::LocalFlush, Flush. */
CW_CHECKED cw_error cw_matrix_flush_local(cw_matrix matrix, const cw_local_matrix *local);
CW_CHECKED cw_error cw_matrix_flush(cw_matrix matrix, const cw_local_matrix *local);

/* Adds *value to element (i, j); *before receives the old value.
 *
 * value: one element. before: one element, or NULL. Atomic against accumulates and other fetches.
 * The type is any but CW_OPAQUE.
 * Local. Complete on return: the element is updated, and every process sees it. Errors: CW_MISUSE
 * (no matrix, NULL, an element outside or on a device, type), CW_OUTSIDE. After
 * RMAInterface::AtomicIncrement. */
CW_CHECKED cw_error cw_matrix_fetch_add(cw_matrix matrix, int64_t i, int64_t j, const void *value,
                                        void *before);

/* --- AXPY epochs: the AXPY interface ---------------------------------------------------------- */

/* Direction of an epoch's additions. */
typedef enum cw_axpy_direction {
  CW_LOCAL_TO_GLOBAL = 0, /* matrix += alpha * local */
  CW_GLOBAL_TO_LOCAL = 1  /* local += alpha * matrix */
} cw_axpy_direction;

/* Ways in which the members of an epoch detect that no message is left. */
typedef enum cw_axpy_end {
  CW_END_OF_MESSAGES = 0, /* each member sends a last message to every other one (ORIG) */
  CW_CONSENSUS = 1        /* synchronous sends, then a nonblocking barrier (NBX); after Hoefler,
                             Siebert, Lumsdaine: Scalable communication protocols for dynamic sparse
                             data exchange (2010) */
} cw_axpy_end;

/* An epoch; NULL stands for "none". */
typedef struct cwi_axpy *cw_axpy;

/* Begins an epoch on an array.
 *
 * array, order: as for cw_matrix_attach. The type of the array has arithmetic. axpy: receives the
 * handle. A team has at most 64 epochs at a time.
 * Collective over the array's team, synchronising. Errors, on every member: CW_MISUSE (no array;
 * not two dimensions; a type without arithmetic; order, direction, end; NULL; too many epochs),
 * CW_OUTSIDE (memory). After AxpyInterface::Attach. */
CW_CHECKED cw_error cw_axpy_attach(cw_array array, cw_matrix_order order,
                                   cw_axpy_direction direction, cw_axpy_end end, cw_axpy *axpy);

/* Adds a local matrix to the matrix at (i, j), or adds the matrix's elements there to the local
 * matrix.
 *
 * alpha: one element, or NULL for 1. local, i, j: as for cw_matrix_put.
 * Owners receive messages while they are in a call of any epoch themselves: one message for each
 * part of the local matrix that is a strided piece of one owner. So this call may wait for owners.
 * With CW_GLOBAL_TO_LOCAL it always waits if others own elements; with CW_LOCAL_TO_GLOBAL it waits
 * while 16 MiB or 64 messages of mine are on their way. Local otherwise. Complete on return:
 * `local` may be reused, or has its sums; the matrix is updated after cw_axpy_detach. Errors:
 * CW_MISUSE as cw_matrix_put, CW_OUTSIDE (memory, MPI: some of it may have been added). After
 * AxpyInterface::Axpy. */
CW_CHECKED cw_error cw_axpy_add(cw_axpy axpy, const void *alpha, const cw_local_matrix *local,
                                int64_t i, int64_t j);

/* Ends an epoch, and sets the handle to NULL. The call processes messages of the others until no
 * member has anything left to send. Collective over the array's team. Complete on return: my part
 * of the matrix has all sums; for those of the others call cw_array_sync. Errors: CW_MISUSE (no
 * epoch), CW_OUTSIDE (MPI, memory, additions that failed on a device of mine). After
 * AxpyInterface::Detach. */
CW_CHECKED cw_error cw_axpy_detach(cw_axpy *axpy);

#ifdef __cplusplus
}
#endif
#endif
