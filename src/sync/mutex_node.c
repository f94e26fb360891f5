/* Mutexes of a team on one node: ticket locks in shared memory, first come, first served. */
#include "base/lock.h"
#include "memory/region.h"
#include "sync/mutex.h"

#include <string.h>

struct ticket_lock {
  uint32_t next; /* ticket of who comes next */
  uint32_t padding;
  struct cwi_signal serving; /* ticket of the holder */
  uint32_t padding2[12];     /* one to a cache line */
};

static struct ticket_lock *lock_of(cw_mutexes set, size_t number, int rank)
{
  return (struct ticket_lock *)cw_region_address(set->state, rank) + number;
}

static cw_error create(cw_mutexes set)
{
  cw_region region = NULL;
  const size_t bytes = set->counts[set->team->rank] * sizeof(struct ticket_lock);
  CWI_TRY(cw_region_create(set->team, bytes, &region, NULL));
  set->state = region;
  if (bytes > 0)
    memset(cw_region_address(region, set->team->rank), 0, bytes);
  return cwi_team_barrier(set->team);
}

static cw_error destroy(cw_mutexes set)
{
  cw_region region = set->state;
  return cw_region_free(set->team, &region);
}

static cw_error lock(cw_mutexes set, size_t number, int rank)
{
  struct ticket_lock *ticket_lock = lock_of(set, number, rank);
  const uint32_t ticket = __atomic_fetch_add(&ticket_lock->next, 1, __ATOMIC_RELAXED);
  struct cwi_wait wait = {0};
  uint32_t serving = cwi_signal_value(&ticket_lock->serving);
  while (serving != ticket) {
    cwi_signal_wait(&wait, &ticket_lock->serving, serving);
    serving = cwi_signal_value(&ticket_lock->serving);
  }
  return CW_OK;
}

static cw_error unlock(cw_mutexes set, size_t number, int rank)
{
  cwi_signal_advance(&lock_of(set, number, rank)->serving);
  return CW_OK;
}

static cw_error trylock(cw_mutexes set, size_t number, int rank, bool *acquired)
{
  struct ticket_lock *ticket_lock = lock_of(set, number, rank);
  uint32_t ticket = cwi_signal_value(&ticket_lock->serving);
  *acquired = __atomic_compare_exchange_n(&ticket_lock->next, &ticket, ticket + 1, false,
                                          __ATOMIC_ACQUIRE, __ATOMIC_RELAXED);
  return CW_OK;
}

const struct cwi_mutex_kind cwi_mutex_node = {.name = "ticket locks in shared memory",
                                              .create = create,
                                              .destroy = destroy,
                                              .lock = lock,
                                              .unlock = unlock,
                                              .trylock = trylock};
