/* Bulk transfers: long transfers of rows, whose data has a message of its own. */
#pragma once

#include "base/error.h"
#include "transfer/footprint.h"
#include "transfer/handle.h"
#include "transfer/transfer.h"

#include <stdbool.h>
#include <stddef.h>

/* Upper bound on the bytes of a fragment that is packed on either side, or accumulated, if no agent
 * moves it. */
enum { CWI_BULK_FRAGMENT = 1 << 19 };

/* Frees the spare records of the current origin. */
void cwi_bulks_stop(void);

/* Returns true if the transfer is long enough to be a bulk transfer. */
bool cwi_is_bulk(const struct cwi_transfer *transfer);
/* Starts a bulk transfer. The caller has ordered it by cwi_bulk_order and holds the lock of the
 * current origin, which is released during waits. If blocking, it is locally complete on return;
 * else it is attached to `handle`. */
CWI_CHECKED cw_error cwi_bulk_run(const struct cwi_transfer *transfer, bool blocking,
                                  cw_handle *handle);

/* Wait for the bulk transfers that must not be overtaken by an operation of this `kind`
 * (transfer/ordering_kind.h) on this memory of a process. */
CWI_CHECKED cw_error cwi_bulk_order(int process, const struct cwi_footprint *footprint, int kind);
CWI_CHECKED cw_error cwi_bulk_order_run(int process, const void *remote, size_t bytes, int kind);

/* Waits until the bulk updates of a process have arrived. Called before a short update, since the
 * target may take that update as the sign that the earlier data has arrived. */
CWI_CHECKED cw_error cwi_bulk_arrived(int process);

/* Waits for all bulk transfers of a process, gets included. */
CWI_CHECKED cw_error cwi_bulk_settle(int process);

/* cwi_bulk_count returns the number of bulk transfers so far. cwi_bulk_have_arrived sets *arrived
 * to true if, of the first `count` bulk transfers, all updates of `process` have arrived, else to
 * false. If `wait`, it waits until they have arrived. */
unsigned long cwi_bulk_count(void);
CWI_CHECKED cw_error cwi_bulk_have_arrived(int process, unsigned long count, bool wait,
                                           bool *arrived);

/* Waits until the bulk updates of a node (of all nodes if -1) have arrived. */
CWI_CHECKED cw_error cwi_bulk_fence(int node);

/* Prepares a notification of `process`. Sets *behind to true if bulk updates of the process are
 * outstanding. The server must then hold the notification back until these have arrived, and
 * operations that are issued to the process from now on wait for them at the origin. If bulk
 * updates of other processes of the node are outstanding, waits until all bulk updates of the node
 * have arrived, and sets *behind to false. Otherwise the server would hold the notification back
 * for the updates of other processes, too, which its order does not need. */
CWI_CHECKED cw_error cwi_bulk_notify_behind(int process, bool *behind);

/* Waits until the data of all bulk updates of a process has left. MPI then needs no further calls
 * of the origin to deliver it. */
CWI_CHECKED cw_error cwi_bulk_leave(int process);
