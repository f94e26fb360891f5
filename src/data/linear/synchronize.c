/* The synchronisation of collective calls on matrices, which also tells who failed. */
#include "linear/synchronize.h"

#include "base/memory_order.h"
#include "route/route.h"
#include "team/agreement.h"

cw_error cwi_matrix_synchronize(cw_team team, cw_error mine)
{
  struct cwi_first_error first;
  cwi_first_begin(&first, mine);
  cwi_release();
  cwi_first_note(&first, cwi_routes_fence_all());
  /* Known to all from here on: what the first one says of MPI no longer counts. */
  const cw_error error = cwi_team_agree(team, cwi_first_return(&first));
  cwi_acquire();
  return error;
}
