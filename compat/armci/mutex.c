#include "binding.h"

#include "sync/mutex.h"

#include <stddef.h>

/* A handle of the extension is Causeway's set under another name. Numbers that are negative become
 * ones that no set has. */
static cw_mutexes set_of(armcix_mutex_hdl_t handle)
{
  return (cw_mutexes)(void *)handle;
}

static cw_mutexes default_set;

static cw_error create(cw_team team, int count, cw_mutexes *set)
{
  CWI_TRY(cwi_armci_not_negative("count", count));
  if (team == NULL)
    return cwi_misuse("this process is not a member of the group, or ARMCI is not running");
  return cw_mutexes_create(team, (size_t)count, set);
}

int PARMCI_Create_mutexes(int count)
{
  if (default_set != NULL)
    return CWI_ARMCI(cwi_misuse("the mutexes exist already: call ARMCI_Destroy_mutexes before"));
  return CWI_ARMCI(create(cw_team_world(), count, &default_set));
}

int PARMCI_Destroy_mutexes(void)
{
  return CWI_ARMCI(cw_mutexes_free(&default_set));
}

/* Global Arrays 5.8 maps every GA_Lock onto one mutex, whatever its number: a program that holds
 * two of its locks locks this one twice, and must not stop on itself. */
void PARMCI_Lock(int mutex, int proc)
{
  (void)CWI_ARMCI(cwi_mutex_lock_again(default_set, (size_t)mutex, proc));
}

void PARMCI_Unlock(int mutex, int proc)
{
  (void)CWI_ARMCI(cwi_mutex_unlock_again(default_set, (size_t)mutex, proc));
}

armcix_mutex_hdl_t ARMCIX_Create_mutexes_hdl(int count, ARMCI_Group *pgroup)
{
  cw_mutexes set = NULL;
  (void)CWI_ARMCI(create(cwi_armci_team(pgroup), count, &set));
  return (armcix_mutex_hdl_t)(void *)set;
}

int ARMCIX_Destroy_mutexes_hdl(armcix_mutex_hdl_t hdl)
{
  cw_mutexes set = set_of(hdl);
  return CWI_ARMCI(cw_mutexes_free(&set));
}

void ARMCIX_Lock_hdl(armcix_mutex_hdl_t hdl, int mutex, int proc)
{
  (void)CWI_ARMCI(cw_mutex_lock(set_of(hdl), (size_t)mutex, proc));
}

void ARMCIX_Unlock_hdl(armcix_mutex_hdl_t hdl, int mutex, int proc)
{
  (void)CWI_ARMCI(cw_mutex_unlock(set_of(hdl), (size_t)mutex, proc));
}

int ARMCIX_Trylock_hdl(armcix_mutex_hdl_t hdl, int mutex, int proc)
{
  bool acquired = false;
  return CWI_ARMCI(cw_mutex_trylock(set_of(hdl), (size_t)mutex, proc, &acquired)) != 0 || !acquired;
}

/* Causeway frees the sets that are left. */
void cwi_armci_mutexes_stop(void)
{
  default_set = NULL;
}

CWI_TWIN(ARMCI_Create_mutexes);
CWI_TWIN(ARMCI_Destroy_mutexes);
CWI_TWIN(ARMCI_Lock);
CWI_TWIN(ARMCI_Unlock);
