/* ARMCI's mutexes: the default set, and the sets of armcix.h. */
#include "binding.h"

#include "sync/mutex.h"

#include <stddef.h>

/* Returns the set of mutexes of a handle. A handle of armcix.h is a cw_mutexes under another type
 * name. */
static cw_mutexes set_of(armcix_mutex_hdl_t handle)
{
  return (cw_mutexes)(void *)handle;
}

static cw_mutexes default_set;

static cw_error armci_mutex_create(cw_team team, int count, cw_mutexes *set)
{
  CWI_TRY(cwi_check_not_negative("count", count));
  return cw_mutexes_create(team, (size_t)count, set);
}

static cw_error create_in_group(const ARMCI_Group *group, int count, cw_mutexes *set)
{
  cw_team team = NULL;
  CWI_TRY(cwi_armci_member("pgroup", group, &team));
  return armci_mutex_create(team, count, set);
}

static cw_error lock_again(int mutex, int process)
{
  if (CWI_UNLIKELY(mutex < 0))
    return cwi_check_not_negative("mutex", mutex);
  return cwi_mutex_lock_again(default_set, (size_t)mutex, process);
}

static cw_error mutex_unlock(int mutex, int process)
{
  if (CWI_UNLIKELY(mutex < 0))
    return cwi_check_not_negative("mutex", mutex);
  return cw_mutex_unlock(default_set, (size_t)mutex, process);
}

static cw_error armci_mutex_lock(cw_mutexes set, int mutex, int process)
{
  CWI_TRY(cwi_check_mutexes("hdl", set));
  CWI_TRY(cwi_check_not_negative("mutex", mutex));
  return cw_mutex_lock(set, (size_t)mutex, process);
}

static cw_error armci_mutex_unlock(cw_mutexes set, int mutex, int process)
{
  CWI_TRY(cwi_check_mutexes("hdl", set));
  CWI_TRY(cwi_check_not_negative("mutex", mutex));
  return cw_mutex_unlock(set, (size_t)mutex, process);
}

static cw_error armci_mutex_trylock(cw_mutexes set, int mutex, int process, bool *acquired)
{
  CWI_TRY(cwi_check_mutexes("hdl", set));
  CWI_TRY(cwi_check_not_negative("mutex", mutex));
  return cw_mutex_trylock(set, (size_t)mutex, process, acquired);
}

int PARMCI_Create_mutexes(int count)
{
  if (default_set != NULL)
    return CWI_ARMCI(cwi_misuse("the mutexes exist already: call ARMCI_Destroy_mutexes first"));
  return CWI_ARMCI_WAITS(armci_mutex_create(cw_team_world(), count, &default_set));
}

int PARMCI_Destroy_mutexes(void)
{
  return CWI_ARMCI_WAITS(cw_mutexes_free(&default_set));
}

/* Global Arrays 5.8 uses one mutex for every GA_Lock, whatever its number. A program that holds two
 * of its locks therefore locks this mutex twice, and must not deadlock with itself. */
void PARMCI_Lock(int mutex, int proc)
{
  (void)CWI_ARMCI_WAITS(lock_again(mutex, proc));
}

void PARMCI_Unlock(int mutex, int proc)
{
  (void)CWI_ARMCI(mutex_unlock(mutex, proc));
}

armcix_mutex_hdl_t ARMCIX_Create_mutexes_hdl(int count, ARMCI_Group *pgroup)
{
  cw_mutexes set = NULL;
  (void)CWI_ARMCI_WAITS(create_in_group(pgroup, count, &set));
  return (armcix_mutex_hdl_t)(void *)set;
}

static cw_error armci_mutex_destroy(cw_mutexes set)
{
  CWI_TRY(cwi_check_mutexes("hdl", set));
  return cwi_armci_known_as(cw_mutexes_free(&set), "mutexes is hdl");
}

int ARMCIX_Destroy_mutexes_hdl(armcix_mutex_hdl_t hdl)
{
  return CWI_ARMCI_WAITS(armci_mutex_destroy(set_of(hdl)));
}

void ARMCIX_Lock_hdl(armcix_mutex_hdl_t hdl, int mutex, int proc)
{
  (void)CWI_ARMCI_WAITS(armci_mutex_lock(set_of(hdl), mutex, proc));
}

void ARMCIX_Unlock_hdl(armcix_mutex_hdl_t hdl, int mutex, int proc)
{
  (void)CWI_ARMCI(armci_mutex_unlock(set_of(hdl), mutex, proc));
}

int ARMCIX_Trylock_hdl(armcix_mutex_hdl_t hdl, int mutex, int proc)
{
  bool acquired = false;
  return CWI_ARMCI(armci_mutex_trylock(set_of(hdl), mutex, proc, &acquired)) != 0 || !acquired;
}

/* Causeway frees the remaining sets when it stops. */
void cwi_armci_mutexes_stop(void)
{
  default_set = NULL;
}

CWI_TWIN(ARMCI_Create_mutexes);
CWI_TWIN(ARMCI_Destroy_mutexes);
CWI_TWIN(ARMCI_Lock);
CWI_TWIN(ARMCI_Unlock);
