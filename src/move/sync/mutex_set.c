/* Parts that several kinds of mutexes share: their names, and their memory. */
#include "profile/profile.h"
#include "region/region.h"
#include "route/region_calls.h"
#include "sync/barrier.h"
#include "sync/mutex.h"
#include "team/world.h"

#include <stdio.h>
#include <string.h>

void cwi_mutex_name(cw_mutexes set, size_t number, int process, char *text, size_t size)
{
  if (set->each > 0)
    snprintf(text, size, "mutex %zu", number + set->each * (size_t)process);
  else
    snprintf(text, size, "mutex %zu of process %d", number, process);
}

static void name_set(cw_mutexes set, uint64_t key, size_t bytes)
{
  size_t mutexes = 0;
  for (int rank = 0; rank < set->team->size; rank++)
    mutexes += set->counts[rank];
  cwi_profile_name(key, bytes, NULL, "mutexes, a set of %zu", mutexes);
}

cw_error cwi_mutex_allocate(cw_mutexes set, size_t each)
{
  cw_region region = NULL;
  const size_t bytes = set->counts[set->team->rank] * each;
  CWI_TRY(cwi_region_create(set->team, bytes, &region));
  set->state = region;
  if (CWI_UNLIKELY(cwi_is_profiled()))
    name_set(set, region->key, bytes);
  if (bytes > 0)
    memset(cw_region_address(region, set->team->rank), 0, bytes);
  return cwi_team_barrier(set->team);
}

cw_error cwi_mutex_deallocate(cw_mutexes set)
{
  cw_region region = set->state;
  if (region == NULL) /* no member has a mutex; the program may have freed the team */
    return cwi_synchronise(set->team);
  return cwi_region_free(set->team, &region);
}
