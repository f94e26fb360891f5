/* Fences: remote completion of what this process has sent to a node.
 *
 * A fence of the node may travel with what is open for it, in the same message: a program
 * that completes every single update at once, as many do, waits for one message instead of two. */
#ifndef CWI_ROUTE_SERVER_SERVER_FENCE_H
#define CWI_ROUTE_SERVER_SERVER_FENCE_H

#include "base/error.h"

CWI_CHECKED cw_error cwi_piggybacks_start(void);
void cwi_piggybacks_stop(void);

/* The next fence travels with what is open for the node now. */
CWI_CHECKED cw_error cwi_piggyback_begin(int node);

/* It cannot: what is open could not be sent. */
void cwi_piggyback_cancel(int node);

/* With the bookkeeping lock, which they let go while they wait. */
CWI_CHECKED cw_error cwi_fence_node(int node);
CWI_CHECKED cw_error cwi_fence_nodes(void);
#endif
