/* Synchronises the members of collective calls on matrices, and exchanges their errors. */
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
  /* All members know the error now; that it came from MPI here no longer matters. */
  const cw_error error = cwi_team_agree(team, cwi_first_return(&first));
  cwi_acquire();
  return error;
}
