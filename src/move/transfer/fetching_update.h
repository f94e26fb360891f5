/* Fetching updates: elements in memory become something else, and their old contents come back. */
#ifndef CWI_TRANSFER_FETCHING_UPDATE_H
#define CWI_TRANSFER_FETCHING_UPDATE_H

#include "number/atomic_update.h"
#include "region/region.h"
#include "transfer/transfer.h"

#include <string.h>

/* One of any kind. A read is CW_NO_OP, a write CW_REPLACE without `before`. */
struct cwi_update {
  int operation; /* cw_reduction or CWI_COMPARE_SWAP */
  cw_type type;
  bool locked; /* atomic against accumulates; else against other updates that are not */
  int process;
  void *remote;
  struct cwi_location place;          /* of remote, as `locate` found it */
  size_t count;                       /* elements; compare-and-swap: 1 */
  union cwi_scalar operand, expected; /* count 1 */
  const void *local;                  /* more: the operands; of CW_NO_OP they may be NULL */
  void *before;                       /* receives what was there; may be NULL */
};

static inline size_t cwi_update_bytes(const struct cwi_update *update)
{
  return update->count * cwi_type_bytes[update->type];
}

static inline const void *cwi_update_operands(const struct cwi_update *update)
{
  return update->count == 1 ? update->operand.bytes : update->local;
}

/* Give an update of one element its operands; NULL: it has none. Its type is known. */
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

/* Is the address as the processor's atomics need it? Errors: CW_MISUSE. */
CWI_CHECKED cw_error cwi_update_aligned(const char *name, uintptr_t value, cw_type type);

/* How many bytes are so many elements? Errors: CW_MISUSE (no memory has them). */
CWI_CHECKED cw_error cwi_elements_bytes(size_t count, cw_type type, size_t *bytes);

/* Check it but for the process: operation, type, count, operands, alignment, and that its bytes lie
 * inside a slice of the process. Its count is not 0. Errors: CW_MISUSE, and those of `locate`. */
CWI_CHECKED cw_error cwi_update_locate(struct cwi_update *update, cwi_locate_function locate);
#endif
