/* Transfers as the routes see them: checked, reduced, and self-contained except for vectors.
 *
 * fetching_update.c  checks fetching updates, for the calls and for servers
 * footprint.c        the bytes of a target that a transfer touches
 * handle.c           operations pending on each handle, and waiting for them
 * shape.c            the bytes of a transfer: runs, rows, vectors, and their iterator
 * shape_batch.c      splits shapes into batches that are packed and moved together
 * shape_fragment.c   splits shapes into fragments of limited size
 * transfer.c         checks transfers and reduces them to their shape
 *
 * ordering_kind.h says which operations may be reordered. */
#pragma once

#include "number/number_kernels.h"
#include "region/region.h"
#include "transfer/shape.h"

/* A checked transfer. */
struct cwi_transfer {
  cw_operation operation;
  cw_type type;
  cw_reduction reduction; /* for accumulates only */
  bool lock_free;
  bool scaled;
  bool local_device; /* the local buffer is device memory */
  int process;
  struct cwi_location place; /* location of the remote bytes, set by `locate`; unused for vectors */
  union cwi_scalar scale;
  struct cwi_shape shape;
};

/* Returns the name of the public call for an operation, for messages and the profile. */
static inline const char *cwi_transfer_call(cw_operation operation)
{
  static const char *const calls[] = {"cw_put", "cw_get", "cw_accumulate"};
  return calls[operation];
}

/* Finds where `bytes` remote bytes at `address` are. On entry *place has what is already known
 * about the address, or zeros; on return it has what the route needs. Errors: CW_MISUSE if not all
 * bytes are inside one slice of the process; CW_OUTSIDE if the location cannot be found out. */
typedef cw_error (*cwi_locate_function)(int process, const void *address, size_t bytes,
                                        struct cwi_location *place);

/* Checks a transfer and stores it in `transfer` in its simplest form. Checks the operation, the
 * type, the scale and the element counts, that the local buffers are not NULL and that loads and
 * stores reach them, and that the remote bytes lie inside slices of the process. The caller has set
 * transfer->place, which this function passes to `locate`. If there is nothing to do, shape.bytes
 * is 0. Errors: CW_MISUSE, and those of `locate`. */
CWI_CHECKED cw_error cwi_transfer_check(const cw_transfer *given, cwi_locate_function locate,
                                        struct cwi_transfer *transfer);
