/* Routes: how a transfer reaches its target. A route is a const table of functions; each has a
 * folder.
 *
 * route_choice.c         the array of routes, and which of them an operation takes
 * direct_reach.c         which processes are reached directly, without further checks
 * deferred_errors.c      errors that a later fence or wait returns
 * transfer_count.c       counting transfers
 * transfer_calls.c       the public transfers
 * wait_calls.c           the public calls that wait for started operations
 * update_calls.c         fetching updates, for the calls of modules above
 * region_calls.c         freeing a region
 * memory_handle_calls.c  memory handles, and transfers to the memory that they name */
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

/* Uses of a route: the kind of an operation, and of the memory that it touches. Accumulates to host
 * memory and to memory that a handle names are updates, as atomic updates are; those to devices are
 * transfers.
 */
enum cwi_route_use {
  CWI_HOST_TRANSFER,
  CWI_HOST_UPDATE,
  CWI_HANDLE_TRANSFER,
  CWI_HANDLE_UPDATE,
  CWI_DEVICE_TRANSFER,
  CWI_DEVICE_UPDATE,
  CWI_ROUTE_USES
};

/* Which operations of one use on one process a route can run: with CWI_REACH_SOME, those that its
 * `carries` accepts. */
enum cwi_route_reach { CWI_REACH_NONE, CWI_REACH_SOME, CWI_REACH_ALL };

/* One route. The functions up to `locate_now` act for the present origin (mpi/origin.h); their
 * arguments have been checked. The choice calls the others. */
struct cwi_route {
  const char *name;
  enum cwi_where where; /* kind of way: to node peers, or by rma or server */
  cwi_locate_function locate;
  /* Moves a checked transfer. If blocking, it is locally complete on return. Else what is pending
   * is attached to `handle`, or is implicit if that is NULL. */
  cw_error (*start)(const struct cwi_transfer *transfer, bool blocking, cw_handle *handle);
  /* Runs a checked update, ordered behind what was started before. If blocking, it is remotely
   * complete and `before` is filled on return. Else it is attached to `handle`; its operands have
   * been copied. */
  cw_error (*update)(const struct cwi_update *update, bool blocking, cw_handle *handle);
  /* Adds an operand of 8 bytes to a counter without an answer, behind everything that this process
   * has started at that process. */
  cw_error (*notify)(const struct cwi_update *add);
  /* Waits until everything that the origin started to `process`, or to all if -1, is remotely
   * complete. NULL if operations by the route are so on return. */
  cw_error (*fence)(int process);
  /* Sends the operations that the route has collected. NULL if the route collects none. */
  cw_error (*push)(void);
  /* Waits until the next operation of the present origin at `process` cannot overtake an earlier
   * one. If NULL, completing the earlier ones serves that. */
  cw_error (*order)(int process);
  /* Attaches to the handle the remote completion of what the present origin has started at
   * `process`. */
  cw_error (*flush_request)(int process, cw_handle *handle);
  /* Like `locate`, but leaves nothing to be checked later. NULL if `locate` does the same. */
  cwi_locate_function locate_now;
  bool of_threads; /* threads with origins of their own use the route for themselves */
  /* Decides whether the world uses the route, and starts it then. Collective over the world. NULL
   * if every world uses it. `close` stops it; `forget` frees what is left after `close`, or after a
   * failed start of this route or of a later part, and is local. Both may be NULL. */
  cw_error (*open)(bool *used);
  cw_error (*close)(void);
  void (*forget)(void);
  /* Called at start only, for each process. */
  enum cwi_route_reach (*reaches)(int process, enum cwi_route_use use);
  /* Returns true if the route can run the operation at `remote`: the transfer, or an atomic update
   * if that is NULL. *place receives what was found about the address. */
  bool (*carries)(int process, const void *remote, const cw_transfer *transfer,
                  struct cwi_location *place);
};

