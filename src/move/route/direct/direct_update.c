/* Fetching updates of memory of my node, under the zone's stripe locks or by the processor's
 * atomics. Used by the direct route and by servers. */
#include "base/memory_order.h"
#include "route/direct/stripes.h"
#include "route/route.h"

#include <string.h>

/* Updates elements that one stripe guards, or a single element that crosses from one stripe to the
 * next. The caller holds the locks. */
static void apply(const struct cwi_update *update, char *remote, const char *operands, char *before,
                  size_t bytes)
{
  const union cwi_scalar none = {.d = {0, 0}};
  if (before != NULL)
    memcpy(before, remote, bytes);
  if (update->operation != CWI_COMPARE_SWAP)
    cwi_update_kernel((cw_reduction)update->operation, update->type, false)(remote, 0, operands, 0,
                                                                            bytes, 1, &none);
  else if (memcmp(remote, update->expected.bytes, bytes) == 0)
    memcpy(remote, update->operand.bytes, bytes);
}

/* Updates under the stripes' locks, stripe by stripe. */
static void apply_locked(const struct cwi_update *update)
{
  const size_t element = cwi_type_bytes[update->type];
  struct cwi_holding holding = {NULL};
  char *remote = update->remote, *before = update->before;
  const char *operands = cwi_update_operands(update);
  for (size_t bytes = cwi_update_bytes(update), part = 0; bytes > 0; bytes -= part) {
    const size_t left = cwi_left_under_stripe(remote);
    if (CWI_UNLIKELY(left < element)) {
      part = element;
      cwi_stripe_hold(&holding, NULL);
      const struct cwi_across across = cwi_lock_across(remote, element);
      apply(update, remote, operands, before, part);
      cwi_unlock_across(&across);
    } else {
      part = left < bytes ? left / element * element : bytes;
      cwi_stripe_hold(&holding, cwi_zone_stripe(remote));
      apply(update, remote, operands, before, part);
    }
    remote += part;
    operands = operands != NULL ? operands + part : NULL;
    before = before != NULL ? before + part : NULL;
  }
  cwi_stripe_hold(&holding, NULL);
}

/* Updates aligned elements of at most 8 bytes by the processor's atomics. */
static void apply_atomically(const struct cwi_update *update)
{
  if (update->operation == CWI_COMPARE_SWAP)
    cwi_atomic_compare_swap(update->remote, update->expected.bytes, update->operand.bytes,
                            update->before, cwi_type_bytes[update->type]);
  else
    cwi_atomic_kernel_of((cw_reduction)update->operation, update->type)(
        update->remote, cwi_update_operands(update), update->before, update->count);
}

/* If the processor can do a locked update of one element atomically, this does so under the
 * stripe's lock. The update is then atomic with respect to both locked and lock-free updates. */
void cwi_direct_update(const struct cwi_update *update)
{
  const bool atomics = cwi_type_bytes[update->type] <= 8;
  cwi_release();
  if (atomics && !update->locked) {
    apply_atomically(update);
  } else if (atomics && update->count == 1 &&
             (uintptr_t)update->remote % cwi_update_alignment(update->type) == 0) {
    uint32_t *stripe = cwi_zone_stripe(update->remote);
    cwi_lock(stripe);
    apply_atomically(update);
    cwi_unlock(stripe);
  } else {
    apply_locked(update);
  }
  cwi_acquire();
}
