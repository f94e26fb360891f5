/* The choice of a transfer's route. */
#include "base/settings.h"
#include "base/size.h"
#include "memory/device_address.h"
#include "mpi/origin.h"
#include "region/region.h"
#include "route/deferred_errors.h"
#include "route/rma/rma_probe.h"
#include "route/route.h"
#include "team/agreement.h"
#include "team/world.h"

#include <stdio.h>
#include <stdlib.h>

/* All routes, in order of preference: an operation takes the first one that reaches its process and
 * carries it. */
static const struct cwi_route *const routes[] = {
    &cwi_route_direct,        &cwi_route_rma,    &cwi_route_server,
    &cwi_route_memory_handle, &cwi_route_device, &cwi_route_device_updates,
};

enum { ROUTES = sizeof routes / sizeof routes[0] };

static bool in_use[ROUTES];

/* The routes in use that leave operations outstanding, which fences complete. */
static struct {
  const struct cwi_route *routes[ROUTES];
  int count;
  bool collect; /* one of them collects operations before it sends them */
} remote_routes;

/* The routes to one process. */
struct reach {
  const struct cwi_route *last;       /* latest route used, if there are several remote routes */
  uint8_t candidates[CWI_ROUTE_USES]; /* bit i stands for routes[i]; the last candidate carries
                                         everything */
};

static struct reach *reached; /* [processes] */

/* Returns the next remote route that the current origin uses, or NULL. *next must be 0 in the first
 * call. */
static const struct cwi_route *remote_route_next(int *next)
{
  while (*next < remote_routes.count) {
    const struct cwi_route *route = remote_routes.routes[(*next)++];
    if (cwi_origin == 0 || route->of_threads)
      return route;
  }
  return NULL;
}

cw_error cwi_routes_check(void)
{
  if (cwi_settings.route != CWI_ROUTE_DIRECT || cwi_world.nodes == 1)
    return CW_OK;
  return cwi_misuse("CW_ROUTE=direct, but the job has %d nodes: memory of other nodes cannot be "
                    "reached by load and store",
                    cwi_world.nodes);
}

/* Opens the routes that this world uses. */
static cw_error open_routes(void)
{
  for (int i = 0; i < ROUTES; i++) {
    const struct cwi_route *route = routes[i];
    in_use[i] = true;
    if (route->open != NULL)
      CWI_TRY(route->open(&in_use[i]));
    if (in_use[i] && !cwi_route_is_direct(route)) {
      remote_routes.routes[remote_routes.count++] = route;
      remote_routes.collect = remote_routes.collect || route->push != NULL;
    }
  }
  return CW_OK;
}

/* Returns the set of routes that operations of one use on the process may take. */
static uint8_t find_candidates(int process, enum cwi_route_use use)
{
  uint8_t candidates = 0;
  enum cwi_route_reach reach = CWI_REACH_NONE;
  for (int i = 0; i < ROUTES && reach != CWI_REACH_ALL; i++) {
    reach = in_use[i] ? routes[i]->reaches(process, use) : CWI_REACH_NONE;
    candidates |= (uint8_t)((reach != CWI_REACH_NONE) << i);
  }
  CWI_ASSERT(reach == CWI_REACH_ALL);
  return candidates;
}

cw_error cwi_routes_start(bool served)
{
  const size_t processes = (size_t)cwi_world.processes;
  cw_error mine = cwi_ready_start(cwi_settings.route != CWI_ROUTE_RMA, served);
  reached = calloc(processes, sizeof *reached);
  if (mine == CW_OK && reached == NULL)
    mine = cwi_outside("no memory for the routes to %zu processes", processes);
  CWI_TRY(cwi_team_agree(cwi_world.team, mine));
  CWI_TRY(open_routes());
  for (int process = 0; process < cwi_world.processes; process++)
    for (int use = 0; use < CWI_ROUTE_USES; use++)
      reached[process].candidates[use] = find_candidates(process, (enum cwi_route_use)use);
  return CW_OK;
}

cw_error cwi_routes_stop(void)
{
  for (int i = 0; i < ROUTES; i++)
    if (in_use[i] && routes[i]->close != NULL)
      CWI_TRY(routes[i]->close());
  cwi_routes_forget();
  return CW_OK;
}

void cwi_routes_forget(void)
{
  for (int i = 0; i < ROUTES; i++) {
    if (in_use[i] && routes[i]->forget != NULL)
      routes[i]->forget();
    in_use[i] = false;
  }
  remote_routes.count = 0;
  remote_routes.collect = false;
  cwi_ready_stop();
  cwi_deferred_errors_stop();
  free(reached);
  reached = NULL;
}

