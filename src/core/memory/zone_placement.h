/* Chooses addresses for the zones of a world at which no other world of the job has its zones. */
#pragma once

#include "base/error.h"

#include <stddef.h>
#include <stdint.h>

/* Addresses of the zones of all nodes: `places` ranges of `span` bytes. Node k has range k modulo
 * places. With one place all nodes have the same addresses. */
struct cwi_zone_placement {
  uintptr_t first;
  size_t span;
  int places;
};

static inline uintptr_t cwi_zone_placement_address(const struct cwi_zone_placement *placement,
                                                   int node)
{
  return placement->first + (uintptr_t)(node % placement->places) * placement->span;
}

/* Chooses addresses from CW_ZONE_ADDRESS on. With CW_NODE_SIZE or CW_CHECK=1 the zones of different
 * nodes are apart, so that an address of another node is no address of mine. If some processes of
 * the job are not in this world, the zone is kept apart from those of other worlds. *bytes is the
 * wanted size of the zone; it is reduced if the free range is shorter. Collective over all
 * processes and server ranks; all return the same result. Errors: CW_OUTSIDE. */
CWI_CHECKED cw_error cwi_zone_placement_choose(size_t *bytes, struct cwi_zone_placement *placement);

/* Releases the addresses after the zone has been unmapped, so that other worlds may use them.
 * Local. */
void cwi_zone_placement_release(void);
