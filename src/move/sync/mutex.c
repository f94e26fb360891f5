/* The public calls of mutexes: the sets, and records of the mutexes that this process holds. The
 * implementations are in mutex_node.c, mutex_survivors.c and
 * mutex_mpi.c. */
#include "sync/mutex.h"

#include "base/operation_counts.h"
#include "base/size.h"
#include "collective_call/collective_check.h"
#include "mpi/mpi_progress.h"
#include "profile/profile.h"
#include "route/route.h"
#include "server/server.h"
#include "team/agreement.h"
#include "team/home.h"
#include "team/survivors.h"
#include "team/world.h"
#include "wait/failures.h"
#include "wait/lock.h"
#include "wait/object_table.h"
#include "wait/thread.h"

#include <stdio.h>
#include <stdlib.h>

static struct cwi_objects sets = {CWI_OBJECTS_OF(struct cwi_mutexes),
                                  .null_text = ": there is no set of mutexes, create it first",
                                  .dead_text = "not an existing set of mutexes (was it freed?)"};

static void mutex_discard(cw_mutexes set)
{
  free(set->counts);
  free(set->firsts);
  free(set->holders);
  free(set->depths);
  cwi_object_end(&sets, set);
}

cw_error cwi_check_mutexes(const char *name, cw_mutexes set)
{
  return cwi_check_object(&sets, name, set);
}

static cw_error mutex_check_set(cw_mutexes set)
{
  return cwi_check_mutexes("mutexes", set);
}

/* Allocates the set with arrays for all members' counts, before the members exchange their counts.
 */
static cw_error begin_set(cw_team team, cw_mutexes *begun)
{
  cw_mutexes set = cwi_object_make(&sets);
  if (set == NULL)
    return cwi_outside("no memory for a set of mutexes");
  const size_t members = (size_t)team->size;
  set->team = team;
  set->kind = team->shared || cwi_servers_run() ? &cwi_mutex_node : &cwi_mutex_mpi;
  if (cwi_survives())
    set->kind = &cwi_mutex_survivors;
  set->counts = calloc(members, sizeof *set->counts);
  set->firsts = calloc(members, sizeof *set->firsts);
  if (set->counts == NULL || set->firsts == NULL) {
    mutex_discard(set);
    return cwi_outside("no memory for mutexes of %zu processes", members);
  }
  *begun = set;
  return CW_OK;
}

/* Adds up the counts of all members. All members compute the same result, including errors. */
static cw_error add_counts(cw_mutexes set, const struct cwi_entry *all, size_t *total)
{
  *total = 0;
  for (int rank = 0; rank < set->team->size; rank++) {
    set->counts[rank] = all[rank].bytes;
    set->firsts[rank] = *total;
    if (!cwi_add(*total, all[rank].bytes, total) || *total > CWI_MUTEXES_MOST)
      return cwi_misuse("count is %zu at process %d: a set has at most %zu mutexes",
                        set->counts[rank], set->team->process[rank], (size_t)CWI_MUTEXES_MOST);
  }
  return CW_OK;
}

/* Returns the end of another set at the home that `total` words from `first` on would overlap, or
 * 0. Another thread may make or free sets of other teams meanwhile. */
static size_t end_of_other(cw_mutexes set, size_t first, size_t total)
{
  for (cw_mutexes other = cwi_mutexes_next(NULL); other != NULL; other = cwi_mutexes_next(other))
    if (other != set && other->team == set->team && other->home_first < first + total &&
        first < other->home_first + cwi_mutex_count(other))
      return other->home_first + cwi_mutex_count(other);
  return 0;
}

/* Chooses the lowest place at the home that has room for a set and that no other set of the team
 * uses. It is the same on all members, because they have the same sets. */
static cw_error choose_place(cw_mutexes set, size_t total)
{
  size_t first = 0, end = 0;
  while ((end = end_of_other(set, first, total)) != 0)
    first = end;
  set->home_first = first;
  return first + total <= CWI_HOME_MUTEXES
             ? CW_OK
             : cwi_outside(
                   "with CW_FAILURES=survive a team on several nodes has at most %d mutexes",
                   CWI_HOME_MUTEXES);
}

