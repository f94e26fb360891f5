/* Barrier, fences, and access to a process's own memory. */
#include "binding.h"

#include "collective_call/collective_check.h"
#include "profile/profile.h"
#include "team/team.h"

void PARMCI_Barrier(void)
{
  (void)CWI_ARMCI_WAITS(cw_barrier(cw_team_world()));
}

/* GA fences the members of a group that it has already freed. Their process number is -1. */
void PARMCI_Fence(int proc)
{
  if (proc != -1)
    (void)CWI_ARMCI_WAITS(cw_fence(proc));
}

void PARMCI_AllFence(void)
{
  (void)CWI_ARMCI_WAITS(cw_fence_all());
}

/* Waits for the members of the team. Makes earlier plain stores visible to later loads and gets. It
 * does not wait for any transfer. */
static cw_error armci_synchronize(cw_team team)
{
  CWI_PROFILED(CW_CALL_BARRIER);
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
  const cw_error error =
      CWI_TOGETHER("armci_msg_barrier", team, cwi_argument_nothing(), cwi_team_barrier(team));
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
  return error;
}

void parmci_msg_barrier(void)
{
  (void)CWI_ARMCI_WAITS(cw_initialized() ? armci_synchronize(cw_team_world())
                                         : cwi_armci_running());
}

/* Waits for the members of a group. If the group was freed, it waits for no process. */
static cw_error synchronize_in(const ARMCI_Group *group)
{
  CWI_TRY(cwi_check_not_null("group", group));
  CWI_TRY(cwi_armci_running());
  cw_team team = cwi_armci_team(group);
  return team != NULL ? armci_synchronize(team) : CW_OK;
}

void parmci_msg_group_barrier(ARMCI_Group *group)
{
  (void)CWI_ARMCI_WAITS(synchronize_in(group));
}

void ARMCIX_Progress(void)
{
  cw_progress();
}

CWI_TWIN(ARMCI_Barrier);
CWI_TWIN(ARMCI_Fence);
CWI_TWIN(ARMCI_AllFence);
CWI_WEAK_NAME(armci_msg_barrier, parmci_msg_barrier);
CWI_WEAK_NAME(armci_msg_group_barrier, parmci_msg_group_barrier);
