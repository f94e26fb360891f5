/* Routes: how a transfer reaches its target. A route is a const table of functions; each has a
 * folder.
 *
 * route_choice.c               which route a transfer takes
 * rma_probe.c                whether MPI's one-sided operations need the target
 * direct_reach.c                which processes are reached directly, without further questions
 * deferred_errors.c                 refusals that are told later
 * transfer_count.c                 counting transfers
 * transfer_calls.c       the public transfers
 * wait_calls.c           the public calls that wait for started operations
 * update_calls.c         fetching updates, for the calls of rooms above
 * region_calls.c         freeing a region
 * memory_handle_calls.c  memory handles, and transfers on what they name */
#ifndef CWI_ROUTE_ROUTE_H
#define CWI_ROUTE_ROUTE_H

#include "base/error.h"
#include "base/memory_order.h"
#include "base/operation_counts.h"
#include "machine/copy.h"
#include "mpi/mpi_progress.h"
#include "profile/profile.h"
#include "region/region.h"
#include "route/direct_reach.h"
#include "team/world.h"
#include "transfer/fetching_update.h"
#include "transfer/handle.h"
#include "transfer/transfer.h"

#include <stdbool.h>
#include <stdint.h>

struct cwi_route {
  const char *name;
  enum cwi_where where; /* how far it reaches: node peers, or by what */
  cwi_locate_function locate;
  /* Move a checked transfer. blocking: complete locally before return. Else: attach what is pending
   * to handle (NULL: implicit). */
  cw_error (*start)(const struct cwi_transfer *transfer, bool blocking, cw_handle *handle);
  /* Run a checked update, in order with what was started before. blocking: it is remotely complete,
   * and `before` filled, on return. Else: attach what is pending, of which the operands are not. */
  cw_error (*update)(const struct cwi_update *update, bool blocking, cw_handle *handle);
  /* A fetch-and-add of 8 bytes without an answer, behind everything this process has started there.
   */
  cw_error (*notify)(const struct cwi_update *add);
  /* Remote completion of everything this process started to `process` (or to all). */
  cw_error (*fence)(int process);
  cw_error (*fence_all)(void);
  /* Send what is collected; NULL: nothing is. */
  cw_error (*push)(void);
  /* Wait until no operation of the present origin's can be passed by its next one there. */
  cw_error (*order)(int process);
  /* Attach to the handle the remote completion of what the present origin has started there. */
  cw_error (*flush_request)(int process, cw_handle *handle);
};

/* Add a checked contiguous run to memory of my node. */
void cwi_direct_accumulate(cw_type type, const void *scale, const void *local, void *remote,
                           size_t bytes);

/* The same for rows. */
void cwi_direct_accumulate_rows(cw_type type, const void *scale, const struct cwi_plane *plane);

/* Move the rows of a plane at once if plain loads and stores can do it. They return false, and have
 * moved nothing, if cwi_start_transfer has to do it, which also reports errors. */
bool cwi_try_put_rows(int process, const struct cwi_plane *plane);
bool cwi_try_get_rows(int process, const struct cwi_plane *plane);
bool cwi_try_accumulate_rows(cw_type type, const void *scale, int process,
                             const struct cwi_plane *plane);

/* A put or an accumulate of checked runs in the zone, of the length of the transfer's; its places
 * do not count. Each entry has its offset in the zone and, 8 bytes behind that, its data; from one
 * to the next it is `distance` bytes. */
void cwi_direct_entries(const struct cwi_transfer *transfer, const char *entries, size_t distance,
                        size_t count);

/* A fetching update of memory of my node. */
void cwi_direct_update(const struct cwi_update *update);

extern const struct cwi_route cwi_route_direct;
extern const struct cwi_route cwi_route_rma;

/* The route of a transfer to a process; and of an atomic update of an address there. *place: {0};
 * receives what was found out of the address. */
const struct cwi_route *cwi_transfer_route(const cw_transfer *transfer, struct cwi_location *place);
const struct cwi_route *cwi_atomic_route(int process, const void *remote,
                                         struct cwi_location *place);

/* Look up bytes by the route that a put of them takes. */
cw_error cwi_route_locate(int process, const void *address, size_t bytes,
                          struct cwi_location *place);

/* The same, at once, also where a route leaves it to whoever moves the bytes: for transfers that it
 * moves in parts. */
cw_error cwi_route_locate_now(int process, const void *address, size_t bytes,
                              struct cwi_location *place);

/* Of a transfer in the profile. NULL and operations that there are not are refused later. */
static inline enum cwi_call_class cwi_class_of_transfer(const cw_transfer *transfer)
{
  return transfer != NULL && (unsigned)transfer->operation <= CW_ACCUMULATE
             ? (enum cwi_call_class)transfer->operation
             : CWI_CALL_PUT;
}

/* Count a transfer that has bytes, for CW_STATS and for the profile. */
void cwi_note_transfer(cw_operation operation, enum cwi_where where, int process,
                       const struct cwi_shape *shape);

/* Check a transfer and start it by its route: what the public calls do. blocking: complete it
 * locally. handle: NULL: implicit. Errors: CW_MISUSE, CW_OUTSIDE. */
