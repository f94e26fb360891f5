/* Long contiguous puts and gets. */
#ifndef CWI_ROUTE_REMOTE_BULK_H
#define CWI_ROUTE_REMOTE_BULK_H

#include "base/check.h"
#include "transfer/handle.h"
#include "transfer/transfer.h"

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

void cwi_bulks_stop(void);

bool cwi_is_bulk(const struct cwi_transfer *transfer);
CWI_CHECKED cw_error cwi_bulk_run(const struct cwi_transfer *transfer, bool blocking,
                                  cw_handle *handle);

/* Wait for the bulk transfers that an operation on [begin, end) of a process must follow. */
CWI_CHECKED cw_error cwi_bulk_order(int process, uintptr_t begin, uintptr_t end, bool reads);

/* Wait until the bulk puts to a node have arrived; -1: to all nodes. */
CWI_CHECKED cw_error cwi_bulk_fence(int node);

#ifdef __cplusplus
}
#endif
#endif
