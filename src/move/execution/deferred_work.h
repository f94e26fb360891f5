/* What the server has left to agents of its node, and what waits behind that: other origins'
 * requests go on meanwhile. */
#ifndef CWI_EXECUTION_DEFERRED_WORK_H
#define CWI_EXECUTION_DEFERRED_WORK_H

#include "base/error.h"
#include "execution/request_buffer.h"
#include "link/wire_format.h"
#include "region/agent.h"

#include <stdbool.h>
#include <stddef.h>

/* Called when a agent_operation has ended, with what came of it. */
typedef void (*cwi_agent_operation_done)(void *context, cw_error error);
void cwi_agent_operations_add(struct cwi_agent_operation *agent_operation,
                              cwi_agent_operation_done done, void *context);
int cwi_agent_operations_count(void);

/* Let all of them go on, and tell nobody yet: for a server that waits for an agent itself. */
void cwi_agent_operations_advance(void);

/* Let all of them go on, and tell of those that have ended; false: none has. */
bool cwi_agent_operations_progress(void);

/* Parcels of one origin that wait, in order, until its first one has been executed. What a line
 * holds is copied, so that its messages' credits go back; beyond CWI_DEFERRED_QUEUE_MOST bytes it
 * stays in its buffer, and the origin's node cannot send for ever. */
enum { CWI_DEFERRED_QUEUE_MOST = 4 << 20 };

struct cwi_deferred_batch {
  char *data;
  size_t bytes;
  struct cwi_request_buffer *buffer; /* that holds the data; NULL: they are a copy, to be freed */
};

/* Open one: from now on its parcels wait. */
void cwi_deferred_queue_open(int origin);

/* Has the origin a line? Then the batch stands in it now. */
bool cwi_deferred_queue_join(int origin, struct cwi_request_buffer *buffer,
                             const struct cwi_request_batch *batch);

/* The next batch of an open line. False: there is none, and the line is closed. */
bool cwi_deferred_queue_next(int origin, struct cwi_deferred_batch *next);

/* What is to be executed later: a copy, in memory of its own. */
char *cwi_deferred_queue_copy(const char *data, size_t bytes);
#endif
