/* Distributed matrices are arrays of two dimensions. Local matrices are copied to and from them, or
 * added to them.
 *
 * local_patch.c     a local matrix at a position of a matrix, as a patch of the array
 * attached.c        attached matrices: one-sided transfers (the RMA interface)
 * axpy.c            epochs in which owners take part by messages (the AXPY interface)
 * axpy_messages.c   their messages: how they are sent, received and ended
 * owner_elements.c  the elements that one owner has of a patch: the contents of a message
 *
 * This header has what both interfaces share: the array that is attached. */
#pragma once

#include "array/array.h"
#include "team/collective_arguments.h"

#include <causeway/matrix.h>

/* The names of cw_matrix_order. */
extern const char *const cwi_matrix_order_names[CW_COLUMN_MAJOR + 1];

/* Checks that the array, whose handle has been checked, can be attached. Errors: CW_MISUSE. */
CWI_CHECKED cw_error cwi_attach_check(cw_array array, cw_matrix_order order);

/* Checks that all members attach the same array and that all have succeeded so far. `mine` is the
 * result on this process. `same` lists the array and the other arguments that have to be equal;
 * `key` is a hash of the others. Then synchronises, so that the operations of all members are
 * complete. Collective. Errors, on every member: mine, CW_MISUSE (an argument that differs),
 * CW_OUTSIDE. */
CWI_CHECKED cw_error cwi_attach_agree(cw_array array, cw_error mine, uint64_t key,
                                      const struct cwi_argument *same);

/* Count the uses of an array, which cannot be destroyed while it is attached. */
static inline void cwi_array_attach(cw_array array)
{
  __atomic_add_fetch(&array->attached, 1, __ATOMIC_RELAXED);
}
static inline void cwi_array_detach(cw_array array)
{
  __atomic_sub_fetch(&array->attached, 1, __ATOMIC_RELAXED);
}
