/* Fences: remote completion of the operations that this process has sent to a node.
 *
 * A fence may travel in the same message as the update that it completes (a piggybacked fence).
 * Many programs complete every single update at once. They then wait for one message instead of
 * two. */
#pragma once

#include "base/error.h"

/* Make and free the current origin's table of piggybacked fences. */
CWI_CHECKED cw_error cwi_piggybacks_start(void);
void cwi_piggybacks_stop(void);

/* Adds a fence to the open packet towards the node. The next cwi_fence_node receives its answer. */
CWI_CHECKED cw_error cwi_piggyback_begin(int node);

/* Withdraws the fence of cwi_piggyback_begin, because the packet could not be sent. */
void cwi_piggyback_cancel(int node);

/* Complete the updates of a node, or of all nodes, remotely. The caller holds the lock of the
 * current origin, which is released during waits. */
CWI_CHECKED cw_error cwi_fence_node(int node);
CWI_CHECKED cw_error cwi_fence_nodes(void);
