#include "sync/mutex.h"

#include "base/statistics.h"
#include "mpi/call.h"
#include "route/route.h"
#include "server/server.h"
#include "team/world.h"

#include <sched.h>
#include <stdlib.h>

static cw_mutexes first;

/* Its address tells threads apart. */
static _Thread_local char me;

static void discard(cw_mutexes set)
{
  free(set->counts);
  free(set->firsts);
  free(set->held);
  free(set->depths);
  free(set);
}

static void link_set(cw_mutexes set)
{
  cwi_threads_lock();
  set->next = first;
  if (first != NULL)
    first->previous = set;
  first = set;
  cwi_threads_unlock();
}

static void unlink_set(cw_mutexes set)
{
  cwi_threads_lock();
  if (set->previous != NULL)
    set->previous->next = set->next;
  else
    first = set->next;
  if (set->next != NULL)
    set->next->previous = set->previous;
  cwi_threads_unlock();
}

static cw_error learn_counts(cw_mutexes set, size_t count)
{
  cw_team team = set->team;
  const size_t members = (size_t)team->size;
  set->counts = calloc(members, sizeof *set->counts);
  set->firsts = calloc(members, sizeof *set->firsts);
  struct cwi_entry *all = calloc(members, sizeof *all);
  CWI_ASSERT(set->counts != NULL && set->firsts != NULL && all != NULL);
  const struct cwi_entry mine = {.bytes = count};
  cw_error error = cwi_team_exchange(team, &mine, all);
  size_t total = 0;
  for (size_t rank = 0; rank < members; rank++) {
    set->counts[rank] = all[rank].bytes;
    set->firsts[rank] = total;
    total += set->counts[rank];
  }
  free(all);
  set->held = calloc(total + 1, sizeof *set->held);
  set->depths = calloc(total + 1, sizeof *set->depths);
  if (error == CW_OK && (set->held == NULL || set->depths == NULL))
    error = cwi_outside("no memory for %zu mutexes", total);
  return error;
}

cw_error cw_mutexes_create(cw_team team, size_t count, cw_mutexes *mutexes)
{
  *mutexes = NULL;
  if (team == NULL)
    return cwi_misuse("cw_mutexes_create: team is no team (NULL)");
  cw_mutexes set = calloc(1, sizeof *set);
  CWI_ASSERT(set != NULL);
  set->team = team;
  set->kind = team->shared || cwi_servers_run() ? &cwi_mutex_node : &cwi_mutex_mpi;
  cw_error error = learn_counts(set, count);
  if (error == CW_OK)
    error = set->kind->create(set);
  if (error != CW_OK) {
    discard(set);
    return cwi_in_call("cw_mutexes_create", error);
  }
  cwi_team_keep(team);
  link_set(set);
  *mutexes = set;
  return CW_OK;
}

static cw_error destroy(cw_mutexes set)
{
  cw_team team = set->team;
  unlink_set(set);
  const cw_error error = set->kind->destroy(set);
  discard(set);
  const cw_error released = cwi_team_release(team);
  return error != CW_OK ? error : released;
}

static cw_error check_free(cw_mutexes set)
{
  for (int rank = 0; rank < set->team->size; rank++)
    for (size_t number = 0; number < set->counts[rank]; number++)
      if (set->held[set->firsts[rank] + number] != 0)
        return cwi_misuse("mutex %zu of process %d is still locked by me", number,
                          set->team->process[rank]);
  return CW_OK;
}

cw_error cw_mutexes_free(cw_mutexes *mutexes)
{
  cw_mutexes set = *mutexes;
  if (set == NULL)
    return cwi_misuse("cw_mutexes_free: the set is NULL (freed already, or never created)");
  CWI_TRY(cwi_in_call("cw_mutexes_free", check_free(set)));
  *mutexes = NULL;
  return cwi_in_call("cw_mutexes_free", destroy(set));
}

cw_error cwi_mutexes_stop(void)
{
  while (first != NULL) {
    /* In one order on all processes: teams by number, sets of a team as they were made. */
    cw_mutexes oldest = first;
    for (cw_mutexes set = first; set != NULL; set = set->next)
      if (set->team->id <= oldest->team->id)
        oldest = set;
    CWI_TRY(destroy(oldest));
  }
  return CW_OK;
}

