/* Fence and barrier. */
#include "sync/barrier.h"

#include "base/operation_counts.h"
#include "collective_call/collective_check.h"
#include "profile/profile.h"
#include "route/route.h"
#include "team/world.h"

#include <causeway/sync.h>

cw_error cw_fence(int process)
{
  CWI_PROFILED(CW_CALL_FENCE);
  CWI_TRY(cwi_in_call("cw_fence", cwi_check_process(process)));
  if (CWI_UNLIKELY(cwi_settings.stats))
    cwi_count(CWI_COUNT_FENCE, cwi_fence_where(process), 0);
  return cwi_in_call("cw_fence", cwi_routes_fence(process));
}

cw_error cw_fence_all(void)
{
  CWI_PROFILED(CW_CALL_FENCE);
  CWI_TRY(cwi_in_call("cw_fence_all", cwi_check_process(cwi_world.process)));
  if (CWI_UNLIKELY(cwi_settings.stats))
    cwi_count(CWI_COUNT_FENCE, cwi_fence_all_where(), 0);
  return cwi_in_call("cw_fence_all", cwi_routes_fence_all());
}

cw_error cwi_synchronise_first(cw_team team, bool *arrived)
{
  struct cwi_first_error first;
  cwi_first_begin(&first, cwi_routes_fence_all());
  const cw_error error = cwi_team_barrier(team);
  *arrived = error == CW_OK;
  cwi_first_note(&first, error);
  return cwi_first_return(&first);
}

cw_error cwi_synchronise(cw_team team)
{
  bool arrived = false;
  return cwi_synchronise_first(team, &arrived);
}

cw_error cw_barrier(cw_team team)
{
  CWI_PROFILED(CW_CALL_BARRIER);
  CWI_TRY(cwi_in_call("cw_barrier", cwi_check_team("team", team)));
  return CWI_COLLECTIVELY("cw_barrier", team, cwi_argument_nothing(), cwi_synchronise(team));
}
