/* Route window: MPI one-sided operations. Needs no shared memory and no agent at the target. */
#include "route/window/window.h"

static bool holds(int process, const void *address, size_t bytes)
{
  struct cwi_remote remote;
  return cwi_remote_find(process, address, bytes, &remote);
}

static cw_error notify(int process, int64_t *remote, int64_t value)
{
  const struct cwi_rmw add = {CWI_FETCH_ADD, sizeof *remote, process, remote, value, 0};
  int64_t before = 0;
  CWI_TRY(cwi_targets_fence(process));
  return cwi_window_rmw(&add, &before);
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
                                           .notify = notify,
                                           .fence = cwi_targets_fence,
                                           .fence_all = cwi_targets_fence_all};
