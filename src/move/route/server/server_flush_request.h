/* Flush requests: remote completion that a handle waits for. */
#ifndef CWI_ROUTE_SERVER_SERVER_FLUSH_REQUEST_H
#define CWI_ROUTE_SERVER_SERVER_FLUSH_REQUEST_H

#include "base/error.h"

#include <causeway/transfer.h>

/* Attaches to `handle` the remote completion of all updates that the current origin has started at
 * `process` so far. */
CWI_CHECKED cw_error cwi_server_flush_request(int process, cw_handle *handle);
void cwi_server_flush_requests_stop(void);
#endif
