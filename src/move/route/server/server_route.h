/* The origin's side of the server route: starting and stopping, and the route's table.
 *
 * server_route.c          the table: transfers become requests, in program order
 * server_fence.c          remote completion
 * unfenced_updates.c      updates that are not remotely complete
 * pending_request.c       outstanding requests, and the operations that wait for their answers
 * packed_get.c            gets whose data comes back packed: several to a reply
 * server_update.c         updates that return the old value
 * bulk_transfer.c         long transfers of rows, with data messages of their own
 * server_query.c          requests with a short answer
 * server_mutex.c          mutexes of other nodes
 * server_flush_request.c  remote completion on a handle
 * server_request.c        requests, as an origin fills them
 * outbox.c                open packets, credits, sending */
#pragma once

#include "route/route.h"
#include "transfer/fetching_update.h"
#include "transfer/handle.h"
#include "transfer/transfer.h"

/* Start and stop the origin's side. Called in processes, not in server ranks. cwi_server_route_stop
 * ends the origins of all threads. */
CWI_CHECKED cw_error cwi_server_route_start(void);
CWI_CHECKED cw_error cwi_server_route_stop(void);

/* --- Operations of the route: packed_get.c, server_update.c, server_flush_request.c ------------
 */

/* Each file has a function that frees its records of the current origin: cwi_*_stop. */

/* Starts a get whose data comes back packed. If `blocking`, the data has arrived on return. If
 * `push`, the request is sent now. */
CWI_CHECKED cw_error cwi_packed_get_run(const struct cwi_transfer *transfer, bool blocking,
                                        bool push, cw_handle *handle);
void cwi_packed_gets_stop(void);

/* Runs an update that returns the old contents. The caller has ordered it after earlier
 * operations. If blocking, the old contents have arrived on return. The caller holds the lock of
 * the current origin, which is released during waits. */
CWI_CHECKED cw_error cwi_server_update_run(const struct cwi_update *update, bool blocking,
                                           cw_handle *handle);
void cwi_server_updates_stop(void);

/* Attaches to `handle` the remote completion of all updates that the current origin has started at
 * `process` so far. */
CWI_CHECKED cw_error cwi_server_flush_request(int process, cw_handle *handle);
void cwi_server_flush_requests_stop(void);
