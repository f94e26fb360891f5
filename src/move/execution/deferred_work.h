/* Operations that agents of the server's node perform, and requests that wait until these
 * operations have ended. Requests of other origins continue meanwhile. */
#pragma once

#include "base/error.h"
#include "execution/request_buffer.h"
#include "link/wire_format.h"
#include "region/agent.h"

#include <stdbool.h>
#include <stddef.h>

/* Function that is called with the result when an agent operation has ended. */
typedef void (*cwi_agent_operation_done)(void *context, cw_error error);
void cwi_agent_operations_add(struct cwi_agent_operation *agent_operation,
                              cwi_agent_operation_done done, void *context);
int cwi_agent_operations_count(void);

/* Advances all operations, but calls no `done` function. Called while the server itself waits for
 * an agent. */
void cwi_agent_operations_advance(void);

/* Advances all operations, and calls `done` for those that have ended. Returns true if any has
 * ended. */
bool cwi_agent_operations_progress(void);

/* If a batch of an origin waits for an agent, the origin's later batches wait in a queue, in order.
 * The queue holds copies of the batches, so that the credits of their messages can be returned.
 * When the copies reach CWI_DEFERRED_QUEUE_MOST bytes, further batches stay in the buffers of their
 * messages. Their credits are not returned then, which limits what the origin's node can send. */
enum { CWI_DEFERRED_QUEUE_MOST = 4 << 20 };

/* A batch that waits. */
struct cwi_deferred_batch {
  char *data;
  size_t bytes;
  struct cwi_request_buffer *
      buffer; /* the buffer that holds the data; NULL if `data` is a copy that the receiver frees */
};

/* Opens a queue: from now on the origin's batches wait in it. */
void cwi_deferred_queue_open(int origin);

/* Appends the batch to the origin's queue. Returns false if the origin has no queue. */
bool cwi_deferred_queue_join(int origin, struct cwi_request_buffer *buffer,
                             const struct cwi_request_batch *batch);

/* Takes the next batch of an open queue. If there is none, closes the queue and returns false. */
bool cwi_deferred_queue_next(int origin, struct cwi_deferred_batch *next);

/* Returns a copy of requests that are to be executed later. The caller frees it. */
char *cwi_deferred_queue_copy(const char *data, size_t bytes);