/* Returns the first candidate that carries the operation. */
static const struct cwi_route *choose_route(int process, enum cwi_route_use use, const void *remote,
                                            const cw_transfer *transfer, struct cwi_location *place)
{
  unsigned left = reached[process].candidates[use];
  const struct cwi_route *route = routes[__builtin_ctz(left)];
  while ((left &= left - 1) != 0 && !route->carries(process, remote, transfer, place))
    route = routes[__builtin_ctz(left)];
  return route;
}

/* Returns the remote address by which the route is chosen. For a list it is the address of the
 * first segment with bytes; lists whose segments need several routes have been split before. */
static const void *some_remote(const cw_transfer *transfer)
{
  if (transfer->vectors == NULL ||
      !cwi_is_possible(transfer->vector_count,
                       sizeof *transfer->vectors)) /* a later check rejects it */
    return transfer->remote;
  for (size_t v = 0; v < transfer->vector_count; v++)
    if (transfer->vectors[v].count > 0 && transfer->vectors[v].bytes > 0 &&
        transfer->vectors[v].remote != NULL)
      return transfer->vectors[v].remote[0];
  return NULL;
}

const struct cwi_route *cwi_transfer_route(const cw_transfer *transfer, struct cwi_location *place)
{
  const void *remote = some_remote(transfer);
  enum cwi_route_use use =
      transfer->operation == CW_ACCUMULATE ? CWI_HOST_UPDATE : CWI_HOST_TRANSFER;
  if (CWI_UNLIKELY(cwi_is_device_address(remote)))
    use = CWI_DEVICE_TRANSFER;
  return choose_route(transfer->process, use, remote, transfer, place);
}

const struct cwi_route *cwi_atomic_route(int process, const void *remote,
                                         struct cwi_location *place)
{
  const bool device = CWI_UNLIKELY(cwi_is_device_address(remote));
  return choose_route(process, device ? CWI_DEVICE_UPDATE : CWI_HOST_UPDATE, remote, NULL, place);
}

const struct cwi_route *cwi_memory_handle_route(int owner, cw_operation operation)
{
  const bool update = operation == CW_ACCUMULATE;
  return choose_route(owner, update ? CWI_HANDLE_UPDATE : CWI_HANDLE_TRANSFER, NULL, NULL, NULL);
}

cw_error cwi_route_locate(int process, const void *address, size_t bytes,
                          struct cwi_location *place)
{
  const cw_transfer one = cw_contiguous(CW_PUT, NULL, (void *)(uintptr_t)address, bytes, process);
  return cwi_transfer_route(&one, place)->locate(process, address, bytes, place);
}

cw_error cwi_route_locate_now(int process, const void *address, size_t bytes,
                              struct cwi_location *place)
{
  const cw_transfer one = cw_contiguous(CW_PUT, NULL, (void *)(uintptr_t)address, bytes, process);
  const struct cwi_route *route = cwi_transfer_route(&one, place);
  return (route->locate_now != NULL ? route->locate_now : route->locate)(process, address, bytes,
                                                                         place);
}

/* Fences the process (all if -1) by the remote routes that the current origin uses, and notes the
 * errors in `first`. Stops if MPI fails. */
static void fence_until_failure(int process, struct cwi_first_error *first)
{
  const struct cwi_route *route = NULL;
  for (int i = 0; !cwi_first_is_from_mpi(first) && (route = remote_route_next(&i)) != NULL;)
    cwi_first_note(first, route->fence(process));
}

/* Fences a node peer at which another route may have updates outstanding, and allows direct
 * transfers again. The rma route calls cwi_ready_not under the same lock, so that no accumulate
 * starts in between. */
static cw_error choice_settle(int process)
{
  struct cwi_first_error first;
  cwi_first_begin(&first, CW_OK);
  cwi_threads_lock();
  fence_until_failure(process, &first);
  const cw_error error = cwi_first_return(&first);
  if (error == CW_OK && cwi_route_direct_reaches(process))
    __atomic_store_n(&cwi_ready.is[process], 1, __ATOMIC_RELAXED);
  cwi_threads_unlock();
  return error;
}

static cw_error push_mine(int unused)
{
  (void)unused;
  struct cwi_first_error first;
  cwi_first_begin(&first, CW_OK);
  const struct cwi_route *route = NULL;
  for (int i = 0; (route = remote_route_next(&i)) != NULL;)
    if (route->push != NULL)
      cwi_first_note(&first, route->push());
  return cwi_first_return(&first);
}

cw_error cwi_routes_push(void)
{
  return remote_routes.collect ? cwi_origins_each(push_mine, 0) : CW_OK;
}

/* Completes everything that can complete, even after an error: gets write into the program's
 * memory. */
static cw_error finish_all(int process, bool aside)
{
  struct cwi_first_error first;
  cwi_first_begin(&first, remote_routes.collect ? push_mine(0) : CW_OK);
  cwi_first_note(&first, cwi_pending_finish(process, aside));
  return cwi_first_return(&first);
}

