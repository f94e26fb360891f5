/* Liveness checks of other nodes' servers, made when a process waits long for anything. */
#ifndef CWI_SERVER_LIVENESS_CHECK_H
#define CWI_SERVER_LIVENESS_CHECK_H

#include "base/error.h"

/* Makes processes that wait long have their server check its neighbours, from now on. Local. */
void cwi_liveness_allow(void);

/* Ends the checks, and waits until all queries are answered. All processes of the node call it
 * before the last barrier: after that, the server that a query is for may have stopped. Local. */
void cwi_liveness_close(void);

/* The server's side; progress is called in each pass of the server. */
void cwi_liveness_start(void);
void cwi_liveness_stop(void);
void cwi_liveness_progress(void);

/* Notes a query of a neighbour. `forwards` is the number of nodes that have passed the check on
 * since the node that began it. */
void cwi_liveness_received(unsigned forwards);

/* Notes that the neighbour on the link has answered. */
void cwi_liveness_answered(int link);

/* Ends the job because the node's server has not answered for CW_SERVER_TIMEOUT seconds. */
CWI_NORETURN void cwi_liveness_abort(int node);
#endif
