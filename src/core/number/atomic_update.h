/* Inner loops of atomic updates, and the table that says what is an atomic update. */
#ifndef CWI_NUMBER_ATOMIC_UPDATE_H
#define CWI_NUMBER_ATOMIC_UPDATE_H

#include "base/error.h"
#include "number/number_kernels.h"
#include "number/operation.h"

#include <stdbool.h>
#include <stddef.h>

/* Is the operation (a cw_reduction, or CWI_COMPARE_SWAP) defined for numbers of the type? Errors:
 * CW_MISUSE, which names both. */
CWI_CHECKED cw_error cwi_update_check(int operation, cw_type type);

/* The same of what a program calls a reduction: compare-and-swap is none. */
CWI_CHECKED cw_error cwi_reduction_check(cw_reduction reduction, cw_type type);

/* The same as a question, for arguments that a short way may take. */
bool cwi_update_is_defined(int operation, cw_type type);

/* to[i] = to[i] op from[i] over rows; the caller holds the stripe. Sums of types that have
 * arithmetic may be scaled. The pair is defined. */
cwi_accumulate_kernel cwi_plain_kernel_of(cw_reduction reduction, cw_type type);

static inline cwi_accumulate_kernel cwi_update_kernel(cw_reduction reduction, cw_type type,
                                                      bool scaled)
{
  return CWI_LIKELY(reduction == CW_SUM && type < CW_TYPES) ? cwi_accumulate_kernels[type][scaled]
                                                            : cwi_plain_kernel_of(reduction, type);
}

/* to[i] = from[i] op to[i]: of signed zeros the least and the greatest is that which comes first,
 * of two NaNs that which comes last. */
cwi_accumulate_kernel cwi_update_kernel_after(cw_reduction reduction, cw_type type);

/* The same for `count` elements, by the processor's atomics: to is aligned to the element's size,
 * from and before need not be. before: receives what was there; or NULL. from: of CW_NO_OP it is
 * not looked at. */
typedef void (*cwi_atomic_kernel)(char *to, const char *from, char *before, size_t count);

/* NULL: the element has 16 bytes, and the processor no such operation. */
cwi_atomic_kernel cwi_atomic_kernel_of(cw_reduction reduction, cw_type type);

/* Compare-and-swap of an aligned element of 1, 2, 4 or 8 bytes, bit by bit. */
void cwi_atomic_compare_swap(char *to, const void *expected, const void *value, void *before,
                             size_t bytes);

/* What the address of an element has to be a multiple of, for the processor's atomics. */
static inline size_t cwi_update_alignment(cw_type type)
{
  return cwi_type_bytes[type] < 8 ? cwi_type_bytes[type] : 8;
}
#endif
