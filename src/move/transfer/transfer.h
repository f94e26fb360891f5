/* Transfers as routes see them: checked, reduced, self-contained except for vectors.
 *
 * transfer.c   checks a transfer, and makes the descriptor that routes see
 * shape.c      the iterator: from strided and vector shapes to planes of rows
 * fragment.c   shapes in fragments of limited size
 * batch.c      shapes in batches: what goes together, packed, in one move
 * footprint.c  the bytes of a target that a transfer touches; kind.h: what may pass what there
 * update.c     checks fetching updates
 * handle.c     operations pending on each handle, and waiting for them */
#ifndef CWI_TRANSFER_TRANSFER_H
#define CWI_TRANSFER_TRANSFER_H

#include "memory/region.h"
#include "number/kernels.h"
#include "transfer/shape.h"

#ifdef __cplusplus
extern "C" {
#endif

struct cwi_transfer {
  cw_operation operation;
  cw_type type;
  cw_reduction reduction; /* accumulate only */
  bool lock_free;
  bool scaled;
  bool local_device; /* my side lies on my device */
  int process;
  struct cwi_remote place; /* of the remote bytes, as `locate` found it; not of vectors */
  union cwi_scalar scale;
  struct cwi_shape shape;
};

/* The call that a program makes for it, as a rule. */
static inline const char *cwi_transfer_call(cw_operation operation)
{
  static const char *const calls[] = {"cw_put", "cw_get", "cw_accumulate"};
  return calls[operation];
}

/* Where are these remote bytes? *place: what is known of the address already, or {0}; receives what
 * the route wants to know. Errors: CW_MISUSE (not all inside one slice of the process); CW_OUTSIDE
 * (it cannot be found out). */
typedef cw_error (*cwi_locate_function)(int process, const void *address, size_t bytes,
                                        struct cwi_remote *place);

/* Reduce and check: operation, type, scale, element counts, buffers that are NULL or that no load
 * or store reaches, and that the remote bytes lie inside slices of the process. transfer->place is
 * given to `locate` as it is. Nothing to do: shape.bytes == 0. Errors: CW_MISUSE, and those of
 * `locate`. */
CWI_CHECKED cw_error cwi_transfer_check(const cw_transfer *given, cwi_locate_function locate,
                                        struct cwi_transfer *transfer);

#ifdef __cplusplus
}
#endif
#endif
