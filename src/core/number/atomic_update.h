/* Inner loops of atomic updates, and the table of the operations and types that have them. */
#pragma once

#include "base/error.h"
#include "number/number_kernels.h"
#include "number/operation.h"

#include <stdbool.h>
#include <stddef.h>

/* Checks that the operation (a cw_reduction, or CWI_COMPARE_SWAP) is defined for the type. Errors:
 * CW_MISUSE with a message that names both. */
CWI_CHECKED cw_error cwi_update_check(int operation, cw_type type);

/* Like cwi_update_check, for a reduction that the program has passed. CWI_COMPARE_SWAP is then an
 * error. */
CWI_CHECKED cw_error cwi_reduction_check(cw_reduction reduction, cw_type type);

/* Like cwi_update_check without an error, for fast paths. */
bool cwi_update_is_defined(int operation, cw_type type);

/* Return the kernel of to[i] = to[i] op from[i] over rows. The caller of the kernel holds the
 * stripe. Only sums of types with arithmetic may be scaled. The operation must be defined for the
 * type. */
cwi_accumulate_kernel cwi_plain_kernel_of(cw_reduction reduction, cw_type type);

static inline cwi_accumulate_kernel cwi_update_kernel(cw_reduction reduction, cw_type type,
                                                      bool scaled)
{
  return CWI_LIKELY(reduction == CW_SUM && type < CW_TYPES) ? cwi_accumulate_kernels[type][scaled]
                                                            : cwi_plain_kernel_of(reduction, type);
}

/* Returns the kernel of to[i] = from[i] op to[i]. The order of the operands matters for minimum and
 * maximum. Of zeros with both signs, the first operand is the result. Of two NaNs, the last operand
 * is the result. */
cwi_accumulate_kernel cwi_update_kernel_after(cw_reduction reduction, cw_type type);

/* A kernel that updates `count` elements by the processor's atomics. `to` is aligned to the
 * element's size; `from` and `before` need not be. `before` receives the previous values; it may be
 * NULL. CW_NO_OP does not read `from`. */
typedef void (*cwi_atomic_kernel)(char *to, const char *from, char *before, size_t count);

/* Returns the kernel, or NULL if the processor has no such atomics, as for elements of 16 bytes. */
cwi_atomic_kernel cwi_atomic_kernel_of(cw_reduction reduction, cw_type type);

/* Makes a compare-and-swap of an aligned element of 1, 2, 4 or 8 bytes. It compares bits. If
 * `before` is not NULL, it receives the previous value. */
void cwi_atomic_compare_swap(char *to, const void *expected, const void *value, void *before,
                             size_t bytes);

/* Returns the alignment that an element needs for the processor's atomics. */
static inline size_t cwi_update_alignment(cw_type type)
{
  return cwi_type_bytes[type] < 8 ? cwi_type_bytes[type] : 8;
}