static cw_error finish_pending(int process)
{
  return finish_all(process, false);
}

/* The first test is a fast path: without collected and pending operations there is nothing to send
 * or wait for. */
cw_error cwi_routes_finish(int process)
{
  if (CWI_LIKELY(!remote_routes.collect && cwi_origins() <= 1 && !cwi_pending_any()))
    return CW_OK;
  struct cwi_first_error first;
  cwi_first_begin(&first, cwi_origins_each(finish_pending, process));
  cwi_deferred_errors_report(process, &first);
  return cwi_first_return(&first);
}

/* --- One route after another ------------------------------------------------------------------ */

/* Makes `route` the one in use at a process that several remote routes reach. Completes what the
 * previous route has started there. *earlier receives the errors that the target reports for it. */
static cw_error change(const struct cwi_route *route, int process, struct cwi_first_error *earlier)
{
  const struct cwi_route *last = reached[process].last;
  cwi_first_begin(earlier, CW_OK);
  if (last == route)
    return CW_OK;
  if (last != NULL) {
    cwi_first_note(earlier, finish_all(process, true));
    if (!cwi_first_is_from_mpi(earlier))
      cwi_first_note(earlier, last->fence(process));
  }
  if (cwi_first_is_from_mpi(earlier))
    return cwi_first_return(earlier);
  reached[process].last = route;
  return CW_OK;
}

/* Changes the route under the bookkeeping lock. If that succeeds, the lock is held on return. Kept
 * out of line, so that worlds with one remote route do not pay for it. */
static __attribute__((noinline)) cw_error enter_after_change(const struct cwi_route *route,
                                                             int process, bool *locked)
{
  struct cwi_first_error earlier;
  cwi_threads_lock();
  const cw_error error = change(route, process, &earlier);
  *locked = error == CW_OK;
  if (*locked)
    cwi_deferred_error_add(process, &earlier);
  else
    cwi_threads_unlock();
  return error;
}

/* Prepares for an operation on the process by `route`. If the latest operation there took another
 * remote route, that route's operations are completed first. Before a direct operation, what the
 * rma route has outstanding there is completed. */
static cw_error enter_route(const struct cwi_route *route, int process, bool *locked)
{
  const bool direct = cwi_route_is_direct(route);
  *locked = false;
  if (CWI_UNLIKELY(!direct && cwi_origin == 0 && remote_routes.count > 1))
    return enter_after_change(route, process, locked);
  return CWI_UNLIKELY(direct && !cwi_is_ready(process)) ? choice_settle(process) : CW_OK;
}

/* --- Both scopes of a thread ------------------------------------------------------------------ */

/* A thread acts in two scopes: [0] for its process, [1] for itself. For each scope, `acted` has the
 * process of another node at which the thread has acted, or NOWHERE or EVERYWHERE. A fence of the
 * scope resets it to NOWHERE, as does an operation in the other scope that completes this one. */
enum { NOWHERE = -1, EVERYWHERE = -2 };
static __thread __attribute__((tls_model("initial-exec"))) int acted[2] = {NOWHERE, NOWHERE};

/* Notes an operation at the process. Returns true if this thread has acted there in the other
 * scope. */
static bool acts_in_both_scopes(int process)
{
  int *here = &acted[cwi_origin != 0];
  const int other = acted[cwi_origin == 0];
  if (CWI_UNLIKELY(*here != process))
    *here = *here == NOWHERE ? process : EVERYWHERE;
  return other == process || other == EVERYWHERE;
}

/* Notes that a fence of the process (of all if -1) by this thread is complete. If gets are still
 * pending, the scope stays in use. */
static void scope_fenced(int process, const struct cwi_first_error *fenced)
{
  int *here = &acted[cwi_origin != 0];
  if ((process < 0 || process == *here) && !cwi_first_is_from_mpi(fenced) && !cwi_pending_any())
    *here = NOWHERE;
}

/* Completes what the current origin has started at the process (at all processes if -1). *earlier
 * receives the errors; returns only those from MPI. */
static cw_error complete_scope(int process, struct cwi_first_error *earlier)
{
  cwi_first_begin(earlier, finish_all(process, true));
  fence_until_failure(process, earlier);
  return cwi_first_is_from_mpi(earlier) ? cwi_first_return(earlier) : CW_OK;
}

/* The messages of the two scopes may overtake each other, so this first completes what the thread
 * has started in the other scope. */