/* Find the mutex: rank of its host in the team, and what this process knows of it. */
static cw_error locate(cw_mutexes set, size_t number, int process, int *rank, uintptr_t **held)
{
  if (set == NULL)
    return cwi_misuse("there is no set of mutexes (NULL): create it first");
  CWI_TRY(cwi_check_process(process));
  *rank = cwi_team_rank_of(set->team, process);
  if (*rank < 0)
    return cwi_misuse("process %d is no member of the team that has the mutexes", process);
  if (number >= set->counts[*rank])
    return cwi_misuse("mutex is %zu; process %d hosts %zu", number, process, set->counts[*rank]);
  *held = &set->held[set->firsts[*rank] + number];
  return CW_OK;
}

/* Threads of this process queue here, so that the kinds below see one claim per process. */
static bool claim(uintptr_t *held)
{
  uintptr_t nobody = 0;
  return __atomic_compare_exchange_n(held, &nobody, (uintptr_t)&me, false, __ATOMIC_ACQUIRE,
                                     __ATOMIC_RELAXED);
}

static cw_error check_not_mine(const uintptr_t *held, size_t number, int process)
{
  if (__atomic_load_n(held, __ATOMIC_RELAXED) == (uintptr_t)&me)
    return cwi_misuse("mutex %zu of process %d is locked by me already", number, process);
  return CW_OK;
}

static void disclaim(uintptr_t *held)
{
  __atomic_store_n(held, 0, __ATOMIC_RELEASE);
}

static cw_error lock(cw_mutexes set, size_t number, int process)
{
  int rank = 0;
  uintptr_t *held = NULL;
  CWI_TRY(locate(set, number, process, &rank, &held));
  CWI_TRY(check_not_mine(held, number, process));
  while (!claim(held)) {
    cwi_mpi_progress();
    sched_yield();
  }
  cwi_count(CWI_COUNT_LOCK, process == cwi_world.process ? CWI_OWN : CWI_PEER, 0);
  const cw_error error = set->kind->lock(set, number, rank);
  if (error != CW_OK)
    disclaim(held);
  return error;
}

cw_error cw_mutex_lock(cw_mutexes mutexes, size_t number, int process)
{
  return cwi_in_call("cw_mutex_lock", lock(mutexes, number, process));
}

static cw_error unlock(cw_mutexes set, size_t number, int process)
{
  int rank = 0;
  uintptr_t *held = NULL;
  CWI_TRY(locate(set, number, process, &rank, &held));
  if (__atomic_load_n(held, __ATOMIC_RELAXED) != (uintptr_t)&me)
    return cwi_misuse("mutex %zu of process %d is not locked by me", number, process);
  /* What it guarded may have been refused; others wait for the mutex all the same. */
  const cw_error error = cwi_routes_fence_all();
  CWI_TRY(set->kind->unlock(set, number, rank));
  disclaim(held);
  return error;
}

cw_error cw_mutex_unlock(cw_mutexes mutexes, size_t number, int process)
{
  return cwi_in_call("cw_mutex_unlock", unlock(mutexes, number, process));
}

/* The depth of a mutex that this thread holds; NULL when it does not. */
static unsigned *depth_of(cw_mutexes set, size_t number, int process)
{
  int rank = 0;
  uintptr_t *held = NULL;
  if (locate(set, number, process, &rank, &held) != CW_OK ||
      __atomic_load_n(held, __ATOMIC_RELAXED) != (uintptr_t)&me)
    return NULL;
  return &set->depths[held - set->held];
}

cw_error cwi_mutex_lock_again(cw_mutexes set, size_t number, int process)
{
  unsigned *depth = depth_of(set, number, process);
  if (depth == NULL)
    return cw_mutex_lock(set, number, process);
  ++*depth;
  return CW_OK;
}

cw_error cwi_mutex_unlock_again(cw_mutexes set, size_t number, int process)
{
  unsigned *depth = depth_of(set, number, process);
  if (depth == NULL || *depth == 0)
    return cw_mutex_unlock(set, number, process);
  --*depth;
  return cwi_routes_fence_all();
}

static cw_error trylock(cw_mutexes set, size_t number, int process, bool *acquired)
{
  int rank = 0;
  uintptr_t *held = NULL;
  CWI_TRY(locate(set, number, process, &rank, &held));
  CWI_TRY(check_not_mine(held, number, process));
  if (!claim(held))
    return CW_OK;
  const cw_error error = set->kind->trylock(set, number, rank, acquired);
  if (!*acquired)
    disclaim(held);
  return error;
}

cw_error cw_mutex_trylock(cw_mutexes mutexes, size_t number, int process, bool *acquired)
{
  *acquired = false;
  cwi_mpi_progress();
  return cwi_in_call("cw_mutex_trylock", trylock(mutexes, number, process, acquired));
}
