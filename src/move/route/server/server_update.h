/* Fetching updates of other nodes: operands there, old contents back. */
#ifndef CWI_ROUTE_SERVER_SERVER_UPDATE_H
#define CWI_ROUTE_SERVER_SERVER_UPDATE_H

#include "base/error.h"
#include "transfer/fetching_update.h"
#include "transfer/handle.h"

#include <stdbool.h>

/* Run an update that is in order. blocking: what was there has arrived on return. With the
 * lock of the present origin, which it lets go while it waits. */
CWI_CHECKED cw_error cwi_server_update_run(const struct cwi_update *update, bool blocking,
                                           cw_handle *handle);
void cwi_server_updates_stop(void);
#endif
