/* One window at a time: a lock at process 0, for MPI libraries that mix up windows which disjoint
 * teams make at the same moment. It needs process 0 to let MPI progress now and then. */
#include "mpi/call.h"
#include "mpi/workaround.h"
#include "route/window.h"
#include "team/world.h"

#include <sched.h>

static MPI_Win turns = MPI_WIN_NULL;
static int taken; /* at process 0 */

cw_error cwi_turns_start(void)
{
  taken = 0;
  if (!cwi_workaround_applies(CWI_OPENMPI_WIN_DISJOINT) || cwi_world.processes == 1)
    return CW_OK;
  CWI_TRY(CWI_MPI(
      MPI_Win_create(&taken, sizeof taken, 1, MPI_INFO_NULL, cwi_world.team->internal, &turns)));
  CWI_TRY(CWI_MPI(MPI_Win_set_errhandler(turns, MPI_ERRORS_RETURN)));
  return CWI_MPI(MPI_Win_lock_all(MPI_MODE_NOCHECK, turns));
}

cw_error cwi_turns_stop(void)
{
  if (turns == MPI_WIN_NULL)
    return CW_OK;
  CWI_TRY(CWI_MPI(MPI_Win_unlock_all(turns)));
  return CWI_MPI(MPI_Win_free(&turns));
}

static bool must_wait(cw_team team)
{
  return turns != MPI_WIN_NULL && team != cwi_world.team;
}

static cw_error lock(void)
{
  const int mine = 1, nobody = 0;
  int before = 1;
  while (before != nobody) {
    CWI_TRY(CWI_MPI(MPI_Compare_and_swap(&mine, &nobody, &before, MPI_INT, 0, 0, turns)));
    CWI_TRY(CWI_MPI(MPI_Win_flush(0, turns)));
    sched_yield();
  }
  return CW_OK;
}

static cw_error unlock(void)
{
  const int nobody = 0;
  int before = 0;
  CWI_TRY(CWI_MPI(MPI_Fetch_and_op(&nobody, &before, MPI_INT, 0, 0, MPI_REPLACE, turns)));
  return CWI_MPI(MPI_Win_flush(0, turns));
}

cw_error cwi_turn_take(cw_team team)
{
  if (!must_wait(team))
    return CW_OK;
  const cw_error error = team->rank == 0 ? lock() : CW_OK;
  CWI_TRY(CWI_MPI(MPI_Barrier(team->internal)));
  return error;
}

cw_error cwi_turn_give(cw_team team)
{
  if (!must_wait(team))
    return CW_OK;
  CWI_TRY(CWI_MPI(MPI_Barrier(team->internal)));
  return team->rank == 0 ? unlock() : CW_OK;
}
