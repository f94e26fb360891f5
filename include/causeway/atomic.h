/* Causeway: atomic updates of elements in regions, which also return the old values.
 *
 * Updates of elements of one type, or of types of the same size, are atomic against each other,
 * element by element, whatever the operation. They are not atomic against accumulates (transfer.h),
 * unless those are lock-free. Inside a node, and if nodes have servers, the processor's own atomic
 * instructions make the updates. An element must then lie at a multiple of its size (double
 * complex: of 8); only updates of double complex take a lock. Without servers, MPI updates the
 * regions of teams that span nodes.
 *
 * Types: all but CW_OPAQUE. Operations: those of MPI: sum and product of all types, minimum and
 * maximum of integers and reals, logical and bitwise ones of integers, replace and no-op of all.
 *
 * Thread level of all calls: any, unless one says otherwise. */
#ifndef CAUSEWAY_ATOMIC_H
#define CAUSEWAY_ATOMIC_H

#include <causeway/error.h>
#include <causeway/transfer.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Updates *remote at `process` to *remote op *operand; *before receives the old value.
 *
 * reduction: as the type allows. operand: one element; CW_NO_OP ignores it. remote: address in a
 * slice of the process (world rank), aligned to the size of the element (8 bytes for an element of
 * 16). before: one element, or NULL. Local.
 * Complete on return: the target is updated, and every process sees it. Errors: CW_MISUSE
 * (operation, type, NULL operand, process, address, alignment), CW_OUTSIDE. After MPI_Fetch_and_op,
 * MPI 3.0, section 11.3.4. */
CW_CHECKED cw_error cw_fetch_op(cw_type type, cw_reduction reduction, const void *operand,
                                void *remote, int process, void *before);

/* Stores *value in *remote at `process` if *remote has the same bits as *expected; *before receives
 * the old value (if it has the bits of expected, the call has stored *value).
 *
 * expected, value: one element each. before: one element, or NULL. Where MPI updates the region,
 * there is no compare-and-swap of 16 bytes.
 * Local. Completion and Errors as cw_fetch_op; also CW_OUTSIDE for double complex through MPI.
 * After MPI_Compare_and_swap, MPI 3.0, section 11.3.4. */
CW_CHECKED cw_error cw_compare_swap(cw_type type, const void *expected, const void *value,
                                    void *remote, int process, void *before);

/* Reads or writes one element of a process (world rank) atomically. value: one element. Local.
 * Completion and Errors as cw_fetch_op. After MPI_Fetch_and_op with MPI_NO_OP and MPI_REPLACE. */
CW_CHECKED cw_error cw_atomic_read(cw_type type, const void *remote, int process, void *value);
CW_CHECKED cw_error cw_atomic_write(cw_type type, const void *value, void *remote, int process);

/* Updates remote[i] to remote[i] op local[i] for `count` elements; before[i] receives the old
 * value.
 *
 * The call is atomic for each single element. local: the operands; CW_NO_OP ignores them. before:
 * may be NULL; it must not overlap local. remote: inside one slice of the process, aligned as for
 * cw_fetch_op. count: 0 is legal.
 * Local. Completion and Errors as cw_fetch_op. After MPI_Get_accumulate, MPI 3.0, section 11.3.4.
 */
CW_CHECKED cw_error cw_get_accumulate(cw_type type, cw_reduction reduction, const void *local,
                                      void *before, void *remote, size_t count, int process);

/* Adds `value` to *remote at `process`; *before receives the old value.
 *
 * remote: address in a slice of the process (world rank), aligned to its width. before: may be
 * NULL. Integers wrap.
 * Local. Complete on return: the target is updated, and every process sees it. Errors: CW_MISUSE
 * (address, process, alignment), CW_OUTSIDE. After MPI_Fetch_and_op. */
CW_CHECKED cw_error cw_fetch_add_int32(int32_t *remote, int32_t value, int process,
                                       int32_t *before);
CW_CHECKED cw_error cw_fetch_add_int64(int64_t *remote, int64_t value, int process,
                                       int64_t *before);

/* Stores `value` in *remote at `process`; *before receives the old value. Local. Completion and
 * Errors as fetch-and-add. */
CW_CHECKED cw_error cw_swap_int32(int32_t *remote, int32_t value, int process, int32_t *before);
CW_CHECKED cw_error cw_swap_int64(int64_t *remote, int64_t value, int process, int64_t *before);

/* Stores `value` in *remote at `process` if it holds `expected`; *before receives the old value (if
 * it equals expected, the call has stored `value`). Local. Completion and Errors as fetch-and-add.
 * After MPI_Compare_and_swap. */
CW_CHECKED cw_error cw_compare_swap_int32(int32_t *remote, int32_t expected, int32_t value,
                                          int process, int32_t *before);
CW_CHECKED cw_error cw_compare_swap_int64(int64_t *remote, int64_t expected, int64_t value,
                                          int process, int64_t *before);

#ifdef __cplusplus
}
#endif
#endif
