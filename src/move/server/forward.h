/* Forwarding of batches to other nodes: queues, aggregation, credits. */
#ifndef CWI_SERVER_FORWARD_H
#define CWI_SERVER_FORWARD_H

#include "execution/request_buffer.h"
#include "link/wire_format.h"

#include <stdbool.h>
#include <stddef.h>

/* Make and free the queues. Nothing may wait at the stop. */
void cwi_forward_start(void);
void cwi_forward_stop(void);

/* cwi_forward queues a batch, which lies in buffer->data, for its next hop; the part keeps the
 * buffer in use. cwi_forward_progress sends what has credits, and returns true if it sent anything.
 */
void cwi_forward(struct cwi_request_buffer *buffer, struct cwi_request_batch *batch);
bool cwi_forward_progress(void);

/* Sends a copy of a message from this node. The caller has taken a credit for it, if it needs one.
 * Returns false if there is no memory now. */
bool cwi_forward_copy(int link, const void *message, size_t bytes);
#endif
