/* Fetching updates of other nodes: operands there, old contents back. */
#ifndef CWI_ROUTE_REMOTE_FETCH_UPDATE_H
#define CWI_ROUTE_REMOTE_FETCH_UPDATE_H

#include "base/check.h"
#include "transfer/handle.h"
#include "transfer/update.h"

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Run an update that is in order. blocking: what was there has arrived on return. With the
 * lock of the present origin, which it lets go while it waits. */
CWI_CHECKED cw_error cwi_fetch_update_run(const struct cwi_update *update, bool blocking,
                                          cw_handle *handle);
void cwi_fetch_updates_stop(void);

#ifdef __cplusplus
}
#endif
#endif
