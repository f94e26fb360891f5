/* GA_Sync, fences, mutexes. */
#include "ga/base/binding.h"
#include "ga/group/group.h"

#include "base/unread_errors.h"
#include "sync/mutex.h"

/* Does nothing. Collective calls always synchronise, because the native calls do. */
void GA_Mask_sync(int first, int last)
{
  (void)first;
  (void)last;
}

static cw_error sync_group(const char *what, int group)
{
  cw_team team = NULL;
  CWI_TRY(cwi_ga_team(what, group, &team));
  CWI_TRY(cw_wait_all()); /* this includes gets whose handles the program has overwritten */
  return cw_barrier(team);
}

void GA_Sync(void)
{
  (void)CWI_GA_WAITS(sync_group("the default group", cwi_ga_default()));
}

void GA_Pgroup_sync(int group)
{
  (void)CWI_GA_WAITS(sync_group("group", group));
}

/* --- Fences --- */

static int fences; /* number of Init_fence calls on all threads minus number of Fence calls */

/* Completes all transfers of this process, even those before GA_Init_fence. */
static cw_error ga_fence(void)
{
  CWI_TRY(cwi_ga_running());
  int before = __atomic_load_n(&fences, __ATOMIC_RELAXED);
  while (before > 0 && !__atomic_compare_exchange_n(&fences, &before, before - 1, true,
                                                    __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
  }
  return before > 0 ? cw_fence_all() : cwi_misuse("GA_Init_fence was not called: call it first");
}

void GA_Init_fence(void)
{
  if (CWI_GA(cwi_ga_running()) == 0)
    __atomic_fetch_add(&fences, 1, __ATOMIC_RELAXED);
}

void GA_Fence(void)
{
  (void)CWI_GA(ga_fence());
}

/* --- Mutexes: one set, distributed over all processes in blocks --- */

static cw_mutexes set;
static int mutexes, each; /* number of all mutexes, and of those on each process; the last processes
                             may have fewer */

/* Running out of memory is not misuse: every process receives it in *out_of_memory. */
static cw_error ga_mutex_create(int count, bool *out_of_memory)
{
  CWI_TRY(cwi_ga_running());
  CWI_TRY(cwi_check_not_negative("count", count));
  if (set != NULL)
    return cwi_misuse("the mutexes exist already: call GA_Destroy_mutexes first");
  const struct cwi_argument agreed[] = {cwi_argument_int("count", &count), CWI_ARGUMENTS_END};
  CWI_TRY(cwi_ga_agreed(cw_team_world(), agreed));
  const int width = count / cw_processes() + (count % cw_processes() != 0);
  const int64_t rest = count - (int64_t)width * cw_process();
  const int mine = rest < 0 ? 0 : rest < width ? (int)rest : width;
  mutexes = count;
  each = width;
  const cw_error error = cw_mutexes_create(cw_team_world(), (size_t)mine, &set);
  if (error == CW_OK && set != NULL)
    set->each =
        (size_t)width; /* the program numbers the mutexes of all processes in one sequence */
  *out_of_memory = cwi_failure_is_outside(error);
  return *out_of_memory ? CW_OK : error;
}

/* Returns 1 for success, and 0 if there is not enough memory. */
int GA_Create_mutexes(int count)
{
  bool out_of_memory = false;
  return CWI_GA_WAITS(ga_mutex_create(count, &out_of_memory)) == 0 && !out_of_memory;
}

static cw_error ga_mutex_check_set(void)
{
  CWI_TRY(cwi_ga_running());
  return set != NULL ? CW_OK : cwi_misuse("there are no mutexes: call GA_Create_mutexes first");
}

static cw_error ga_mutex_destroy(void)
{
  CWI_TRY(ga_mutex_check_set());
  return cw_mutexes_free(&set);
}

int GA_Destroy_mutexes(void)
{
  return CWI_GA_WAITS(ga_mutex_destroy()) == 0;
}

static cw_error ga_check(int mutex)
{
  CWI_TRY(ga_mutex_check_set());
  if (mutex >= 0 && mutex < mutexes)
    return CW_OK;
  return cwi_misuse("mutex is %d; there are %d mutexes, numbered from 0", mutex, mutexes);
}

static cw_error ga_mutex_lock(int mutex)
{
  CWI_TRY(ga_check(mutex));
  return cw_mutex_lock(set, (size_t)(mutex % each), mutex / each);
}

static cw_error ga_mutex_unlock(int mutex)
{
  CWI_TRY(ga_check(mutex));
  return cw_mutex_unlock(set, (size_t)(mutex % each), mutex / each);
}

void GA_Lock(int mutex)
{
  (void)CWI_GA_WAITS(ga_mutex_lock(mutex));
}

void GA_Unlock(int mutex)
{
  (void)CWI_GA(ga_mutex_unlock(mutex));
}

cw_error cwi_ga_mutexes_free(void)
{
  return set != NULL ? cw_mutexes_free(&set) : CW_OK;
}

/* Causeway frees the set when it stops. */
void cwi_ga_order_stop(void)
{
  set = NULL;
  fences = 0;
}

CWI_GA_NGA(Mask_sync);
CWI_GA_NGA(Sync);
CWI_GA_NGA(Pgroup_sync);
CWI_GA_NGA(Init_fence);
CWI_GA_NGA(Fence);
CWI_GA_NGA(Destroy_mutexes);
CWI_GA_NGA(Lock);
CWI_GA_NGA(Unlock);
