/* The choice of a transfer's route. */
#include "base/settings.h"
#include "base/size.h"
#include "memory/device_address.h"
#include "mpi/origin.h"
#include "region/region.h"
#include "region/slice_index.h"
#include "route/deferred_errors.h"
#include "route/device/device_route.h"
#include "route/memory_handle/memory_handle.h"
#include "route/rma_probe.h"
#include "route/route.h"
#include "team/agreement.h"
#include "team/world.h"

#include <stdio.h>
#include <stdlib.h>

/* The routes that reach a process. */
struct way {
  const struct cwi_route *usual;
  const struct cwi_route
      *last; /* route of the latest operation, if several routes reach the process; or NULL */
};

static struct way *ways;               /* [processes] */
static const struct cwi_route *served; /* the route through servers, or NULL if there are none */
static bool windows;                   /* the rma route is in use */
static struct cwi_probe probe;

/* Returns true if the present origin may use the rma route. Operations through MPI windows belong
 * to the process, never to a thread's own origin. */
static bool has_windows(void)
{
  return windows && cwi_origin == 0;
}

static bool has_two_ways(void)
{
  return has_windows() && served != NULL;
}

/* Chooses the routes between nodes: rma alone, the server alone, or both if MPI's one-sided
 * operations progress without the target. */
static cw_error choose_far(void)
{
  windows = cwi_settings.route == CWI_ROUTE_RMA || (cwi_world.nodes > 1 && served == NULL);
  probe = (struct cwi_probe){0};
  if (served == NULL || cwi_settings.route != CWI_ROUTE_AUTO)
    return CW_OK;
  CWI_TRY(cwi_probe_progress(&probe));
  windows = probe.progresses;
  return CW_OK;
}

cw_error cwi_routes_check(void)
{
  if (cwi_settings.route != CWI_ROUTE_DIRECT || cwi_world.nodes == 1)
    return CW_OK;
  return cwi_misuse("CW_ROUTE=direct, but the job has %d nodes: memory of other nodes cannot be "
                    "reached by load and store",
                    cwi_world.nodes);
}

cw_error cwi_routes_start(const struct cwi_route *server)
{
  const size_t processes = (size_t)cwi_world.processes;
  served = server;
  ways = calloc(processes, sizeof *ways);
  const cw_error mine =
      ways != NULL ? CW_OK : cwi_outside("no memory for the routes to %zu processes", processes);
  CWI_TRY(cwi_team_agree(cwi_world.team, mine));
  CWI_TRY(choose_far());
  const bool direct = cwi_settings.route != CWI_ROUTE_RMA;
  CWI_TRY(cwi_team_agree_step(cwi_world.team, cwi_ready_start(direct, !windows || served != NULL)));
  const struct cwi_route *far = served != NULL ? served : &cwi_route_rma;
  for (int process = 0; process < cwi_world.processes; process++)
    ways[process].usual = cwi_route_direct_reaches(process) ? &cwi_route_direct : far;
  return windows ? cwi_rma_start(served == NULL) : CW_OK;
}

cw_error cwi_routes_stop(void)
{
  if (windows)
    CWI_TRY(cwi_rma_stop());
  cwi_routes_forget();
  return CW_OK;
}

void cwi_routes_forget(void)
{
  if (windows)
    cwi_rma_forget();
  windows = false;
  cwi_ready_stop();
  cwi_deferred_errors_stop();
  free(ways);
  ways = NULL;
}

/* Returns true if MPI can move the transfer: one contiguous run, in a region that has a window
 * here. Regions of teams that I am not a member of have none. MPI's flushes cover the whole
 * process, so threads with origins of their own use the servers. */
static bool suits_window(const cw_transfer *transfer, struct cwi_location *place)
{
  return cwi_origin == 0 && transfer->vectors == NULL && transfer->levels == 0 &&
         cwi_slice_index_at(transfer->process, transfer->remote, place) &&
         place->slice->chunk != NULL;
}

/* Returns the route to device memory of the process. */
static const struct cwi_route *device_route(int process)
{
  return cwi_same_node(process) || served == NULL ? &cwi_route_device : served;
}

/* Returns the remote address that stands for the transfer. For a list that is its first segment
 * with bytes: lists with segments of several kinds are split before. */
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

/* If both routes reach the process, MPI moves what is contiguous; the server takes accumulates and
 * everything that has to be packed. */
const struct cwi_route *cwi_transfer_route(const cw_transfer *transfer, struct cwi_location *place)
{
  const struct cwi_route *usual = ways[transfer->process].usual;
  if (CWI_UNLIKELY(cwi_is_device_address(some_remote(transfer))))
    return device_route(transfer->process);
  if (transfer->operation == CW_ACCUMULATE)
    return cwi_atomic_route(transfer->process, some_remote(transfer), place);
  return windows && usual == served && suits_window(transfer, place) ? &cwi_route_rma : usual;
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
  return CWI_UNLIKELY(cwi_is_device_address(address)) && device_route(process) == &cwi_route_device
             ? cwi_device_check_later(process, address, bytes)
             : cwi_route_locate(process, address, bytes, place);
}

