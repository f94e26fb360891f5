/* Fetching updates: atomic operations on elements of a target that return their old values. */
#pragma once

#include "number/atomic_update.h"
#include "region/region.h"
#include "transfer/transfer.h"

#include <string.h>

/* A fetching update of any kind. A read is CW_NO_OP; a write is CW_REPLACE with `before` NULL. */
struct cwi_update {
  int operation; /* cw_reduction or CWI_COMPARE_SWAP */
  cw_type type;
  bool locked; /* true if the update is atomic with respect to accumulates, too; else it is atomic
                  only with respect to updates that are not locked */
  int process;
  void *remote;
  struct cwi_location place;          /* location of `remote`, set by the `locate` function */
  size_t count;                       /* number of elements; 1 for a compare-and-swap */
  union cwi_scalar operand, expected; /* used if count is 1 */
  const void *local; /* operands if count is more than 1; may be NULL for CW_NO_OP */
  void *before;      /* receives the old values; may be NULL */
};

static inline size_t cwi_update_bytes(const struct cwi_update *update)
{
  return update->count * cwi_type_bytes[update->type];
}

/* Returns the address of the operands. */
static inline const void *cwi_update_operands(const struct cwi_update *update)
{
  return update->count == 1 ? update->operand.bytes : update->local;
}

/* Copies the operands of an update of one element into `update`. `operand` and `expected` are NULL
 * if the operation has none. The type must be set already. */
static inline void cwi_update_give(struct cwi_update *update, const void *operand,
                                   const void *expected)
{
  const size_t bytes = cwi_type_bytes[update->type];
  update->count = 1;
  if (operand != NULL)
    memcpy(update->operand.bytes, operand, bytes);
  if (expected != NULL)
    memcpy(update->expected.bytes, expected, bytes);
}

/* Checks that `value`, the argument called `name`, is aligned as the processor's atomics of this
 * type need it. Errors: CW_MISUSE. */
CWI_CHECKED cw_error cwi_update_aligned(const char *name, uintptr_t value, cw_type type);

/* Stores the number of bytes of `count` elements in *bytes. Errors: CW_MISUSE if no memory can be
 * that large. */
CWI_CHECKED cw_error cwi_elements_bytes(size_t count, cw_type type, size_t *bytes);

/* Checks everything in an update except its process: the operation, the type, the operands, the
 * alignment, and that the bytes lie inside a slice of the process. Sets update->place. The count
 * must not be 0. Errors: CW_MISUSE, and those of `locate`. */
CWI_CHECKED cw_error cwi_update_locate(struct cwi_update *update, cwi_locate_function locate);
