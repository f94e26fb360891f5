/* The transfer descriptor as routes see it: checked, reduced, self-contained but for vectors. */
#ifndef CWI_TRANSFER_TRANSFER_H
#define CWI_TRANSFER_TRANSFER_H

#include "transfer/kernels.h"
#include "transfer/shape.h"

#ifdef __cplusplus
extern "C" {
#endif

struct cwi_transfer {
  cw_operation operation;
  cw_type type;
  bool scaled;
  int process;
  union cwi_scalar scale;
  struct cwi_shape shape;
};

/* Where a range of remote bytes is looked up: the route's answer to "all inside one slice?". */
typedef bool (*cwi_holds_function)(int process, const void *address, size_t bytes);

/* Reduce and check: operation, type, scale, element counts, NULL buffers, and that the remote bytes
 * lie inside slices of the process. Nothing to do: shape.bytes == 0. Errors: CW_MISUSE. */
CWI_CHECKED cw_error cwi_transfer_check(const cw_transfer *given, cwi_holds_function holds,
                                        struct cwi_transfer *transfer);

extern const char *const cwi_operation_names[3];

#ifdef __cplusplus
}
#endif
#endif
