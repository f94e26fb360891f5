/* The synchronisation of collective calls on matrices, which also tells who failed. */
#include "linear/meet.h"

#include "base/order.h"
#include "route/route.h"
#include "team/team.h"

cw_error cwi_meet(cw_team team, cw_error mine)
{
  struct cwi_entry few[CWI_TEAM_SMALL];
  struct cwi_entry *all = cwi_team_entries(team, few);
  struct cwi_first_error first;
  cwi_first_begin(&first, mine);
  cwi_release();
  cwi_first_note(&first, cwi_routes_fence_all());
  const struct cwi_entry entry = {.status = (uint64_t)first.error};
  cwi_first_note(&first, cwi_team_exchange(team, &entry, all));
  cwi_acquire();
  const int failed = first.error == CW_OK ? cwi_team_failed(team, all) : -1;
  if (failed >= 0)
    cwi_first_note(&first,
                   all[failed].status == CW_MISUSE
                       ? cwi_misuse("what process %d gave was refused", team->process[failed])
                       : cwi_outside("process %d could not do its part", team->process[failed]));
  return cwi_first_return(&first);
}