/* Adds a checked contiguous run to memory of my node. */
void cwi_direct_accumulate(cw_type type, const void *scale, const void *local, void *remote,
                           size_t bytes);

/* Like cwi_direct_accumulate, for the rows of a plane. */
void cwi_direct_accumulate_rows(cw_type type, const void *scale, const struct cwi_plane *plane);

/* Move the rows of a plane at once if plain loads and stores can do it. Return false, and have
 * moved nothing, if the caller has to call cwi_start_transfer, which also reports errors. */
bool cwi_try_put_rows(int process, const struct cwi_plane *plane);
bool cwi_try_get_rows(int process, const struct cwi_plane *plane);
bool cwi_try_accumulate_rows(cw_type type, const void *scale, int process,
                             const struct cwi_plane *plane);

/* Puts or accumulates `count` checked runs in the zone. `transfer` gives their length, operation
 * and type; its addresses are not used. An entry is the run's offset in the zone, followed 8 bytes
 * later by its data; entries are `distance` bytes apart. */
void cwi_direct_entries(const struct cwi_transfer *transfer, const char *entries, size_t distance,
                        size_t count);

/* Runs a fetching update of memory of my node. */
void cwi_direct_update(const struct cwi_update *update);

extern const struct cwi_route cwi_route_direct, cwi_route_rma, cwi_route_server;

/* The route to memory of my node that a handle names; transfer->place.memory comes from
 * cwi_memory_handle_resolve. The route to device slices of processes of my node. Everything is
 * complete on return. */
extern const struct cwi_route cwi_route_memory_handle, cwi_route_device;

/* The route of atomic updates of device memory: its `locate` rejects all of them. */
extern const struct cwi_route cwi_route_device_updates;

/* Return the route of a transfer, and of an atomic update of `remote` at `process`. *place must be
 * {0}; it receives what was found about the address. */
const struct cwi_route *cwi_transfer_route(const cw_transfer *transfer, struct cwi_location *place);
const struct cwi_route *cwi_atomic_route(int process, const void *remote,
                                         struct cwi_location *place);

/* Looks up `bytes` bytes at `address` as the route of a put would. */
cw_error cwi_route_locate(int process, const void *address, size_t bytes,
                          struct cwi_location *place);

/* Like cwi_route_locate, but also checks device memory now, which its route otherwise leaves to the
 * thread that moves the bytes. For transfers that are split. */
cw_error cwi_route_locate_now(int process, const void *address, size_t bytes,
                              struct cwi_location *place);

/* Returns the profile class of a transfer. Invalid transfers count as puts here; later checks
 * reject them. */
static inline enum cwi_call_class cwi_class_of_transfer(const cw_transfer *transfer)
{
  return transfer != NULL && (unsigned)transfer->operation <= CW_ACCUMULATE
             ? (enum cwi_call_class)transfer->operation
             : CWI_CALL_PUT;
}

/* Counts a transfer of at least one byte, for CW_STATS and for the profile. */
void cwi_note_transfer(cw_operation operation, enum cwi_where where, int process,
                       const struct cwi_shape *shape);

/* Checks a transfer and starts it by its route, as the public calls do. If blocking, completes it
 * locally. If handle is NULL, the transfer is implicit. Errors: CW_MISUSE, CW_OUTSIDE. */
CWI_CHECKED cw_error cwi_start_transfer(const cw_transfer *transfer, bool blocking,
                                        cw_handle *handle);

/* Checks a fetching update and starts it by its route. If blocking, it is remotely complete on
 * return; else the old contents have arrived once the handle is complete. Errors: CW_MISUSE,
 * CW_OUTSIDE. */
CWI_CHECKED cw_error cwi_start_update(struct cwi_update *update, bool blocking, cw_handle *handle);

/* Like cwi_start_transfer, with the route given and with what is known about the place. */
CWI_CHECKED cw_error cwi_start_by(const struct cwi_route *route, const struct cwi_location *place,
                                  const cw_transfer *given, bool blocking, cw_handle *handle);

