/* The origin's side of route server: starting and stopping, and the route's table.
 *
 * origin.c        the table: transfers become requests, in program order
 * fence.c         remote completion
 * updates.c       updates that are not remotely complete
 * errand.c        outstanding questions, and who waits for their answers
 * fetch.c         gets whose data comes back packed: several to a reply
 * fetch_update.c  updates that return the old value
 * bulk.c          long contiguous puts and gets, straight between the memories
 * ask.c           requests with a short answer
 * mutex.c         mutexes of other nodes
 * promise.c       requests for remote completion
 * request.c       requests
 * outbox.c        open packets, credits, sending */
#ifndef CWI_ROUTE_REMOTE_ORIGIN_H
#define CWI_ROUTE_REMOTE_ORIGIN_H

#include "route/route.h"

#ifdef __cplusplus
extern "C" {
#endif

extern const struct cwi_route cwi_route_server;

CWI_CHECKED cw_error cwi_remote_route_start(void);
CWI_CHECKED cw_error cwi_remote_route_stop(void);

#ifdef __cplusplus
}
#endif
#endif