static __attribute__((noinline)) cw_error enter_after_scope(const struct cwi_route *route,
                                                            int process, bool *locked)
{
  struct cwi_first_error earlier;
  int *there = &acted[cwi_origin == 0];
  uint32_t other = 0;
  if (cwi_origin == 0)
    CWI_TRY(cwi_origin_mine(&other));
  const int where = *there == EVERYWHERE ? -1 : process;
  const uint32_t before = cwi_origin_enter(other);
  const cw_error completed = complete_scope(where, &earlier);
  cwi_origin_enter(before);
  CWI_TRY(completed);
  *there = NOWHERE;
  cwi_deferred_error_add(where, &earlier);
  return enter_route(route, process, locked);
}

cw_error cwi_route_enter(const struct cwi_route *route, int process, bool *locked)
{
  *locked = false;
  return CWI_UNLIKELY(!cwi_same_node(process) && acts_in_both_scopes(process))
             ? enter_after_scope(route, process, locked)
             : enter_route(route, process, locked);
}

void cwi_route_leave(bool locked)
{
  if (CWI_UNLIKELY(locked))
    cwi_threads_unlock();
}

enum cwi_where cwi_fence_where(int process)
{
  return cwi_route_direct_reaches(process) ? cwi_route_where(&cwi_route_direct, process)
                                           : cwi_fence_all_where();
}

enum cwi_where cwi_fence_all_where(void)
{
  return remote_routes.count > 0 ? remote_routes.routes[remote_routes.count - 1]->where : CWI_PEER;
}

/* Fences the process (all if -1) by the remote routes that the current origin uses. Continues after
 * an error. Releases the implicit operations of these routes; direct transfers have none, because
 * they are complete on return. */
static cw_error fence_mine(int process)
{
  struct cwi_first_error first;
  cwi_first_begin(&first, CW_OK);
  const struct cwi_route *route = NULL;
  for (int i = 0; (route = remote_route_next(&i)) != NULL;) {
    const cw_error error = route->fence(process);
    cwi_first_note(&first, error != CW_OK ? error : cwi_implicit_settle(process));
  }
  return cwi_first_return(&first);
}

cw_error cwi_routes_fence(int process)
{
  struct cwi_first_error first;
  cwi_first_begin(&first, remote_routes.count > 0 ? cwi_origins_each(fence_mine, process) : CW_OK);
  scope_fenced(process, &first);
  cwi_first_note(&first, cwi_route_direct.fence(process));
  cwi_deferred_errors_report(process, &first);
  return cwi_first_return(&first);
}

cw_error cwi_routes_fence_all(void)
{
  return cwi_routes_fence(-1);
}

/* For node peers a memory fence before a get suffices. The fences of other transfers
 * (base/memory_order.h) allow only a later load to overtake an earlier store. */
cw_error cwi_routes_order(int process, cw_operation next)
{
  if (cwi_is_ready(process)) {
    if (next == CW_GET)
      __atomic_thread_fence(__ATOMIC_SEQ_CST);
    return CW_OK;
  }
  const struct cwi_route *route = NULL;
  for (int i = 0; (route = remote_route_next(&i)) != NULL;) {
    if (route->order == NULL)
      CWI_TRY(finish_pending(process));
    CWI_TRY((route->order != NULL ? route->order : route->fence)(process));
  }
  return CW_OK;
}

cw_error cwi_routes_flush_request(int process, cw_handle *handle)
{
  if (cwi_is_ready(process))
    return cwi_route_direct.fence(process);
  const struct cwi_route *route = NULL;
  for (int i = 0; (route = remote_route_next(&i)) != NULL;)
    CWI_TRY(route->flush_request(process, handle));
  return CW_OK;
}

static const char *describe_remote(char *text, size_t size)
{
  const struct cwi_probe *probe = cwi_probe_result();
  if (!cwi_routes_served())
    snprintf(text, size,
             "rma (MPI one-sided) between the %d nodes; in regions that span nodes, MPI does all "
             "accumulates and read-modify-writes",
             cwi_world.nodes);
  else if (cwi_settings.route == CWI_ROUTE_SERVER)
    snprintf(text, size, "server between the %d nodes (CW_ROUTE=server)", cwi_world.nodes);
  else
    snprintf(text, size,
             "%s between the %d nodes: MPI's one-sided operations %s while the target computes "
             "(probed in %.1f ms)",
             probe->progresses ? "server, and rma for contiguous puts and gets," : "server",
             cwi_world.nodes, probe->progresses ? "progress" : "do not progress",
             probe->milliseconds);
  return text;
}

const char *cwi_routes_describe(void)
{
  static char text[400];
  char between[320];
  if (cwi_settings.route == CWI_ROUTE_RMA)
    snprintf(text, sizeof text, "rma: everything goes through MPI (CW_ROUTE=rma)");
  else if (cwi_world.nodes == 1)
    snprintf(text, sizeof text, "direct: one node, loads and stores; no MPI window, no thread");
  else
    snprintf(text, sizeof text, "direct inside a node; %s",
             describe_remote(between, sizeof between));
  return text;
}
