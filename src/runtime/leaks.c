/* Lists what a program has not freed, for users who look for mistakes. */
#include "runtime/runtime.h"

#include "base/log.h"
#include "collective/nonblocking_collective.h"
#include "region/region.h"
#include "route/memory_handle/memory_handle.h"
#include "sync/mutex.h"
#include "team/world.h"
#include "transfer/handle.h"
#include "wait/object_table.h"

enum { MOST_LISTED = 10 };

static void count_rest(int found, const char *what)
{
  if (found > MOST_LISTED)
    cwi_log(CWI_LOG_WARNING, "and %d %s more", found - MOST_LISTED, what);
}

static void list_regions(void)
{
  int found = 0;
  for (cw_region region = cwi_region_next(NULL); region != NULL; region = cwi_region_next(region)) {
    size_t bytes = 0;
    for (int rank = 0; rank < region->team->size; rank++)
      bytes += region->slices[rank].bytes;
    if (region->listed && region->team->rank == 0 && found++ < MOST_LISTED)
      cwi_log(CWI_LOG_WARNING,
              "a region was never freed: %zu bytes of %d processes, mine at %p (%zu bytes)", bytes,
              region->team->size, (void *)region->slices[0].address, region->slices[0].bytes);
  }
  count_rest(found, "regions");
}

static void list_held(cw_mutexes set)
{
  for (int rank = 0; rank < set->team->size; rank++)
    for (size_t number = 0; number < set->counts[rank]; number++)
      if (set->holders[set->firsts[rank] + number] != 0) {
        char name[CWI_MUTEX_NAME];
        cwi_mutex_name(set, number, set->team->process[rank], name, sizeof name);
        cwi_log(CWI_LOG_WARNING, "this process still holds %s", name);
      }
}

static void list_mutexes(void)
{
  int found = 0;
  for (cw_mutexes set = cwi_mutexes_next(NULL); set != NULL; set = cwi_mutexes_next(set)) {
    list_held(set);
    if (set->team->rank == 0 && found++ < MOST_LISTED)
      cwi_log(CWI_LOG_WARNING, "a set of mutexes of %d processes was never freed", set->team->size);
  }
  count_rest(found, "sets of mutexes");
}

static void list_teams(void)
{
  int found = 0;
  for (cw_team team = cwi_team_next(NULL); team != NULL; team = cwi_team_next(team))
    if (team != cwi_world.team && !team->freed && team->rank == 0 && found++ < MOST_LISTED)
      cwi_log(CWI_LOG_WARNING, "a team of %d processes was never freed", team->size);
  count_rest(found, "teams");
}

static void list_number(size_t number, const char *what, const char *verb)
{
  if (number == 1)
    cwi_log(CWI_LOG_WARNING, "1 %s was never %s", what, verb);
  else if (number > 1)
    cwi_log(CWI_LOG_WARNING, "%zu %ss were never %s", number, what, verb);
}

/* Lists objects of one kind, which another module defines, such as arrays. */
static void list_objects(const struct cwi_objects *kind)
{
  size_t found = 0;
  const void *object = NULL;
  while ((object = cwi_object_next(kind, object)) != NULL)
    found += kind->is_mine == NULL || kind->is_mine(object);
  list_number(found, kind->name, "freed");
}

void cwi_leaks_list(void)
{
  const size_t pending = cwi_handles_pending();
  list_regions();
  list_mutexes();
  list_teams();
  for (const struct cwi_objects *kind = cwi_object_kinds(NULL); kind != NULL;
       kind = cwi_object_kinds(kind))
    if (kind->name != NULL)
      list_objects(kind);
  list_number(cwi_memory_handles_alive(), "memory handle", "released");
  list_number(cwi_started_pending(), "started collective call", "waited for");
  if (pending > 0)
    cwi_log(CWI_LOG_WARNING, "%zu operations on handles were never waited for", pending);
}
