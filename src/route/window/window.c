/* Route window: MPI one-sided operations. Needs no shared memory and no agent at the target. */
#include "route/window/window.h"

#include "route/window/buffers.h"

static cw_error locate(int process, const void *address, size_t bytes, struct cwi_remote *place)
{
  return CWI_LIKELY(cwi_remote_find(process, address, bytes, place))
             ? CW_OK
             : cwi_address_misuse(process, address, bytes);
}

static cw_error notify(const struct cwi_rmw *add)
{
  int64_t before = 0;
  CWI_TRY(cwi_targets_fence(add->process));
  return cwi_window_rmw(add, &before);
}

cw_error cwi_window_start(void)
{
  return cwi_targets_start();
}

cw_error cwi_window_stop(void)
{
  cwi_started_stop();
  cwi_buffers_stop();
  return cwi_targets_stop();
}

const struct cwi_route cwi_route_window = {.name = "window",
                                           .where = CWI_BY_WINDOW,
                                           .locate = locate,
                                           .start = cwi_window_transfer,
                                           .rmw = cwi_window_rmw,
                                           .notify = notify,
                                           .fence = cwi_targets_fence,
                                           .fence_all = cwi_targets_fence_all};
