/* Which operations of one process on the same memory may be reordered. */
#pragma once

#include "transfer/transfer.h"

#include <stdbool.h>

/* Kinds of operations that differ in what they may overtake. The kind of an accumulate is
 * CWI_KIND_ACCUMULATE plus a number made of its type and reduction. */
enum cwi_order_kind { CWI_KIND_GET, CWI_KIND_PUT, CWI_KIND_RMW, CWI_KIND_ACCUMULATE };

/* Returns the kind of a transfer. */
static inline int cwi_order_kind_of(const struct cwi_transfer *transfer)
{
  switch (transfer->operation) {
  case CW_PUT:
    return CWI_KIND_PUT;
  case CW_GET:
    return CWI_KIND_GET;
  default:
    return CWI_KIND_ACCUMULATE + (int)transfer->type + CWI_TYPES * (int)transfer->reduction;
  }
}

/* Returns true if the later of two operations may be executed first. Gets may overtake gets.
 * Accumulates may overtake accumulates of the same type and reduction. CW_REPLACE is an exception,
 * because the last value must stay. */
static inline bool cwi_may_pass(int earlier, int later)
{
  const bool replaces =
      earlier >= CWI_KIND_ACCUMULATE && (earlier - CWI_KIND_ACCUMULATE) / CWI_TYPES == CW_REPLACE;
  return earlier == later && !replaces &&
         (earlier == CWI_KIND_GET || earlier >= CWI_KIND_ACCUMULATE);
}
