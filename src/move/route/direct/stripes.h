/* The locks that guard accumulates: one stripe at a time, or the two that an element lies under. */
#pragma once

#include "memory/zone.h"
#include "wait/lock.h"

#include <stddef.h>
#include <stdint.h>

/* The stripe whose lock is held, or NULL. The lock is kept while the next elements lie under the
 * same stripe. */
struct cwi_holding {
  uint32_t *stripe;
};

/* Releases the lock that is held and acquires that of `stripe`, unless it is the same one. If
 * `stripe` is NULL, only releases. */
static inline void cwi_stripe_hold(struct cwi_holding *holding, uint32_t *stripe)
{
  if (holding->stripe == stripe)
    return;
  if (holding->stripe != NULL)
    cwi_unlock(holding->stripe);
  if (stripe != NULL)
    cwi_lock(stripe);
  holding->stripe = stripe;
}

/* Returns the number of bytes from the address to the end of its stripe. */
static inline size_t cwi_left_under_stripe(const char *address)
{
  const size_t under = (size_t)1 << CWI_STRIPE_SHIFT;
  const size_t offset = (size_t)(address - cwi_zone.base);
  return under - (offset & (under - 1));
}

/* An element that lies under two stripes needs both locks, taken in the order of their addresses.
 */
struct cwi_across {
  uint32_t *low, *high;
};

static inline struct cwi_across cwi_lock_across(const char *remote, size_t element)
{
  uint32_t *one = cwi_zone_stripe(remote), *two = cwi_zone_stripe(remote + element - 1);
  const struct cwi_across across = {one < two ? one : two, one < two ? two : one};
  cwi_lock(across.low);
  cwi_lock(across.high);
  return across;
}

static inline void cwi_unlock_across(const struct cwi_across *across)
{
  cwi_unlock(across->high);
  cwi_unlock(across->low);
}
