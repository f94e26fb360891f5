/* Transfers as routes see them: checked, reduced, self-contained except for vectors.
 *
 * fetching_update.c  checks fetching updates, for the calls and for servers
 * footprint.c        the bytes of a target that a transfer touches; ordering_kind.h: what may pass
 *                    what
 * handle.c           operations pending on each handle, and waiting for them
 * shape.c            the bytes of a transfer: runs, rows, vectors, and their iterator
 * shape_batch.c      shapes in batches: what goes together, packed, in one move
 * shape_fragment.c   shapes in fragments of limited size
 * transfer.c         checks transfers and reduces them to their shape */
#ifndef CWI_TRANSFER_TRANSFER_H
#define CWI_TRANSFER_TRANSFER_H

#include "number/number_kernels.h"
#include "region/region.h"
#include "transfer/shape.h"

struct cwi_transfer {
  cw_operation operation;
  cw_type type;
  cw_reduction reduction; /* accumulate only */
  bool lock_free;
  bool scaled;
  bool local_device; /* my side lies on my device */
  int process;
  struct cwi_location place; /* of the remote bytes, as `locate` found it; not of vectors */
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
                                        struct cwi_location *place);

/* Reduce and check: operation, type, scale, element counts, buffers that are NULL or that no load
 * or store reaches, and that the remote bytes lie inside slices of the process. transfer->place is
 * given to `locate` as it is. Nothing to do: shape.bytes == 0. Errors: CW_MISUSE, and those of
 * `locate`. */
CWI_CHECKED cw_error cwi_transfer_check(const cw_transfer *given, cwi_locate_function locate,
                                        struct cwi_transfer *transfer);
#endif
