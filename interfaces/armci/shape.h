/* ARMCI's shapes as Causeway's: int counts and strides become sizes and differences. */
#ifndef CWI_ARMCI_SHAPE_H
#define CWI_ARMCI_SHAPE_H

#include "binding.h"

#include <stddef.h>

/* Room for the arrays of a strided transfer. */
struct cwi_armci_strides {
  size_t counts[CW_MAX_LEVELS];
  ptrdiff_t local[CW_MAX_LEVELS];
  ptrdiff_t remote[CW_MAX_LEVELS];
};

/* One side's array of strides, and how the call names it. */
struct cwi_armci_side {
  const char *name;
  const int *strides;
};

/* Give the transfer a strided shape: count[0] bytes, then `levels` block counts and strides. The
 * stride arrays may be NULL when levels is 0. Errors: CW_MISUSE. */
CWI_CHECKED cw_error cwi_armci_strided(cw_transfer *transfer, struct cwi_armci_strides *room,
                                       struct cwi_armci_side local, struct cwi_armci_side remote,
                                       const int *count, int levels);

/* ARMCI_PutS, for calls that do more. */
CWI_CHECKED cw_error cwi_armci_put_strided(void *src, const int *src_strides, void *dst,
                                           const int *dst_strides, const int *count, int levels,
                                           int proc);

/* Descriptors that are converted at a time. */
enum { CWI_ARMCI_BATCH = 32 };

/* Give the transfer `count` descriptors as its shape, iov[first] and those that follow. Errors:
 * CW_MISUSE. */
CWI_CHECKED cw_error cwi_armci_vectors(cw_transfer *transfer, cw_vector room[CWI_ARMCI_BATCH],
                                       const armci_giov_t *iov, int first, int count);
#endif
