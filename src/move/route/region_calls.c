/* Freeing a region, after its outstanding operations have completed. */
#include "route/region_calls.h"

#include "collective_call/collective_check.h"
#include "memory/zone.h"
#include "mpi/mpi_result.h"
#include "profile/profile.h"
#include "region/region.h"
#include "route/route.h"
#include "team/survivors.h"
#include "team/world.h"

#include <causeway/memory.h>

/* Completes all operations, gets included: a get that is still outstanding would read whatever is
 * allocated there next. */
static cw_error complete_all(void)
{
  struct cwi_first_error first;
  cwi_first_begin(&first, cwi_routes_finish(-1));
  if (!cwi_first_is_from_mpi(&first))
    cwi_first_note(&first, cwi_routes_fence_all());
  return cwi_first_return(&first);
}

/* Frees the region. If `by_handle`, all members have given its handle, and it must belong to the
 * team `named`. Otherwise they have given the addresses of their slices; `mine` is then NULL in
 * members without bytes. */
static cw_error free_together(cw_team team, cw_region mine, bool by_handle, cw_team named)
{
  const struct cwi_argument argument_list[] = {cwi_argument_region("region", mine),
                                               CWI_ARGUMENTS_END};
  return CWI_TOGETHER("cw_region_free", team, by_handle ? argument_list : cwi_argument_nothing(),
                      by_handle ? cwi_region_release_handle(team, mine, named, complete_all())
                                : cwi_region_release(team, mine, complete_all()));
}

/* Rejects regions inside arrays, pools and sets: their owners free them. */
static cw_error check_own(cw_region region)
{
  if (region == NULL || region->listed)
    return CW_OK;
  return cwi_misuse("region is memory of an array, a task pool or a set of mutexes or counters, "
                    "and is freed with it");
}

static cw_error check_free(cw_team team, const cw_region *region)
{
  if (region == NULL)
    return cwi_misuse("the address of the region's handle is NULL");
  return *region != NULL ? cwi_check_region(*region) : cwi_check_team("team", team);
}

cw_error cwi_region_free(cw_team team, cw_region *region)
{
  CWI_TRY(check_free(team, region));
  cw_region freed = *region;
  *region = NULL;
  const cw_error error = free_together(freed != NULL ? freed->team : team, freed, true, team);
  if (error == CW_MISUSE && cwi_is_region(freed)) /* nothing has been freed */
    *region = freed;
  return error;
}

cw_error cw_region_free(cw_team team, cw_region *region)
{
  CWI_PROFILED(CW_CALL_MAKE);
  CWI_TRY(cwi_in_call("cw_region_free", check_free(team, region)));
  CWI_TRY(cwi_in_call("cw_region_free", check_own(*region)));
  return cwi_in_call("cw_region_free", CWI_AMONG_SURVIVORS(cwi_region_free(team, region)));
}

cw_error cwi_region_free_address(cw_team team, void *address)
{
  cw_region region = NULL;
  if (cwi_world.processes == 0)
    return cwi_not_running();
  if (address != NULL) {
    struct cwi_zone_slice slice;
    if (cwi_zone_find(address, &slice) && slice.owner == cwi_world.process)
      region = cwi_region_keyed(slice.region);
    if (region != NULL && slice.base != address)
      return cwi_misuse("address %p is %zu bytes after the start of its slice, %p: pass the start",
                        address, (size_t)((const char *)address - slice.base),
                        (const void *)slice.base);
    if (region == NULL)
      return cwi_misuse("address %p is not in an existing slice of this process (was it freed?)",
                        address);
    if (!region->listed)
      return cwi_misuse("address %p is memory of an array, a task pool or a set of mutexes or "
                        "counters, and is freed with it",
                        address);
  }
  if (team == NULL && region == NULL)
    return cwi_misuse("the call passes neither a team nor an address");
  return free_together(region != NULL ? region->team : team, region, false, NULL);
}
