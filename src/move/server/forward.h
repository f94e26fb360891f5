/* Forwarding of batches to other nodes: queues, aggregation, credits. */
#pragma once

#include "execution/request_buffer.h"
#include "link/wire_format.h"

#include <stdbool.h>
#include <stddef.h>

/* Allocate and free the queues. They must be empty when cwi_forward_stop is called. */
void cwi_forward_start(void);
void cwi_forward_stop(void);

/* cwi_forward queues a batch in buffer->data for its next hop. The queue entry keeps the buffer in
 * use until it is sent. cwi_forward_progress sends queued batches on the links that have credits,
 * and returns true if it sent any. */
void cwi_forward(struct cwi_request_buffer *buffer, struct cwi_request_batch *batch);
bool cwi_forward_progress(void);

/* Sends a copy of a message from this node. If the message needs a credit, the caller has taken it.
 * Returns false if there is no memory for the copy now. */
bool cwi_forward_copy(int link, const void *message, size_t bytes);
