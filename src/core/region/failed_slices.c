/* Slices of failed processes: how survivors free them. */
#include "memory/arena.h"
#include "region/region.h"
#include "team/world.h"
#include "wait/failures.h"

/* Returns true if I am the surviving member of lowest rank on my node. */
static bool am_first_survivor(cw_team team)
{
  for (int rank = 0; rank < team->rank; rank++)
    if (team->survivor_flags[rank] == 0 && cwi_same_node(team->process[rank]))
      return false;
  return true;
}

void cwi_region_free_failed_slices(cw_region region)
{
  const cw_team team = region->team;
  const char *failed = team->survivor_flags;
  if (cwi_failures_count() == 0 || !am_first_survivor(team))
    return;
  for (int rank = 0; rank < team->size; rank++) {
    const struct cwi_slice *slice = &region->slices[rank];
    if (failed[rank] != 0 && cwi_same_node(team->process[rank]) && slice->address != NULL &&
        !slice->on_device)
      cwi_heap_free_failed(slice->address);
  }
}
