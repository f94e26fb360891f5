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
#pragma once

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
 * memory, or to memory that a handle names, count as updates, like atomic updates. Accumulates to
 * device memory count as transfers. */
enum cwi_route_use {
  CWI_HOST_TRANSFER,
  CWI_HOST_UPDATE,
  CWI_HANDLE_TRANSFER,
  CWI_HANDLE_UPDATE,
  CWI_DEVICE_TRANSFER,
  CWI_DEVICE_UPDATE,
  CWI_ROUTE_USES
};

/* The operations of one use on one process that a route can run. CWI_REACH_SOME means those that
 * the route's `carries` accepts. */
enum cwi_route_reach { CWI_REACH_NONE, CWI_REACH_SOME, CWI_REACH_ALL };

/* One route. The functions up to `locate_now` act for the current origin (mpi/origin.h); their
 * arguments have been checked. Only route_choice.c calls the others. */
struct cwi_route {
  const char *name;
  enum cwi_where where; /* class of the route in statistics: node peers, rma or server */
  cwi_locate_function locate;
  /* Starts a checked transfer. If `blocking`, it is locally complete on return. Otherwise its
   * pending operations are attached to `handle`, or are implicit if `handle` is NULL. */
  cw_error (*start)(const struct cwi_transfer *transfer, bool blocking, cw_handle *handle);
  /* Starts a checked update, ordered behind earlier operations. If `blocking`, it is remotely
   * complete on return, and update->before is filled. Otherwise it is attached to `handle`, and its
   * operands have been copied on return. */
  cw_error (*update)(const struct cwi_update *update, bool blocking, cw_handle *handle);
  /* Adds an operand of 8 bytes to a counter, after everything that this process has started at the
   * counter's process. Does not return the old value. */
  cw_error (*notify)(const struct cwi_update *add);
  /* Waits until everything that the origin has started at `process` (at all processes if -1) is
   * remotely complete. NULL if operations of the route are remotely complete on return. */
  cw_error (*fence)(int process);
  /* Sends the operations that the route has collected. NULL if the route collects none. */
  cw_error (*push)(void);
  /* Waits until the next operation of the current origin at `process` cannot overtake an earlier
   * one. If NULL, the caller completes the earlier ones instead. */
  cw_error (*order)(int process);
  /* Attaches to `handle` the remote completion of everything that the current origin has started at
   * `process`. */
  cw_error (*flush_request)(int process, cw_handle *handle);
  /* Like `locate`, but leaves no check for later. NULL if `locate` leaves none, either. */
  cwi_locate_function locate_now;
  bool of_threads; /* threads with their own origins use the route for these origins, too */
  /* `open` decides whether the world uses the route, and starts it if so. It is collective over the
   * world, or NULL if every world uses the route. `close` stops the route. `forget` frees what is
   * left after `close`, or after a failed start of this route or of a later part; it is local. Both
   * may be NULL. */
  cw_error (*open)(bool *used);
  cw_error (*close)(void);
  void (*forget)(void);
  /* Returns which operations of one use on `process` the route can run. Called at start only. */
  enum cwi_route_reach (*reaches)(int process, enum cwi_route_use use);
  /* Returns true if the route can run the operation at `remote`: `transfer`, or an atomic update if
   * `transfer` is NULL. *place receives what was found about the address. */
  bool (*carries)(int process, const void *remote, const cw_transfer *transfer,
                  struct cwi_location *place);
};

/* Adds a checked contiguous run to memory of my node. */
void cwi_direct_accumulate(cw_type type, const void *scale, const void *local, void *remote,
                           size_t bytes);

/* Like cwi_direct_accumulate, for the rows of a plane. */
void cwi_direct_accumulate_rows(cw_type type, const void *scale, const struct cwi_plane *plane);

/* Move the rows of a plane at once and return true if plain loads and stores can do it. Otherwise
 * move nothing and return false. The caller then calls cwi_start_transfer, which also reports
 * errors. */
bool cwi_try_put_rows(int process, const struct cwi_plane *plane);
bool cwi_try_get_rows(int process, const struct cwi_plane *plane);
bool cwi_try_accumulate_rows(cw_type type, const void *scale, int process,
                             const struct cwi_plane *plane);

/* Puts or accumulates `count` checked runs in the zone. `transfer` gives their length, operation
 * and type; its addresses are not used. An entry has the offset of a run in the zone (8 bytes),
 * then the data of the run. Entries are `distance` bytes apart. */
