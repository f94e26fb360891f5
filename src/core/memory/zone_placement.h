/* Where the zones of a world lie: where no other world of the job has its own. */
#ifndef CWI_MEMORY_ZONE_PLACEMENT_H
#define CWI_MEMORY_ZONE_PLACEMENT_H

#include "base/error.h"

#include <stddef.h>
#include <stdint.h>

/* Addresses of the zones of all nodes: `places` stretches of `span` bytes. Node k has stretch k
 * modulo places. With one place all nodes have the same addresses. */
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

/* Chooses addresses from CW_ZONE_ADDRESS on. Zones of different nodes lie apart with CW_NODE_SIZE
 * and with CW_CHECK=1: there an address of another node names nothing of mine. If some processes of
 * the job are not in this world, no other world's zone lies there. *bytes: how long the zone is to
 * be; less, if there is no room for so much. Collective over all processes and server ranks, with
 * one outcome for all. Errors: CW_OUTSIDE. */
CWI_CHECKED cw_error cwi_zone_placement_choose(size_t *bytes, struct cwi_zone_placement *placement);

/* After the zone: others may have the addresses. Local. */
void cwi_zone_placement_release(void);
#endif
