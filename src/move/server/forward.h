/* Parcels for other nodes: queues, aggregation, credits. */
#ifndef CWI_SERVER_FORWARD_H
#define CWI_SERVER_FORWARD_H

#include "execution/request_buffer.h"
#include "link/wire_format.h"

#include <stdbool.h>
#include <stddef.h>

void cwi_forward_start(void);
void cwi_forward_stop(void);

/* Queue a batch for its next hop: it lies in buffer->data. */
void cwi_forward(struct cwi_request_buffer *buffer, struct cwi_request_batch *batch);
bool cwi_forward_progress(void);

/* Send a message that is not forwarded: a copy. The caller has taken a credit for it, if it needs
 * one. False: no memory for it now. */
bool cwi_forward_copy(int link, const void *message, size_t bytes);
#endif