/* Without servers, MPI alone updates the regions of teams that span nodes, even between node peers:
 * MPI's atomics and the processor's are not atomic with respect to each other. */
const struct cwi_route *cwi_atomic_route(int process, const void *remote,
                                         struct cwi_location *place)
{
  const struct cwi_route *usual = ways[process].usual;
  if (CWI_UNLIKELY(cwi_is_device_address(remote)))
    return &cwi_route_device_updates;
  if (CWI_LIKELY(cwi_ready.atomics) || usual == &cwi_route_rma)
    return usual;
  return cwi_slice_index_at(process, remote, place) ? &cwi_route_rma : usual;
}

bool cwi_memory_handles_by_mpi(void)
{
  return windows && served == NULL;
}

/* Memory that handles name follows the rules of regions of teams that span nodes. */
const struct cwi_route *cwi_memory_handle_route(int owner, cw_operation operation)
{
  if (!cwi_same_node(owner))
    return served != NULL ? served : &cwi_route_rma;
  if (cwi_memory_handles_by_mpi() &&
      (operation == CW_ACCUMULATE || !cwi_route_direct_reaches(owner)))
    return &cwi_route_rma;
  return &cwi_route_memory_handle;
}

/* Fences a node peer at which the rma route may have accumulates outstanding, and allows direct
 * transfers again. The rma route calls cwi_ready_not under the same lock, so that no accumulate
 * starts in between. */
static cw_error choice_settle(int process)
{
  cwi_threads_lock();
  const cw_error error = cwi_route_rma.fence(process);
  if (error == CW_OK && cwi_route_direct_reaches(process))
    __atomic_store_n(&cwi_ready.is[process], 1, __ATOMIC_RELAXED);
  cwi_threads_unlock();
  return error;
}

static cw_error push_served(int unused)
{
  (void)unused;
  return served->push();
}

cw_error cwi_routes_push(void)
{
  return served != NULL ? cwi_origins_each(push_served, 0) : CW_OK;
}

/* Completes everything that can complete, even after an error: gets write into the program's
 * memory. */
static cw_error finish_all(int process, bool aside)
{
  struct cwi_first_error first;
  cwi_first_begin(&first, served != NULL ? served->push() : CW_OK);
  cwi_first_note(&first, cwi_pending_finish(process, aside));
  return cwi_first_return(&first);
}

static cw_error finish_pending(int process)
{
  return finish_all(process, false);
}

/* The first test is a fast path: without servers and pending operations there is nothing to send or
 * wait for. */
cw_error cwi_routes_finish(int process)
{
  if (CWI_LIKELY(served == NULL && cwi_origins() <= 1 && !cwi_pending_any()))
    return CW_OK;
  struct cwi_first_error first;
  cwi_first_begin(&first, cwi_origins_each(finish_pending, process));
  cwi_deferred_errors_report(process, &first);
  return cwi_first_return(&first);
}

/* --- One route after another ------------------------------------------------------------------ */

/* Makes `route` the one in use at a process that both routes reach: completes what the other has
 * started. *earlier receives the errors that the target reported for that. */
static cw_error change(const struct cwi_route *route, int process, struct cwi_first_error *earlier)
{
  const struct cwi_route *last = ways[process].last;
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
  ways[process].last = route;
  return CW_OK;
}

/* Kept out of line, so that operations that need no change do not pay for it. Returns with the lock
 * of threads if that succeeds. */
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

/* Prepares for an operation. Before an operation by another route than the last one, that route's
 * operations are completed; a direct operation first completes what the rma route has outstanding
 * there. */
static cw_error enter_route(const struct cwi_route *route, int process, bool *locked)
{
  const bool direct = cwi_route_is_direct(route);
  *locked = false;
  if (CWI_UNLIKELY(!direct && has_two_ways()))
    return enter_after_change(route, process, locked);
  return CWI_UNLIKELY(direct && !cwi_is_ready(process)) ? choice_settle(process) : CW_OK;
}

/* --- Both scopes of a thread ------------------------------------------------------------------ */

/* A thread acts in two scopes: [0] for its process, [1] for itself. This is the process of another
 * node at which the thread has acted in each scope since the last fence of that scope, or the last
 * operation of the other scope. */
enum { NOWHERE = -1, EVERYWHERE = -2 };
static __thread __attribute__((tls_model("initial-exec"))) int acted[2] = {NOWHERE, NOWHERE};

/* Notes an operation at the process. Returns true if this thread has acted there in the other
 * scope. */
static bool scopes_meet(int process)
{
  int *here = &acted[cwi_origin != 0];
  const int other = acted[cwi_origin == 0];
  if (CWI_UNLIKELY(*here != process))
    *here = *here == NOWHERE ? process : EVERYWHERE;
  return other == process || other == EVERYWHERE;
}

/* Notes that a fence of the process (of all if -1) by this thread is complete. Gets may still be
 * pending: then the scope stays in use. */
