/* Which route a transfer takes, decided once for each process. */
#include "base/settings.h"
#include "memory/region.h"
#include "memory/remote.h"
#include "route/route.h"
#include "team/world.h"

#include <stdio.h>
#include <stdlib.h>

uint8_t *cwi_ready;

static const struct cwi_route **data_routes; /* [processes] */
static bool windows;                         /* the window route is in use */

cw_error cwi_routes_start(void)
{
  const size_t processes = (size_t)cwi_world.processes;
  windows = cwi_settings.route == CWI_ROUTE_WINDOW || cwi_world.nodes > 1;
  if (cwi_settings.route == CWI_ROUTE_DIRECT && cwi_world.nodes > 1)
    return cwi_misuse("CW_ROUTE=direct, but the job has %d nodes: memory of other nodes cannot be "
                      "reached by load and store",
                      cwi_world.nodes);
  cwi_ready = calloc(processes, sizeof *cwi_ready);
  data_routes = calloc(processes, sizeof(const struct cwi_route *));
  if (cwi_ready == NULL || data_routes == NULL)
    return cwi_outside("no memory for the routes to %zu processes", processes);
  for (int process = 0; process < cwi_world.processes; process++) {
    cwi_ready[process] = cwi_settings.route != CWI_ROUTE_WINDOW && cwi_same_node(process);
    data_routes[process] = cwi_ready[process] ? &cwi_route_direct : &cwi_route_window;
  }
  cwi_region_set_quiesce(cwi_routes_fence_all);
  return windows ? cwi_window_start() : CW_OK;
}

cw_error cwi_routes_stop(void)
{
  if (windows)
    CWI_TRY(cwi_window_stop());
  windows = false;
  free(cwi_ready);
  free((void *)data_routes);
  cwi_ready = NULL;
  data_routes = NULL;
  return CW_OK;
}

const struct cwi_route *cwi_data_route(int process)
{
  return data_routes[process];
}

/* Regions of teams that span nodes are updated by MPI alone, by node peers too: MPI's atomicity and
 * the processor's do not see each other. */
const struct cwi_route *cwi_atomic_route(int process, const void *remote)
{
  struct cwi_remote found;
  if (!windows)
    return &cwi_route_direct;
  if (data_routes[process] == &cwi_route_window || cwi_remote_at(process, remote, &found))
    return &cwi_route_window;
  return &cwi_route_direct;
}

void cwi_route_mark(int process)
{
  cwi_ready[process] = 0;
}

cw_error cwi_route_settle(int process)
{
  if (CWI_LIKELY(cwi_ready[process]) || data_routes[process] != &cwi_route_direct)
    return CW_OK;
  CWI_TRY(cwi_route_window.fence(process));
  cwi_ready[process] = 1;
  return CW_OK;
}

enum cwi_where cwi_route_where(const struct cwi_route *route, int process)
{
  if (route == &cwi_route_window)
    return CWI_NODE_WINDOW;
  return process == cwi_world.process ? CWI_OWN : CWI_PEER;
}

cw_error cwi_routes_fence(int process)
{
  if (windows)
    CWI_TRY(cwi_route_window.fence(process));
  return cwi_route_direct.fence(process);
}

cw_error cwi_routes_fence_all(void)
{
  if (windows)
    CWI_TRY(cwi_route_window.fence_all());
  return cwi_route_direct.fence_all();
}

const char *cwi_routes_describe(void)
{
  static char text[256];
  if (cwi_settings.route == CWI_ROUTE_WINDOW)
    snprintf(text, sizeof text, "window: everything goes through MPI (CW_ROUTE=window)");
  else if (cwi_world.nodes == 1)
    snprintf(text, sizeof text, "direct: one node, loads and stores; no MPI window, no thread");
  else
    snprintf(text, sizeof text,
             "direct inside a node; window (MPI one-sided) between the %d nodes; accumulates and "
             "read-modify-writes of regions that span nodes by MPI everywhere",
             cwi_world.nodes);
  return text;
}
