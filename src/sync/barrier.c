/* Fence and barrier. */
#include "base/statistics.h"
#include "route/route.h"
#include "team/world.h"

#include <causeway/sync.h>

cw_error cw_fence(int process)
{
  CWI_TRY(cwi_in_call("cw_fence", cwi_check_process(process)));
  cwi_count(CWI_COUNT_FENCE, CWI_PEER, 0);
  return cwi_in_call("cw_fence", cwi_routes_fence(process));
}

cw_error cw_fence_all(void)
{
  CWI_TRY(cwi_in_call("cw_fence_all", cwi_check_process(cwi_world.process)));
  cwi_count(CWI_COUNT_FENCE, CWI_PEER, 0);
  return cwi_in_call("cw_fence_all", cwi_routes_fence_all());
}

cw_error cw_barrier(cw_team team)
{
  CWI_TRY(cwi_in_call("cw_barrier", cwi_check_team("team", team)));
  CWI_TRY(cwi_in_call("cw_barrier", cwi_routes_fence_all()));
  return cwi_in_call("cw_barrier", cwi_team_barrier(team));
}