static cw_error learn_counts(cw_mutexes set, const struct cwi_entry *all)
{
  size_t total = 0;
  CWI_TRY(add_counts(set, all, &total));
  if (set->team->home != 0)
    CWI_TRY(choose_place(set, total));
  set->holders = calloc(total + 1, sizeof *set->holders);
  set->depths = calloc(total + 1, sizeof *set->depths);
  const cw_error mine = set->holders != NULL && set->depths != NULL
                            ? CW_OK
                            : cwi_outside("no memory for %zu mutexes", total);
  return cwi_team_agree(set->team, mine);
}

/* Creates a set. Its number is that of rank 0, because other members may have created a different
 * number of sets. */
static cw_error mutex_create(cw_team team, size_t count, cw_mutexes *mutexes)
{
  static uint64_t made;
  struct cwi_entry few[CWI_TEAM_SMALL];
  struct cwi_entry *all = cwi_team_entries(team, few);
  cw_mutexes set = NULL;
  const struct cwi_entry entry = {.bytes = count,
                                  .key = __atomic_add_fetch(&made, 1, __ATOMIC_RELAXED)};
  cw_error error = cwi_team_agree_on(team, begin_set(team, &set), &entry, NULL, all);
  CWI_ASSERT(error != CW_OK || set != NULL);
  if (error == CW_OK) {
    set->number = all[0].key;
    error = learn_counts(set, all);
  }
  if (error == CW_OK)
    error = set->kind->create(set);
  if (error != CW_OK) {
    if (set != NULL)
      mutex_discard(set);
    return error;
  }
  cwi_team_keep(team);
  *mutexes = set;
  return CW_OK;
}

cw_error cw_mutexes_create(cw_team team, size_t count, cw_mutexes *mutexes)
{
  CWI_PROFILED(CW_CALL_MAKE);
  if (mutexes == NULL)
    return cwi_in_call("cw_mutexes_create", cwi_misuse("mutexes is NULL; it receives the set"));
  *mutexes = NULL;
  CWI_TRY(cwi_in_call("cw_mutexes_create", cwi_check_team("team", team)));
  return CWI_COLLECTIVELY("cw_mutexes_create", team, cwi_argument_nothing(),
                          mutex_create(team, count, mutexes));
}

static cw_error mutex_destroy(cw_mutexes set)
{
  CWI_ASSERT(set != NULL);
  cw_team team = set->team;
  const cw_error error = set->kind->destroy(set);
  mutex_discard(set);
  const cw_error released = cwi_team_release(team);
  return error != CW_OK ? error : released;
}

static cw_error reject_mutex(cw_mutexes set, size_t number, int process, const char *why)
{
  char name[CWI_MUTEX_NAME];
  cwi_mutex_name(set, number, process, name, sizeof name);
  return cwi_misuse("%s is %s by me", name, why);
}

static cw_error check_free(cw_mutexes set)
{
  for (int rank = 0; rank < set->team->size; rank++)
    for (size_t number = 0; number < set->counts[rank]; number++)
      if (set->holders[set->firsts[rank] + number] != 0)
        return reject_mutex(set, number, set->team->process[rank], "still locked");
  return CW_OK;
}

/* Frees a set, unless a member still holds one of its mutexes. */
static cw_error mutex_free(cw_mutexes set)
{
  CWI_TRY(cwi_team_agree(set->team, check_free(set)));
  return mutex_destroy(set);
}

cw_error cw_mutexes_free(cw_mutexes *mutexes)
{
  CWI_PROFILED(CW_CALL_MAKE);
  if (mutexes == NULL)
    return cwi_in_call("cw_mutexes_free", cwi_misuse("the address of the set's handle is NULL"));
  cw_mutexes set = *mutexes;
  CWI_TRY(cwi_in_call("cw_mutexes_free", mutex_check_set(set)));
  *mutexes = NULL;
  const struct cwi_argument argument_list[] = {cwi_argument_size("mutexes", set->number),
                                               CWI_ARGUMENTS_END};
  const cw_error error = CWI_COLLECTIVELY("cw_mutexes_free", set->team, argument_list,
                                          CWI_AMONG_SURVIVORS(mutex_free(set)));
  if (cwi_object_lives(&sets, set)) /* the set was not freed */
    *mutexes = set;
  return error;
}

