/* Agent operations of the server in progress, and the queues of batches that wait for them. */
#include "execution/deferred_work.h"

#include "execution/async_operations.h"
#include "mpi/mpi_progress.h"

#include <stdlib.h>
#include <string.h>

static void *deferred_take_memory(size_t bytes)
{
  void *memory = malloc(bytes > 0 ? bytes : 1);
  if (memory == NULL)
    cwi_abort("the server has no memory for requests that wait for an agent", 1);
  return memory;
}

/* --- Agent operations ------------------------------------------------------------------------- */

struct under_way {
  struct cwi_agent_operation *agent_operation;
  cwi_agent_operation_done done;
  void *context;
  bool ended;
  struct under_way *next;
};

static struct under_way *agent_operations; /* the newest first */
static int operation_count;

void cwi_agent_operations_add(struct cwi_agent_operation *agent_operation,
                              cwi_agent_operation_done done, void *context)
{
  struct under_way *under_way = deferred_take_memory(sizeof *under_way);
  *under_way = (struct under_way){agent_operation, done, context, false, agent_operations};
  agent_operations = under_way;
  operation_count++;
}

int cwi_agent_operations_count(void)
{
  return operation_count;
}

void cwi_agent_operations_advance(void)
{
  for (struct under_way *each = agent_operations; each != NULL; each = each->next)
    each->ended = each->ended || each->agent_operation->advance(each->agent_operation);
}

/* Advances all operations and finishes those that have ended. A `done` function may add operations.
 * They are put at the front of the list, and this pass does not visit them. */
bool cwi_agent_operations_progress(void)
{
  cwi_agent_operations_advance();
  struct under_way *ended = NULL, **last = &ended;
  for (struct under_way **link = &agent_operations; *link != NULL;) {
    struct under_way *under_way = *link;
    if (!under_way->ended) {
      link = &under_way->next;
      continue;
    }
    *link = under_way->next;
    under_way->next = NULL;
    *last = under_way;
    last = &under_way->next;
    operation_count--;
  }
  const bool some = ended != NULL;
  while (ended != NULL) {
    struct under_way *under_way = ended;
    ended = under_way->next;
    under_way->done(under_way->context,
                    under_way->agent_operation->end(under_way->agent_operation));
    free(under_way);
  }
  return some;
}

/* --- Queues ----------------------------------------------------------------------------------- */

struct in_queue {
  struct cwi_deferred_batch batch;
  struct in_queue *next;
};

struct origin_queue {
  int origin;
  size_t copied; /* bytes of copies in the queue */
  struct in_queue *first, *last;
  struct origin_queue *next;
};

static struct origin_queue *origin_queues;

char *cwi_deferred_queue_copy(const char *data, size_t bytes)
{
  char *copy = deferred_take_memory(bytes);
  memcpy(copy, data, bytes);
  return copy;
}

static struct origin_queue **find_queue(int origin)
{
  struct origin_queue **link = &origin_queues;
  while (*link != NULL && (*link)->origin != origin)
    link = &(*link)->next;
  return link;
}

void cwi_deferred_queue_open(int origin)
{
  struct origin_queue *origin_queue = deferred_take_memory(sizeof *origin_queue);
  *origin_queue = (struct origin_queue){.origin = origin, .next = origin_queues};
  origin_queues = origin_queue;
}

/* Copies the batch. If the copies in the queue would exceed CWI_DEFERRED_QUEUE_MOST bytes, keeps
 * its buffer in use instead. */
static struct cwi_deferred_batch keep(struct origin_queue *origin_queue,
                                      struct cwi_request_buffer *buffer,
                                      const struct cwi_request_batch *batch)
{
  const char *data = (const char *)batch;
  if (batch->bytes > CWI_DEFERRED_QUEUE_MOST - origin_queue->copied) {
    buffer->parts++;
    return (struct cwi_deferred_batch){(char *)(uintptr_t)data, batch->bytes, buffer};
  }
  origin_queue->copied += batch->bytes;
  return (struct cwi_deferred_batch){cwi_deferred_queue_copy(data, batch->bytes), batch->bytes,
                                     NULL};
}

bool cwi_deferred_queue_join(int origin, struct cwi_request_buffer *buffer,
                             const struct cwi_request_batch *batch)
{
  struct origin_queue *origin_queue = *find_queue(origin);
  if (CWI_LIKELY(origin_queue == NULL))
    return false;
  struct in_queue *last = deferred_take_memory(sizeof *last);
  *last = (struct in_queue){keep(origin_queue, buffer, batch), NULL};
  if (origin_queue->first == NULL)
    origin_queue->first = last;
  else
    origin_queue->last->next = last;
  origin_queue->last = last;
  return true;
}

bool cwi_deferred_queue_next(int origin, struct cwi_deferred_batch *next)
{
  struct origin_queue **link = find_queue(origin), *origin_queue = *link;
  CWI_ASSERT(origin_queue != NULL);
  struct in_queue *first = origin_queue->first;
  if (first == NULL) {
    *link = origin_queue->next;
    free(origin_queue);
    return false;
  }
  *next = first->batch;
  origin_queue->first = first->next;
  origin_queue->copied -= next->buffer == NULL ? next->bytes : 0;
  free(first);
  return true;
}