/* Checks and starts a fetching update of at least one element by the given route. */
CWI_CHECKED cw_error cwi_update_by(const struct cwi_route *route, struct cwi_update *update,
                                   bool blocking, cw_handle *handle);

/* Returns the route of a transfer to memory that a handle of process `owner` names. */
const struct cwi_route *cwi_memory_handle_route(int owner, cw_operation operation);

/* Prepares for an operation on `process` by the route: completes what another route has outstanding
 * there. The operation follows, and then cwi_route_leave with *locked: in between no other thread
 * changes the route. Errors that the target reports for the other route's operations do not keep
 * this one back: the next fence returns them. Errors: CW_OUTSIDE if MPI fails; the operation must
 * not follow, nor cwi_route_leave. */
CWI_CHECKED cw_error cwi_route_enter(const struct cwi_route *route, int process, bool *locked);
void cwi_route_leave(bool locked);

/* Returns true if the process is a node peer that loads and stores reach. */
static inline bool cwi_route_direct_reaches(int process)
{
  return cwi_settings.route != CWI_ROUTE_RMA && cwi_same_node(process);
}

/* Returns true if loads and stores reach all members of the team. */
static inline bool cwi_route_direct_reaches_all(cw_team team)
{
  return cwi_settings.route != CWI_ROUTE_RMA && team->shared;
}

/* Returns true if the route loads and stores, so that an operation is complete on return. */
static inline bool cwi_route_is_direct(const struct cwi_route *route)
{
  return route->where == CWI_PEER;
}

/* Returns where a transfer to the process by this route goes, for the statistics. */
static inline enum cwi_where cwi_route_where(const struct cwi_route *route, int process)
{
  return route->where == CWI_PEER && process == cwi_world.process ? CWI_OWN : route->where;
}

/* Return where fences go: by the usual way to the process; by the farthest way in use. */
enum cwi_where cwi_fence_where(int process);
enum cwi_where cwi_fence_all_where(void);

/* Lets MPI progress once in a while, for programs that spin on direct transfers. */
static inline void cwi_route_progress_sometimes(void)
{
  static __thread __attribute__((tls_model("initial-exec"))) unsigned transfers;
  if (CWI_UNLIKELY((++transfers & 1023u) == 0))
    cwi_mpi_progress();
}

/* Moves a few bytes from or to a node peer. */
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
 * Sends what routes have collected. */
CWI_CHECKED cw_error cwi_routes_push(void);

/* Waits for the local completion of what was started to `process`, or to all if -1. */
CWI_CHECKED cw_error cwi_routes_finish(int process);

/* Wait for the remote completion of everything, by all routes. */
CWI_CHECKED cw_error cwi_routes_fence(int process);
CWI_CHECKED cw_error cwi_routes_fence_all(void);

/* Orders the operation `next`, about to start, behind the earlier ones of the present origin at the
 * process. */
CWI_CHECKED cw_error cwi_routes_order(int process, cw_operation next);

/* Attaches to the handle the remote completion of what the present origin has started to a process.
 * Attaches nothing if all is complete. */
CWI_CHECKED cw_error cwi_routes_flush_request(int process, cw_handle *handle);

/* Checks that CW_ROUTE works in this world. Local; all processes and server ranks get the same
 * result. Errors: CW_MISUSE. */
CWI_CHECKED cw_error cwi_routes_check(void);

/* Start and stop the routes. `served` means that nodes have servers. Collective over the world. */
CWI_CHECKED cw_error cwi_routes_start(bool served);
CWI_CHECKED cw_error cwi_routes_stop(void);

/* Frees everything after a start that failed. MPI's windows stay allocated. Local. */
void cwi_routes_forget(void);

/* Returns one sentence for cw-info: which routes were chosen, and why. */
const char *cwi_routes_describe(void);
#endif
