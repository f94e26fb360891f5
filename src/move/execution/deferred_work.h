/* Operations that agents of the server's node do, and requests that wait behind them. Requests of
 * other origins continue meanwhile. */
#ifndef CWI_EXECUTION_DEFERRED_WORK_H
#define CWI_EXECUTION_DEFERRED_WORK_H

#include "base/error.h"
#include "execution/request_buffer.h"
#include "link/wire_format.h"
#include "region/agent.h"

#include <stdbool.h>
#include <stddef.h>

/* Called with the result when an agent operation has ended. */
typedef void (*cwi_agent_operation_done)(void *context, cw_error error);
void cwi_agent_operations_add(struct cwi_agent_operation *agent_operation,
                              cwi_agent_operation_done done, void *context);
int cwi_agent_operations_count(void);

/* Advances all operations without finishing any: for a server that itself waits for an agent. */
void cwi_agent_operations_advance(void);

/* Advances all operations, and calls `done` for those that have ended. Returns false if none has.
 */
bool cwi_agent_operations_progress(void);

/* Batches of one origin that wait, in order, until its first one has been executed. The batches in
 * a queue are copied, so that the credits of their messages go back. Beyond CWI_DEFERRED_QUEUE_MOST
 * bytes a batch stays in its message's buffer: then credits run out, which limits what the origin's
 * node can send. */
enum { CWI_DEFERRED_QUEUE_MOST = 4 << 20 };

/* A batch that waits. */
struct cwi_deferred_batch {
  char *data;
  size_t bytes;
  struct cwi_request_buffer *
      buffer; /* buffer that holds the data, or NULL if they are a copy, which the receiver frees */
};

/* Opens a queue: from now on the origin's batches wait in it. */
void cwi_deferred_queue_open(int origin);

/* Appends the batch if the origin has a queue; returns false if it has none. */
bool cwi_deferred_queue_join(int origin, struct cwi_request_buffer *buffer,
                             const struct cwi_request_batch *batch);

/* Takes the next batch of an open queue. If there is none, closes the queue and returns false. */
bool cwi_deferred_queue_next(int origin, struct cwi_deferred_batch *next);

/* Copies data that is to be executed later into memory of its own, which the caller frees. */
char *cwi_deferred_queue_copy(const char *data, size_t bytes);
#endif
