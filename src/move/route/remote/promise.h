/* Requests for remote completion. */
#ifndef CWI_ROUTE_REMOTE_PROMISE_H
#define CWI_ROUTE_REMOTE_PROMISE_H

#include "base/check.h"

#include <causeway/transfer.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Attach to the handle the remote completion of this process's updates of a process so far. */
CWI_CHECKED cw_error cwi_server_promise(int process, cw_handle *handle);
void cwi_promises_stop(void);

#ifdef __cplusplus
}
#endif
#endif
