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
#ifndef CWI_ROUTE_SERVER_SERVER_ROUTE_H
#define CWI_ROUTE_SERVER_SERVER_ROUTE_H

#include "route/route.h"

/* Start and stop the origin's side. Called in processes, not in server ranks. cwi_server_route_stop
 * ends the origins of all threads. */
CWI_CHECKED cw_error cwi_server_route_start(void);
CWI_CHECKED cw_error cwi_server_route_stop(void);
#endif