/* Orders sets in the same way on all processes: by the teams' numbers, then by the sets'
 * numbers. */
static bool comes_before(cw_mutexes one, cw_mutexes other)
{
  return one->team->id != other->team->id ? one->team->id < other->team->id
                                          : one->number < other->number;
}

cw_mutexes cwi_mutexes_next(cw_mutexes set)
{
  return cwi_object_next(&sets, set);
}

cw_error cwi_mutexes_stop(void)
{
  while (cwi_mutexes_next(NULL) != NULL) {
    cw_mutexes next = cwi_mutexes_next(NULL);
    for (cw_mutexes set = next; set != NULL; set = cwi_mutexes_next(set))
      next = comes_before(set, next) ? set : next;
    CWI_TRY(mutex_destroy(next));
  }
  return CW_OK;
}

/* Finds a mutex. Stores the rank of its host in *rank and the address of its entry in set->holders
 * in *holders. */
static cw_error mutex_locate(cw_mutexes set, size_t number, int process, int *rank,
                             uintptr_t **holders)
{
  CWI_TRY(mutex_check_set(set));
  CWI_TRY(cwi_check_process(process));
  *rank = cwi_team_rank_of(set->team, process);
  if (*rank < 0)
    return cwi_misuse("process %d is not a member of the team that has the mutexes", process);
  if (number >= set->counts[*rank])
    return cwi_misuse("the number of the mutex is %zu; process %d has %zu mutexes, numbered from 0",
                      number, process, set->counts[*rank]);
  *holders = &set->holders[set->firsts[*rank] + number];
  return CW_OK;
}

/* Claims a mutex for this thread within the process. Returns false if another thread has claimed
 * it. So at most one thread of each process uses the implementation for a mutex at a time. */
static bool claim(uintptr_t *holders)
{
  uintptr_t none = 0;
  return __atomic_compare_exchange_n(holders, &none, (uintptr_t)cwi_thread_name(), false,
                                     __ATOMIC_ACQUIRE, __ATOMIC_RELAXED);
}

/* Returns true if this thread holds the mutex. */
static bool mutex_is_mine(const uintptr_t *holders)
{
  return __atomic_load_n(holders, __ATOMIC_RELAXED) == (uintptr_t)cwi_thread_name();
}

static cw_error check_not_mine(cw_mutexes set, const uintptr_t *holders, size_t number, int process)
{
  return mutex_is_mine(holders) ? reject_mutex(set, number, process, "already locked") : CW_OK;
}

static void disclaim(uintptr_t *holders)
{
  __atomic_store_n(holders, 0, __ATOMIC_RELEASE);
}

/* A mutex that a thread waits for. */
struct wanted {
  cw_mutexes set;
  size_t number;
  int rank;
};

static void mutex_awaited(const void *what, char *text, size_t size)
{
  const struct wanted *wanted = what;
  const int host = wanted->set->team->process[wanted->rank];
  const int holder = wanted->set->kind->holder(wanted->set, wanted->number, wanted->rank);
  char name[CWI_MUTEX_NAME];
  cwi_mutex_name(wanted->set, wanted->number, host, name, sizeof name);
  if (holder >= 0)
    snprintf(text, size, "%s, which process %d holds", name, holder);
  else
    snprintf(text, size, "%s, which another process holds", name);
}

/* Returns the way in which a lock request reaches the host, for the statistics. With
 * cwi_mutex_node, other nodes are reached through servers. */
static enum cwi_where way_of(cw_mutexes set, int process)
{
  if (set->kind == &cwi_mutex_mpi)
    return CWI_BY_RMA;
  if (!cwi_same_node(process))
    return CWI_BY_SERVER;
  return process == cwi_world.process ? CWI_OWN : CWI_PEER;
}

/* Tries to claim a mutex that another thread of this process may have claimed. If that fails, lets
 * MPI progress. */
static bool claims(void *holders)
{
  if (CWI_LIKELY(claim(holders)))
    return true;
  cwi_mpi_progress();
  return false;
}

/* Tries to lock a mutex of this node that is free. Avoids the cost of the wait report that
 * lock_located begins. */
