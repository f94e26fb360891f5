/* Flush requests: remote completion that a handle waits for. */
#ifndef CWI_ROUTE_SERVER_SERVER_FLUSH_REQUEST_H
#define CWI_ROUTE_SERVER_SERVER_FLUSH_REQUEST_H

#include "base/error.h"

#include <causeway/transfer.h>

/* Attaches to the handle the remote completion of this process's updates of a process so far. */
CWI_CHECKED cw_error cwi_server_flush_request(int process, cw_handle *handle);
void cwi_server_flush_requests_stop(void);
#endif