void cwi_direct_entries(const struct cwi_transfer *transfer, const char *entries, size_t distance,
                        size_t count);

/* Runs a fetching update of memory of my node. */
void cwi_direct_update(const struct cwi_update *update);

extern const struct cwi_route cwi_route_direct, cwi_route_rma, cwi_route_server;

/* cwi_route_memory_handle reaches memory of my node that a handle names; transfer->place.memory
 * comes from cwi_memory_handle_resolve. cwi_route_device reaches device slices of processes of my
 * node. Operations of both are complete on return. */
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

/* Like cwi_route_locate, but also checks device memory now. The device route otherwise leaves that
 * check to the thread that moves the bytes. Used for transfers that are split. */
cw_error cwi_route_locate_now(int process, const void *address, size_t bytes,
                              struct cwi_location *place);

/* Returns the profile class of a transfer. Invalid transfers count as puts here; later checks
 * reject them. */
static inline cw_call_class cwi_class_of_transfer(const cw_transfer *transfer)
{
  return transfer != NULL && (unsigned)transfer->operation <= CW_ACCUMULATE
             ? (cw_call_class)transfer->operation
             : CW_CALL_PUT;
}

/* Counts a transfer of at least one byte, for CW_STATS and for the profile. */
void cwi_note_transfer(cw_operation operation, enum cwi_where where, int process,
                       const struct cwi_shape *shape);

/* Checks a transfer and starts it by its route, as the public calls do. If `blocking`, waits for
 * its local completion. If `handle` is NULL, the transfer is implicit. Errors: CW_MISUSE,
 * CW_OUTSIDE. */
CWI_CHECKED cw_error cwi_start_transfer(const cw_transfer *transfer, bool blocking,
                                        cw_handle *handle);

/* Checks a fetching update and starts it by its route. If `blocking`, the update is remotely
 * complete on return. Otherwise the old contents have arrived once the handle is complete. Errors:
 * CW_MISUSE, CW_OUTSIDE. */
CWI_CHECKED cw_error cwi_start_update(struct cwi_update *update, bool blocking, cw_handle *handle);

/* Like cwi_start_transfer, but by the given route. `place` has what is already known about the
 * remote address. */
CWI_CHECKED cw_error cwi_start_by(const struct cwi_route *route, const struct cwi_location *place,
                                  const cw_transfer *given, bool blocking, cw_handle *handle);

/* Checks and starts a fetching update of at least one element by the given route. */
CWI_CHECKED cw_error cwi_update_by(const struct cwi_route *route, struct cwi_update *update,
                                   bool blocking, cw_handle *handle);

/* Returns the route of a transfer to memory that a handle of process `owner` names. */
const struct cwi_route *cwi_memory_handle_route(int owner, cw_operation operation);

/* Prepares for an operation on `process` by `route`. If another route has operations outstanding
 * there, completes them first. The caller then starts its operation and calls
 * cwi_route_leave(*locked); between the two calls no other thread changes the route. An error that
 * the target reports for the completed operations is not returned here: the next fence returns it.
 * Errors: CW_OUTSIDE if MPI fails. The caller must then neither start its operation nor call
 * cwi_route_leave. */
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

/* Returns the class of a transfer to the process by this route, for the statistics. */
static inline enum cwi_where cwi_route_where(const struct cwi_route *route, int process)
{
  return route->where == CWI_PEER && process == cwi_world.process ? CWI_OWN : route->where;
}

/* Return the class of a fence of the process, and of a fence of all processes, for the statistics.
 * A fence of several routes counts for the last route in use. */
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

/* The next four functions act for the current origin. If the current origin is the process's, they
 * act for the origins of all threads, too.
 *
 * cwi_routes_push sends the operations that routes have collected. */
CWI_CHECKED cw_error cwi_routes_push(void);

/* Waits for the local completion of everything that was started at `process` (at all processes if
 * -1). */
CWI_CHECKED cw_error cwi_routes_finish(int process);

/* Wait for the remote completion of everything that was started at `process` (at all processes if
 * -1), or at all processes, by all routes. */
CWI_CHECKED cw_error cwi_routes_fence(int process);
CWI_CHECKED cw_error cwi_routes_fence_all(void);

/* Orders the operation `next`, which is about to start at `process`, behind the earlier operations
 * of the current origin there. */
CWI_CHECKED cw_error cwi_routes_order(int process, cw_operation next);

/* Attaches to `handle` the remote completion of everything that the current origin has started at
 * `process`. Attaches nothing if everything is complete. */
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
