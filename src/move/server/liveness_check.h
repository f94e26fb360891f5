/* Liveness checks of other nodes' servers, made when a process waits for a long time. */
#pragma once

#include "base/error.h"
#include "link/wire_format.h"

/* Enables the checks: from now on, a process that waits for a long time makes its node's server
 * query the neighbours. Local. */
void cwi_liveness_allow(void);

/* Disables the checks, and waits until all queries are answered. All processes of the node call it
 * before the last barrier, because after that barrier the queried servers may have stopped. Local.
 */
void cwi_liveness_close(void);

/* The server's side. The server calls cwi_liveness_progress in each pass. */
void cwi_liveness_start(void);
void cwi_liveness_stop(void);
void cwi_liveness_progress(void);

/* Records a query from the neighbour on a link, and the failures that it reports. */
void cwi_liveness_received(int link, const struct cwi_request_batch *query);

/* Records that the neighbour on the link has answered. */
void cwi_liveness_answered(int link);

/* Ends the job because the node's server has not answered for CW_SERVER_TIMEOUT seconds. */
CWI_NORETURN void cwi_liveness_abort(int node);
