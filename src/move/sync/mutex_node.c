/* Mutexes as ticket locks in the memory of the host's node, granted in the order of requests. The
 * server of that node takes tickets for processes of other nodes. */
#include "execution/mutex_grant.h"
#include "profile/profile.h"
#include "region/region.h"
#include "route/server/server_mutex.h"
#include "server/server.h"
#include "sync/mutex.h"
#include "team/world.h"
#include "wait/ticket_lock.h"

static struct cwi_ticket_lock *lock_of(cw_mutexes set, size_t number, int rank)
{
  const struct cwi_region *region = set->state;
  return (struct cwi_ticket_lock *)(void *)region->slices[rank].address + number;
}

static cw_error node_mutex_create(cw_mutexes set)
{
  return cwi_mutex_allocate(set, sizeof(struct cwi_ticket_lock));
}

static cw_error node_mutex_lock(cw_mutexes set, size_t number, int rank)
{
  struct cwi_ticket_lock *ticket_lock = lock_of(set, number, rank);
  const int process = set->team->process[rank];
  if (CWI_UNLIKELY(cwi_is_profiled()))
    cwi_profile_touch(process, ticket_lock);
  if (!cwi_same_node(process))
    return cwi_server_lock(process, ticket_lock);
  cwi_ticket_wait(ticket_lock, cwi_ticket_take(ticket_lock));
  cwi_ticket_note(ticket_lock, cwi_world.process);
  return CW_OK;
}

static cw_error node_mutex_unlock(cw_mutexes set, size_t number, int rank)
{
  struct cwi_ticket_lock *ticket_lock = lock_of(set, number, rank);
  const int process = set->team->process[rank];
  if (!cwi_same_node(process))
    return cwi_server_unlock(process, ticket_lock);
  cwi_ticket_release(ticket_lock);
  if (cwi_servers_run() && cwi_ticket_wanted(ticket_lock))
    cwi_mutex_grant_notify();
  return CW_OK;
}

static cw_error node_mutex_trylock(cw_mutexes set, size_t number, int rank, bool *acquired)
{
  struct cwi_ticket_lock *ticket_lock = lock_of(set, number, rank);
  const int process = set->team->process[rank];
  if (CWI_UNLIKELY(cwi_is_profiled()))
    cwi_profile_touch(process, ticket_lock);
  if (!cwi_same_node(process))
    return cwi_server_trylock(process, ticket_lock, acquired);
  *acquired = cwi_ticket_try(ticket_lock);
  if (*acquired)
    cwi_ticket_note(ticket_lock, cwi_world.process);
  return CW_OK;
}

static int holder(cw_mutexes set, size_t number, int rank)
{
  if (!cwi_same_node(set->team->process[rank]))
    return -1;
  return __atomic_load_n(&lock_of(set, number, rank)->holder, __ATOMIC_RELAXED) - 1;
}

const struct cwi_mutex_kind cwi_mutex_node = {.name = "ticket locks in the memory of a node",
                                              .create = node_mutex_create,
                                              .destroy = cwi_mutex_deallocate,
                                              .lock = node_mutex_lock,
                                              .unlock = node_mutex_unlock,
                                              .trylock = node_mutex_trylock,
                                              .holder = holder};