static bool lock_free_one(cw_mutexes set, size_t number, int rank, uintptr_t *holders)
{
  bool acquired = false;
  if (set->kind != &cwi_mutex_node || !cwi_same_node(set->team->process[rank]) || !claim(holders))
    return false;
  if (set->kind->trylock(set, number, rank, &acquired) != CW_OK || !acquired)
    disclaim(holders);
  return acquired;
}

/* Locks a mutex that this thread does not hold. */
static cw_error lock_located(cw_mutexes set, size_t number, int rank, uintptr_t *holders)
{
  const int process = set->team->process[rank];
  if (CWI_LIKELY(lock_free_one(set, number, rank, holders))) {
    cwi_count(CWI_COUNT_LOCK, way_of(set, process), 0);
    return CW_OK;
  }
  const struct wanted wanted = {set, number, rank};
  const struct cwi_waiting outer = cwi_waiting_begin("cw_mutex_lock", mutex_awaited, &wanted);
  cwi_wait_until(claims, holders, 0);
  cwi_count(CWI_COUNT_LOCK, way_of(set, process), 0);
  const cw_error error = set->kind->lock(set, number, rank);
  cwi_waiting_end(&outer);
  if (error != CW_OK && error != CW_FAILED) /* with CW_FAILED this thread holds the mutex */
    disclaim(holders);
  return error;
}

/* Locks a mutex. If `again` is true, the thread may already hold the mutex, and then only
 * increments its depth. */
static cw_error mutex_lock(cw_mutexes set, size_t number, int process, bool again)
{
  int rank = 0;
  uintptr_t *holders = NULL;
  CWI_TRY(mutex_locate(set, number, process, &rank, &holders));
  if (again && mutex_is_mine(holders)) {
    set->depths[holders - set->holders]++;
    return CW_OK;
  }
  CWI_TRY(check_not_mine(set, holders, number, process));
  return lock_located(set, number, rank, holders);
}

cw_error cw_mutex_lock(cw_mutexes mutexes, size_t number, int process)
{
  CWI_PROFILED(CW_CALL_LOCK);
  return cwi_in_call("cw_mutex_lock", mutex_lock(mutexes, number, process, false));
}

cw_error cwi_mutex_lock_again(cw_mutexes set, size_t number, int process)
{
  CWI_PROFILED(CW_CALL_LOCK);
  return cwi_in_call("cw_mutex_lock", mutex_lock(set, number, process, true));
}

static cw_error mutex_unlock(cw_mutexes set, size_t number, int process)
{
  int rank = 0;
  uintptr_t *holders = NULL;
  CWI_TRY(mutex_locate(set, number, process, &rank, &holders));
  if (!mutex_is_mine(holders))
    return reject_mutex(set, number, process, "not locked");
  /* Unlock even if the fence fails, because others wait for the mutex. The error is returned. */
  const cw_error error = cwi_routes_fence_all();
  unsigned *depth = &set->depths[holders - set->holders];
  if (*depth > 0) {
    --*depth;
    return error;
  }
  CWI_TRY(set->kind->unlock(set, number, rank));
  disclaim(holders);
  return error;
}

cw_error cw_mutex_unlock(cw_mutexes mutexes, size_t number, int process)
{
  CWI_PROFILED(CW_CALL_LOCK);
  return cwi_in_call("cw_mutex_unlock", mutex_unlock(mutexes, number, process));
}

static cw_error mutex_trylock(cw_mutexes set, size_t number, int process, bool *acquired)
{
  int rank = 0;
  uintptr_t *holders = NULL;
  CWI_TRY(mutex_locate(set, number, process, &rank, &holders));
  CWI_TRY(check_not_mine(set, holders, number, process));
  if (!claim(holders))
    return CW_OK;
  const cw_error error = set->kind->trylock(set, number, rank, acquired);
  if (!*acquired)
    disclaim(holders);
  return error;
}

cw_error cw_mutex_trylock(cw_mutexes mutexes, size_t number, int process, bool *acquired)
{
  CWI_PROFILED(CW_CALL_LOCK);
  if (acquired == NULL)
    return cwi_in_call("cw_mutex_trylock", cwi_misuse("acquired is NULL; it receives the answer"));
  *acquired = false;
  const cw_error error = mutex_trylock(mutexes, number, process, acquired);
  if (!*acquired)
    cwi_mpi_progress_after_poll();
  return cwi_in_call("cw_mutex_trylock", error);
}
