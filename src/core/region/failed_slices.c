/* Slices of failed processes: how survivors free them. */
#include "memory/arena.h"
#include "region/region.h"
#include "team/team.h"
#include "wait/failures.h"

#include <string.h>

void cwi_region_free_failed_slices(cw_region region)
{
  const cw_team team = region->team;
  const char *failed = team->survivor_flags;
  if (cwi_failures_count() == 0 || memchr(failed, 0, (size_t)team->rank) != NULL)
    return;
  for (int rank = 0; rank < team->size; rank++) {
    const struct cwi_slice *slice = &region->slices[rank];
    if (failed[rank] != 0 && slice->address != NULL && !slice->on_device)
      cwi_heap_free_failed(slice->address);
  }
}
