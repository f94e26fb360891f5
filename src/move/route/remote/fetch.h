/* Gets whose data comes back packed. */
#ifndef CWI_ROUTE_REMOTE_FETCH_H
#define CWI_ROUTE_REMOTE_FETCH_H

#include "base/check.h"
#include "transfer/handle.h"
#include "transfer/transfer.h"

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Start a get. blocking: the data is here on return. push: the request goes now. */
CWI_CHECKED cw_error cwi_fetch_run(const struct cwi_transfer *transfer, bool blocking, bool push,
                                   cw_handle *handle);
void cwi_fetches_stop(void);

#ifdef __cplusplus
}
#endif
#endif
