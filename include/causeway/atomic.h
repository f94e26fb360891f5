/* Causeway: atomic read-modify-write on 4- and 8-byte integers in regions.
 *
 * Thread level of all calls: any, unless one says otherwise. */
#ifndef CAUSEWAY_ATOMIC_H
#define CAUSEWAY_ATOMIC_H

#include <causeway/error.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Add `value` to *remote at `process`; the value before goes to *before.
 *
 * remote: address in a slice of the process (world rank), aligned to its width. before: may be
 * NULL. Integers wrap. Atomic against all read-modify-writes of the same width.
 * Local. Complete on return: the target is updated, and every process sees it. Errors: CW_MISUSE
 * (address, process, alignment), CW_OUTSIDE. After MPI_Fetch_and_op. */
cw_error cw_fetch_add_int32(int32_t *remote, int32_t value, int process, int32_t *before);
cw_error cw_fetch_add_int64(int64_t *remote, int64_t value, int process, int64_t *before);

/* Store `value` in *remote at `process`; the value before goes to *before. Local. Completion and
 * Errors as fetch-and-add. */
cw_error cw_swap_int32(int32_t *remote, int32_t value, int process, int32_t *before);
cw_error cw_swap_int64(int64_t *remote, int64_t value, int process, int64_t *before);

/* Store `value` in *remote at `process` if it holds `expected`; the value before goes to *before
 * (equal to expected: stored). Local. Completion and Errors as fetch-and-add. After
 * MPI_Compare_and_swap. */
cw_error cw_compare_swap_int32(int32_t *remote, int32_t expected, int32_t value, int process,
                               int32_t *before);
cw_error cw_compare_swap_int64(int64_t *remote, int64_t expected, int64_t value, int process,
                               int64_t *before);

#ifdef __cplusplus
}
#endif
#endif
