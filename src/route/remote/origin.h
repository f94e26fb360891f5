/* The origin's side of route server.
 *
 * origin.c   the route's table: transfers become requests, in program order; fences
 * fetch.c    gets whose data comes back packed: several to a reply
 * bulk.c     long contiguous puts and gets, straight between the memories, and what they must not
 *            overtake or be overtaken by
 * ask.c      requests with a short answer: read-modify-write, mutexes, queries, fences
 * outbox.c   open packets, credits, sending */
#ifndef CWI_ROUTE_REMOTE_ORIGIN_H
#define CWI_ROUTE_REMOTE_ORIGIN_H

#include "route/remote/outbox.h"
#include "route/route.h"
#include "transfer/cut.h"

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Single runs up to this go as entries of a list, which the next one may extend. */
enum { CWI_LIST_RUN = 512 };

/* A request for a piece of a process's memory. */
struct cwi_request cwi_request_for(enum cwi_wire_operation operation, int process,
                                   const struct cwi_plane *piece);

/* Can the packet's last request take this piece as one more entry of its list? */
bool cwi_packet_extends(const struct cwi_packet *packet, int node,
                        const struct cwi_request *request);

/* --- fetch.c ---------------------------------------------------------------------------------- */

/* Start a get. blocking: the data is here on return. push: the request goes now. */
CWI_CHECKED cw_error cwi_fetch_run(const struct cwi_transfer *transfer, bool blocking, bool push,
                                   cw_handle *handle);
CWI_CHECKED cw_error cwi_fetch_close(struct cwi_packet *packet);
void cwi_fetches_stop(void);

/* --- bulk.c ----------------------------------------------------------------------------------- */

bool cwi_is_bulk(const struct cwi_transfer *transfer);
CWI_CHECKED cw_error cwi_bulk_run(const struct cwi_transfer *transfer, bool blocking,
                                  cw_handle *handle);

/* Wait for the bulk transfers that an operation on [begin, end) of a process must follow. */
CWI_CHECKED cw_error cwi_bulk_order(int process, uintptr_t begin, uintptr_t end, bool reads);

/* Wait until the bulk puts to a node have arrived; -1: to all nodes. */
CWI_CHECKED cw_error cwi_bulk_fence(int node);

/* --- ask.c ------------------------------------------------------------------------------------ */

/* Send a request behind what is open for the node, and wait for its answer. Refusals of earlier
 * requests are errors here. */
CWI_CHECKED cw_error cwi_ask(int node, struct cwi_request *request, bool patient, int64_t *value);

/* Remote completion of my updates at all nodes in the list; one round trip, all at a time. */
CWI_CHECKED cw_error cwi_ask_fences(const int *nodes, int count);

/* The server has refused a get: why. */
CWI_CHECKED cw_error cwi_ask_refusal(int node);

/* A fence of the node travels with what is open for it now, in the same message: who completes
 * every single update at once, as many programs do, waits for one message instead of two. */
CWI_CHECKED cw_error cwi_ride_begin(int node);

/* Wait for the answer of such a fence, if one is on its way (*rode). */
CWI_CHECKED cw_error cwi_ride_end(int node, bool *rode);
bool cwi_ride_goes(int node);
CWI_CHECKED cw_error cwi_rides_start(void);
void cwi_rides_stop(void);

/* --- origin.c --------------------------------------------------------------------------------- */

/* An update of a node is on its way: fences have to look there. */
void cwi_origin_touch(int node);

/* How many there have been. */
uint32_t cwi_origin_updates(int node);

/* A question asked after so many has been answered. Requests of an origin are executed in turn: all
 * of those updates are complete, and if there were no more, fences need not look there. */
void cwi_origin_answered(int node, uint32_t updates);

#ifdef __cplusplus
}
#endif
#endif
