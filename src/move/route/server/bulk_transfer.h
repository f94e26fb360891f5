/* Long transfers of rows. */
#ifndef CWI_ROUTE_SERVER_BULK_TRANSFER_H
#define CWI_ROUTE_SERVER_BULK_TRANSFER_H

#include "base/error.h"
#include "transfer/footprint.h"
#include "transfer/handle.h"
#include "transfer/transfer.h"

#include <stdbool.h>
#include <stddef.h>

/* The most bytes of a fragment that is packed on either side, or summed, without an agent. */
enum { CWI_BULK_FRAGMENT = 1 << 19 };

void cwi_bulks_stop(void);

bool cwi_is_bulk(const struct cwi_transfer *transfer);
CWI_CHECKED cw_error cwi_bulk_run(const struct cwi_transfer *transfer, bool blocking,
                                  cw_handle *handle);

/* Wait for the bulk transfers that an operation of a kind (transfer/ordering_kind.h) on this memory
 * of a process must follow. */
CWI_CHECKED cw_error cwi_bulk_order(int process, const struct cwi_footprint *footprint, int kind);
CWI_CHECKED cw_error cwi_bulk_order_run(int process, const void *remote, size_t bytes, int kind);

/* Wait until the bulk updates of a process have arrived: it may take a short update that follows
 * for the sign that they have. */
CWI_CHECKED cw_error cwi_bulk_arrived(int process);

/* Wait for all bulk transfers of a process: what follows must pass none of them. */
CWI_CHECKED cw_error cwi_bulk_settle(int process);

/* The bulk transfers so far; have the updates of a process among them arrived? wait: until then. */
unsigned long cwi_bulk_count(void);
CWI_CHECKED cw_error cwi_bulk_have_arrived(int process, unsigned long count, bool wait, bool *come);

/* Wait until the bulk updates of a node have arrived; -1: of all nodes. */
CWI_CHECKED cw_error cwi_bulk_fence(int node);

/* A notification of a process is about to be sent. *behind: its server must keep it back until the
 * bulk updates of the process are there; what is issued to the process from now on waits for them
 * here. Where other processes of the node have some under way, too, they have arrived on return:
 * the server would keep the notification back for longer than what this process does next there. */
CWI_CHECKED cw_error cwi_bulk_notify_behind(int process, bool *behind);

/* Wait until the data of a process's bulk updates has left: MPI brings it without this process. */
CWI_CHECKED cw_error cwi_bulk_leave(int process);
#endif
