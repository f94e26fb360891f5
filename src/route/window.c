/* Route window: MPI one-sided operations. Needs no shared memory and no agent at the target. */
#include "route/window.h"

static bool holds(int process, const void *address, size_t bytes)
{
  struct cwi_remote remote;
  return cwi_remote_find(process, address, bytes, &remote);
}

cw_error cwi_window_start(void)
{
  return cwi_targets_start();
}

cw_error cwi_window_stop(void)
{
  cwi_buffers_stop();
  return cwi_targets_stop();
}

const struct cwi_route cwi_route_window = {.name = "window",
                                           .holds = holds,
                                           .start = cwi_window_transfer,
                                           .rmw = cwi_window_rmw,
                                           .fence = cwi_targets_fence,
                                           .fence_all = cwi_targets_fence_all};
