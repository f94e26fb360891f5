/* Fetching updates of other nodes: operands travel there, old contents come back. */
#ifndef CWI_ROUTE_SERVER_SERVER_UPDATE_H
#define CWI_ROUTE_SERVER_SERVER_UPDATE_H

#include "base/error.h"
#include "transfer/fetching_update.h"
#include "transfer/handle.h"

#include <stdbool.h>

/* Runs an update, which the caller has ordered behind earlier operations. If blocking, the old
 * contents have arrived on return. The caller holds the lock of the current origin, which is
 * released during waits. */
CWI_CHECKED cw_error cwi_server_update_run(const struct cwi_update *update, bool blocking,
                                           cw_handle *handle);
void cwi_server_updates_stop(void);
#endif
