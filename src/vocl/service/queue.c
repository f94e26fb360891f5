/* Queues: what waits in them, what their vendors have, and who waits for their end. */
#include "service/session.h"

#include <stdlib.h>

void cwi_service_queue_append(struct cwi_service_queue *queue, struct cwi_service_command *command)
{
  struct cwi_service *session = queue->session;
  cwi_service_hold(&queue->object);
  cwi_service_hold(&command->object);
  command->queue = queue;
  command->serial = ++queue->serial;
  if (queue->last != NULL)
    queue->last->next = command;
  else
    queue->first = command;
  queue->last = command;
  session->waiting++;
  cwi_service_count(&queue->load->unfinished, 1);
}

void cwi_service_queue_fly(struct cwi_service_queue *queue, struct cwi_service_flight *flight)
{
  if (queue->last_flight != NULL)
    queue->last_flight->next = flight;
  else
    queue->first_flight = flight;
  queue->last_flight = flight;
  queue->flights++;
  cwi_service_await(queue);
}

void cwi_service_begin_work(struct cwi_service *session)
{
  for (struct cwi_service_queue *queue = session->queues; queue != NULL; queue = queue->next) {
    if (queue->is_dirty && !queue->has_ended)
      cwi_native_flush(queue->object.native);
    queue->is_dirty = false;
  }
}

/* Those that finish wait for what was there when they began. */
void cwi_service_queue_tell(struct cwi_service_queue *queue)
{
  const uint64_t first = queue->first_flight != NULL ? queue->first_flight->command->serial
                         : queue->first != NULL      ? queue->first->serial
                                                     : UINT64_MAX;
  while (queue->finishes != NULL && queue->finishes->serial < first) {
    struct cwi_service_finish *finish = queue->finishes;
    queue->finishes = finish->next;
    cwi_service_answer(queue->session, finish->ticket, CL_SUCCESS);
    free(finish);
  }
}

/* --- messages --- */

static struct cwi_service_queue *queue_named(struct cwi_service *session, const void *message,
                                             size_t bytes, cl_int *code)
{
  const struct cwi_say_numbers *said = message;
  const bool is_there = bytes >= sizeof *said + sizeof *said->numbers && said->count == 1;
  *code = CL_INVALID_VALUE;
  return is_there ? (struct cwi_service_queue *)cwi_service_resolve(session, said->numbers[0],
                                                                    CWI_QUEUE, code)
                  : NULL;
}

bool cwi_service_flush(struct cwi_service *session, const void *message, size_t bytes)
{
  cl_int code = CL_SUCCESS;
  struct cwi_service_queue *queue = queue_named(session, message, bytes, &code);
  if (queue != NULL)
    queue->is_dirty = true;
  else if (code == CL_INVALID_VALUE)
    return cwi_service_wild(session, "a queue to flush");
  cwi_service_answer(session, ((const struct cwi_said *)message)->ticket,
                     queue != NULL ? CL_SUCCESS : code);
  return true;
}

bool cwi_service_finish(struct cwi_service *session, const void *message, size_t bytes)
{
  const uint64_t ticket = ((const struct cwi_said *)message)->ticket;
  cl_int code = CL_SUCCESS;
  struct cwi_service_queue *queue = queue_named(session, message, bytes, &code);
  if (queue == NULL && code == CL_INVALID_VALUE)
    return cwi_service_wild(session, "a queue to finish");
  struct cwi_service_finish *finish = queue != NULL ? malloc(sizeof *finish) : NULL;
  if (finish == NULL) {
    cwi_service_answer(session, ticket, queue == NULL ? code : CL_OUT_OF_HOST_MEMORY);
    return true;
  }
  *finish = (struct cwi_service_finish){.ticket = ticket, .serial = queue->serial};
  struct cwi_service_finish **place = &queue->finishes;
  while (*place != NULL)
    place = &(*place)->next;
  *place = finish;
  cwi_service_queue_tell(queue);
  return true;
}
