/* Converts ARMCI's shapes to those of Causeway: int counts and strides become size_t and
 * ptrdiff_t. */
#pragma once

#include "binding.h"

#include <stddef.h>

/* Space for the arrays of a strided transfer. */
struct cwi_armci_strides {
  size_t counts[CW_MAX_LEVELS];
  ptrdiff_t local[CW_MAX_LEVELS];
  ptrdiff_t remote[CW_MAX_LEVELS];
};

/* The stride array of one side, and the name of that argument in the ARMCI call. */
struct cwi_armci_side {
  const char *name;
  const int *strides;
};

/* Sets the shape of a strided transfer: runs of count[0] bytes, then `levels` block counts and
 * strides. The stride arrays may be NULL if levels is 0. Errors: CW_MISUSE. */
CWI_CHECKED cw_error cwi_armci_strided(cw_transfer *transfer, struct cwi_armci_strides *storage,
                                       struct cwi_armci_side local, struct cwi_armci_side remote,
                                       const int *count, int levels);

/* Does what ARMCI_PutS does, but returns the error. ARMCI_PutS_flag uses it. */
CWI_CHECKED cw_error cwi_armci_put_strided(void *src, const int *src_strides, void *dst,
                                           const int *dst_strides, const int *count, int levels,
                                           int proc);

/* number of descriptors converted at a time */
enum { CWI_ARMCI_BATCH = 32 };

/* Sets the shape of a vector transfer to `count` descriptors from iov[first] on. Errors:
 * CW_MISUSE. */
CWI_CHECKED cw_error cwi_armci_vectors(cw_transfer *transfer, cw_vector storage[CWI_ARMCI_BATCH],
                                       const armci_giov_t *iov, int first, int count);
