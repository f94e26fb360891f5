/* Fetching updates: check, choose the route, start. For the public calls of the modules above. */
#include "profile/profile.h"
#include "route/route.h"
#include "team/world.h"

cw_error cwi_update_by(const struct cwi_route *route, struct cwi_update *update, bool blocking,
                       cw_handle *handle)
{
  bool locked;
  CWI_TRY(cwi_update_locate(update, route->locate));
  cwi_note(CWI_COUNT_RMW, cwi_route_where(route, update->process), update->process, update->remote,
           cwi_update_bytes(update));
  if (cwi_route_is_direct(route))
    cwi_route_progress_sometimes();
  CWI_TRY(cwi_route_enter(route, update->process, &locked));
  /* A blocking update runs after cwi_route_leave, so that other threads do not wait for the lock
   * meanwhile. It leaves nothing outstanding. */
  const cw_error error = blocking ? CW_OK : route->update(update, false, handle);
  cwi_route_leave(locked);
  return blocking ? route->update(update, true, handle) : error;
}

static cw_error by_route(struct cwi_update *update, bool blocking, cw_handle *handle)
{
  CWI_TRY(cwi_check_process(update->process));
  if (CWI_UNLIKELY(update->count == 0))
    return cwi_update_check(update->operation, update->type);
  const struct cwi_route *route = cwi_atomic_route(update->process, update->remote, &update->place);
  return cwi_update_by(route, update, blocking, handle);
}

cw_error cwi_start_update(struct cwi_update *update, bool blocking, cw_handle *handle)
{
  CWI_TRY(cwi_mpi_enter());
  const cw_error error = by_route(update, blocking, handle);
  cwi_mpi_leave();
  return error;
}
