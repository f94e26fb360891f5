/* Gets whose data comes back packed. */
#ifndef CWI_ROUTE_SERVER_PACKED_GET_H
#define CWI_ROUTE_SERVER_PACKED_GET_H

#include "base/error.h"
#include "transfer/handle.h"
#include "transfer/transfer.h"

#include <stdbool.h>

/* Starts a get. If `blocking`, the data has arrived on return. If `push`, the request is sent
 * now. */
CWI_CHECKED cw_error cwi_packed_get_run(const struct cwi_transfer *transfer, bool blocking,
                                        bool push, cw_handle *handle);
/* Frees the records of the current origin. */
void cwi_packed_gets_stop(void);
#endif
