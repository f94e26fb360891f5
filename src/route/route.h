/* Routes: how a transfer reaches its target. A route is a const table of functions. */
#ifndef CWI_ROUTE_ROUTE_H
#define CWI_ROUTE_ROUTE_H

#include "base/check.h"
#include "base/statistics.h"
#include "memory/region.h"
#include "mpi/call.h"
#include "route/ready.h"
#include "team/world.h"
#include "transfer/handle.h"
#include "transfer/transfer.h"

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum cwi_rmw_operation { CWI_FETCH_ADD, CWI_SWAP, CWI_COMPARE_SWAP };

/* One read-modify-write. Values of 4-byte operations travel in the low half, sign-extended. */
struct cwi_rmw {
  enum cwi_rmw_operation operation;
  int width; /* 4 or 8 */
  int process;
  void *remote;
  struct cwi_remote place; /* of remote, as `locate` found it */
  int64_t value;
  int64_t expected; /* compare-and-swap */
};

struct cwi_route {
  const char *name;
  enum cwi_where where; /* how far it reaches: node peers, or by what */
  cwi_locate_function locate;
  /* Move a checked transfer. blocking: complete locally before return. Else: attach what is pending
   * to handle (NULL: implicit). */
  cw_error (*start)(const struct cwi_transfer *transfer, bool blocking, cw_handle *handle);
  /* Checked and aligned. *before receives the old value (sign-extended). Remotely complete. */
  cw_error (*rmw)(const struct cwi_rmw *rmw, int64_t *before);
  /* A fetch-and-add of 8 bytes without an answer, behind everything this process has started there.
   */
  cw_error (*notify)(const struct cwi_rmw *add);
  /* Remote completion of everything this process started to `process` (or to all). */
  cw_error (*fence)(int process);
  cw_error (*fence_all)(void);
  /* Send what is collected; NULL: nothing is. */
  cw_error (*push)(void);
};

/* Add a checked contiguous run to memory of my node. */
void cwi_direct_accumulate(cw_type type, const void *scale, const void *local, void *remote,
                           size_t bytes);

/* The same for rows. */
void cwi_direct_accumulate_rows(cw_type type, const void *scale, const struct cwi_plane *plane);

extern const struct cwi_route cwi_route_direct;
extern const struct cwi_route cwi_route_window;

/* The route of a transfer to a process; and of an atomic update of an address there. *place: {0};
 * receives what was found out of the address. */
const struct cwi_route *cwi_transfer_route(const cw_transfer *transfer, struct cwi_remote *place);
const struct cwi_route *cwi_atomic_route(int process, const void *remote, struct cwi_remote *place);

/* Check a transfer and start it by its route: what the public calls do. blocking: complete it
 * locally. handle: NULL: implicit. Errors: CW_MISUSE, CW_OUTSIDE. */
CWI_CHECKED cw_error cwi_start_transfer(const cw_transfer *transfer, bool blocking,
                                        cw_handle *handle);

/* Before an operation of this route: complete what another route has outstanding at the target.
 * From here until the operation has started no other thread changes the route: leave, unless this
 * failed.
 */
CWI_CHECKED cw_error cwi_route_enter(const struct cwi_route *route, int process);
void cwi_route_leave(const struct cwi_route *route);

/* Is the process a node peer, reached by loads and stores? */
static inline bool cwi_route_direct_reaches(int process)
{
  return cwi_settings.route != CWI_ROUTE_WINDOW && cwi_same_node(process);
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
static inline void cwi_route_breathe(void)
{
  static __thread __attribute__((tls_model("initial-exec"))) unsigned transfers;
  if (CWI_UNLIKELY((++transfers & 1023u) == 0))
    cwi_mpi_progress();
}

/* Send what routes collect. */
CWI_CHECKED cw_error cwi_routes_push(void);

/* Remote completion of everything, by all routes. */
CWI_CHECKED cw_error cwi_routes_fence(int process);
CWI_CHECKED cw_error cwi_routes_fence_all(void);

/* server: the route between nodes if they have servers; or NULL. */
CWI_CHECKED cw_error cwi_routes_start(const struct cwi_route *server);
CWI_CHECKED cw_error cwi_routes_stop(void);

/* One sentence for cw-info: what was chosen and why. */
const char *cwi_routes_describe(void);

/* Route window: start and stop. */
CWI_CHECKED cw_error cwi_window_start(void);
CWI_CHECKED cw_error cwi_window_stop(void);

#ifdef __cplusplus
}
#endif
#endif
