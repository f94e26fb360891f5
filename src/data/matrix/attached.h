/* Distributed matrices: arrays of two dimensions, and local matrices that go to them and come from
 * them.
 *
 * local_patch.c     a local matrix at a place of a matrix, as a patch of the array
 * attached.c        attached matrices: one-sided transfers (the RMA interface)
 * axpy.c            epochs in which owners take part by messages (the AXPY interface)
 * axpy_messages.c   their messages: how they leave, arrive and end
 * owner_elements.c  what one owner has of a patch: the elements of a message
 *
 * This header has what both share: the array that is attached. */
#ifndef CWI_MATRIX_ATTACHED_H
#define CWI_MATRIX_ATTACHED_H

#include "array/array.h"
#include "team/collective_arguments.h"

#include <causeway/matrix.h>

/* The names of cw_matrix_order. */
extern const char *const cwi_matrix_order_names[CW_COLUMN_MAJOR + 1];

/* Can the array be attached? Its handle has been checked. Errors: CW_MISUSE. */
CWI_CHECKED cw_error cwi_attach_check(cw_array array, cw_matrix_order order);

/* Do all members attach the same array, and has it gone well so far? mine: here; key: a number for
 * what else has to be the same, which `same` lists besides the array. Everybody's operations are
 * complete then. Collective. Errors, on every member: mine, CW_MISUSE (what differs), CW_OUTSIDE.
 */
CWI_CHECKED cw_error cwi_attach_agree(cw_array array, cw_error mine, uint64_t key,
                                      const struct cwi_argument *same);

/* An array stays while it is attached. */
static inline void cwi_array_attach(cw_array array)
{
  __atomic_add_fetch(&array->attached, 1, __ATOMIC_RELAXED);
}
static inline void cwi_array_detach(cw_array array)
{
  __atomic_sub_fetch(&array->attached, 1, __ATOMIC_RELAXED);
}
#endif