static void scope_fenced(int process, const struct cwi_first_error *fenced)
{
  int *here = &acted[cwi_origin != 0];
  if ((process < 0 || process == *here) && !cwi_first_is_from_mpi(fenced) && !cwi_pending_any())
    *here = NOWHERE;
}

/* Completes what the present origin has started at the process (at all processes if -1).
 * *earlier receives the errors; returns only those from MPI. */
static cw_error complete_scope(int process, struct cwi_first_error *earlier)
{
  cwi_first_begin(earlier, finish_all(process, true));
  if (!cwi_first_is_from_mpi(earlier) && has_windows())
    cwi_first_note(earlier, process < 0 ? cwi_route_rma.fence_all() : cwi_route_rma.fence(process));
  if (!cwi_first_is_from_mpi(earlier) && served != NULL)
    cwi_first_note(earlier, process < 0 ? served->fence_all() : served->fence(process));
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
  return CWI_UNLIKELY(!cwi_same_node(process) && scopes_meet(process))
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
  return cwi_route_where(ways[process].usual, process);
}

enum cwi_where cwi_fence_all_where(void)
{
  if (served != NULL)
    return CWI_BY_SERVER;
  return windows ? CWI_BY_RMA : CWI_PEER;
}

/* Only these routes need to forget implicit operations: direct transfers are complete when they
 * return. */
static cw_error fence_far(const struct cwi_route *route, int process)
{
  CWI_TRY(route->fence(process));
  return cwi_implicit_settle(process);
}

static cw_error fence_all_far(const struct cwi_route *route)
{
  CWI_TRY(route->fence_all());
  return cwi_implicit_settle(-1);
}

static cw_error fence_served(int process)
{
  return fence_far(served, process);
}

static cw_error fence_all_served(int unused)
{
  (void)unused;
  return fence_all_far(served);
}

/* An error of one route does not keep the others from being fenced. */
cw_error cwi_routes_fence(int process)
{
  struct cwi_first_error first;
  cwi_first_begin(&first, has_windows() ? fence_far(&cwi_route_rma, process) : CW_OK);
  if (served != NULL)
    cwi_first_note(&first, cwi_origins_each(fence_served, process));
  scope_fenced(process, &first);
  cwi_first_note(&first, cwi_route_direct.fence(process));
  cwi_deferred_errors_report(process, &first);
  return cwi_first_return(&first);
}

cw_error cwi_routes_fence_all(void)
{
  struct cwi_first_error first;
  cwi_first_begin(&first, has_windows() ? fence_all_far(&cwi_route_rma) : CW_OK);
  if (served != NULL)
    cwi_first_note(&first, cwi_origins_each(fence_all_served, 0));
  scope_fenced(-1, &first);
  cwi_first_note(&first, cwi_route_direct.fence_all());
  cwi_deferred_errors_report(-1, &first);
  return cwi_first_return(&first);
}

bool cwi_routes_served(void)
{
  return served != NULL;
}

/* For node peers a memory fence suffices: processors reorder only a load behind a store. */
cw_error cwi_routes_order(int process, cw_operation next)
{
  if (cwi_is_ready(process)) {
    if (next == CW_GET)
      __atomic_thread_fence(__ATOMIC_SEQ_CST);
    return CW_OK;
  }
  if (has_windows()) {
    CWI_TRY(finish_pending(process));
    CWI_TRY(cwi_route_rma.fence(process));
  }
  return served != NULL ? served->order(process) : CW_OK;
}

cw_error cwi_routes_flush_request(int process, cw_handle *handle)
{
  if (cwi_is_ready(process))
    return cwi_route_direct.fence(process);
  if (has_windows())
    CWI_TRY(cwi_route_rma.flush_request(process, handle));
  return served != NULL ? served->flush_request(process, handle) : CW_OK;
}

static const char *describe_far(char *text, size_t size)
{
  if (served == NULL)
    snprintf(text, size,
             "rma (MPI one-sided) between the %d nodes; accumulates and read-modify-writes of "
             "regions that span nodes by MPI everywhere",
             cwi_world.nodes);
  else if (cwi_settings.route == CWI_ROUTE_SERVER)
    snprintf(text, size, "server between the %d nodes (CW_ROUTE=server)", cwi_world.nodes);
  else
    snprintf(text, size,
             "%s between the %d nodes: MPI's one-sided operations %s while the target computes "
             "(probed in %.1f ms)",
             probe.progresses ? "server, and rma for contiguous puts and gets," : "server",
             cwi_world.nodes, probe.progresses ? "progress" : "do not progress",
             probe.milliseconds);
  return text;
}

const char *cwi_routes_describe(void)
{
  static char text[400];
  char far[320];
  if (cwi_settings.route == CWI_ROUTE_RMA)
    snprintf(text, sizeof text, "rma: everything goes through MPI (CW_ROUTE=rma)");
  else if (cwi_world.nodes == 1)
    snprintf(text, sizeof text, "direct: one node, loads and stores; no MPI window, no thread");
  else
    snprintf(text, sizeof text, "direct inside a node; %s", describe_far(far, sizeof far));
  return text;
}