CWI_CHECKED cw_error cwi_start_transfer(const cw_transfer *transfer, bool blocking,
                                        cw_handle *handle);

/* The same for a fetching update. blocking: it is remotely complete on return; else what was there
 * has arrived once the handle is complete. Errors: CW_MISUSE, CW_OUTSIDE. */
CWI_CHECKED cw_error cwi_start_update(struct cwi_update *update, bool blocking, cw_handle *handle);

/* The same by a route that is known, with what is known of the place. */
CWI_CHECKED cw_error cwi_start_by(const struct cwi_route *route, const struct cwi_location *place,
                                  const cw_transfer *given, bool blocking, cw_handle *handle);

/* A fetching update of at least one element, by a route that is known. */
CWI_CHECKED cw_error cwi_update_by(const struct cwi_route *route, struct cwi_update *update,
                                   bool blocking, cw_handle *handle);

/* Is memory that handles name updated by MPI alone? */
bool cwi_memory_handles_by_mpi(void);

/* The route of a transfer to memory that a handle of the process names. */
const struct cwi_route *cwi_memory_handle_route(int owner, cw_operation operation);

/* Prepares for an operation on `process` by the route: completes what another route has outstanding
 * there. The operation follows, and then cwi_route_leave with *locked: in between no other thread
 * changes the route. Errors that the target reports for the other route's operations do not keep
 * this one back: the next fence returns them. Errors: CW_OUTSIDE if MPI fails; the operation must
 * not follow, nor cwi_route_leave. */
CWI_CHECKED cw_error cwi_route_enter(const struct cwi_route *route, int process, bool *locked);
void cwi_route_leave(bool locked);

/* Is the process a node peer, reached by loads and stores? */
static inline bool cwi_route_direct_reaches(int process)
{
  return cwi_settings.route != CWI_ROUTE_RMA && cwi_same_node(process);
}

/* The same of all members of a team. */
static inline bool cwi_route_direct_reaches_all(cw_team team)
{
  return cwi_settings.route != CWI_ROUTE_RMA && team->shared;
}

/* Does the route load and store, so that an operation is complete on return? */
static inline bool cwi_route_is_direct(const struct cwi_route *route)
{
  return route->where == CWI_PEER;
}

/* Where a transfer to the process by this route goes, for the statistics. */
static inline enum cwi_where cwi_route_where(const struct cwi_route *route, int process)
{
  return route->where == CWI_PEER && process == cwi_world.process ? CWI_OWN : route->where;
}

/* The same for fences: the usual way to the process; the farthest way there is. */
enum cwi_where cwi_fence_where(int process);
enum cwi_where cwi_fence_all_where(void);

/* Let MPI progress once in a while, on behalf of programs that spin on direct transfers. */
static inline void cwi_route_progress_sometimes(void)
{
  static __thread __attribute__((tls_model("initial-exec"))) unsigned transfers;
  if (CWI_UNLIKELY((++transfers & 1023u) == 0))
    cwi_mpi_progress();
}

/* A few bytes from or to a node peer that may be moved at once. */
static inline void cwi_route_move(void *to, const void *from, size_t bytes)
{
  cwi_route_progress_sometimes();
  if (bytes == 8)
    cwi_move_word(to, from);
  else
    cwi_copy(to, from, bytes);
}

/* These act for the present origin; if that is the process, for the origins of all threads.
 *
 * Send what routes collect. */
CWI_CHECKED cw_error cwi_routes_push(void);

/* Local completion of what was started to a process; -1: to all. */
CWI_CHECKED cw_error cwi_routes_finish(int process);

/* Remote completion of everything, by all routes. */
CWI_CHECKED cw_error cwi_routes_fence(int process);
CWI_CHECKED cw_error cwi_routes_fence_all(void);

/* Are there servers, which reach every process? */
bool cwi_routes_served(void);

/* Before an operation that must not pass the earlier ones of the present origin there. */
CWI_CHECKED cw_error cwi_routes_order(int process, cw_operation next);

/* Attach to the handle the remote completion of what the present origin has started to a process;
 * nothing, if it is complete. */
CWI_CHECKED cw_error cwi_routes_flush_request(int process, cw_handle *handle);

/* Can CW_ROUTE carry in this world? Local; all processes and server ranks find the same. Errors:
 * CW_MISUSE. */
CWI_CHECKED cw_error cwi_routes_check(void);

/* server: the route between nodes if they have servers; or NULL. */
CWI_CHECKED cw_error cwi_routes_start(const struct cwi_route *server);
CWI_CHECKED cw_error cwi_routes_stop(void);

/* After a start that failed: there is nothing of them. MPI's windows stay with MPI. Local. */
void cwi_routes_forget(void);

/* One sentence for cw-info: what was chosen and why. */
const char *cwi_routes_describe(void);

/* Route rma: start and stop. handles: it serves memory that handles name, too. */
CWI_CHECKED cw_error cwi_rma_start(bool handles);
CWI_CHECKED cw_error cwi_rma_stop(void);

/* After that, or after a start that failed, of the route or later. Local. */
void cwi_rma_forget(void);
#endif
