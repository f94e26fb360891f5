/* Command queues of a session: the commands that wait in them, the operations that vendors have,
 * and the replies to clFlush and clFinish. */
#include "handler/handler.h"

#include <stdlib.h>

void vocl_service_queue_append(struct vocl_service_queue *queue,
                               struct vocl_service_command *command)
{
  struct vocl_service *session = queue->session;
  vocl_service_object_ref(&queue->object);
  vocl_service_object_ref(&command->object);
  command->queue = queue;
  command->serial = ++queue->serial;
  if (queue->last != NULL)
    queue->last->next = command;
  else
    queue->first = command;
  queue->last = command;
  session->waiting++;
  vocl_service_count(&queue->load->unfinished, 1);
}

void vocl_service_queue_add_operation(struct vocl_service_queue *queue,
                                      struct vocl_service_operation *operation)
{
  if (queue->last_operation != NULL)
    queue->last_operation->next = operation;
  else
    queue->first_operation = operation;
  queue->last_operation = operation;
  queue->operations++;
  vocl_service_choose_waiter(queue);
}

void vocl_service_flush_queues(struct vocl_service *session)
{
  for (struct vocl_service_queue *queue = session->queues; queue != NULL; queue = queue->next) {
    if (queue->is_dirty && !queue->has_ended)
      vocl_native_flush(queue->object.native);
    queue->is_dirty = false;
  }
}

/* Replies to each clFinish whose commands are done. A clFinish waits for the commands that were in
 * the queue when it was called. */
void vocl_service_queue_report(struct vocl_service_queue *queue)
{
  const uint64_t first = queue->first_operation != NULL ? queue->first_operation->command->serial
                         : queue->first != NULL         ? queue->first->serial
                                                        : UINT64_MAX;
  while (queue->finishes != NULL && queue->finishes->serial < first) {
    struct vocl_service_finish *finish = queue->finishes;
    queue->finishes = finish->next;
    vocl_service_reply(queue->session, finish->ticket, CL_SUCCESS);
    free(finish);
  }
}

/* --- messages --- */

static struct vocl_service_queue *queue_named(struct vocl_service *session, const void *message,
                                              size_t bytes, cl_int *code)
{
  const struct vocl_msg_numbers *msg = message;
  const bool is_there = bytes >= sizeof *msg + sizeof *msg->numbers && msg->count == 1;
  *code = CL_INVALID_VALUE;
  return is_there ? (struct vocl_service_queue *)vocl_service_object_resolve(
                        session, msg->numbers[0], VOCL_QUEUE, code)
                  : NULL;
}

bool vocl_on_flush(struct vocl_service *session, const void *message, size_t bytes)
{
  cl_int code = CL_SUCCESS;
  struct vocl_service_queue *queue = queue_named(session, message, bytes, &code);
  if (queue != NULL)
    queue->is_dirty = true;
  else if (code == CL_INVALID_VALUE)
    return vocl_service_protocol_error(session, "a queue to flush");
  vocl_service_reply(session, ((const struct vocl_msg_header *)message)->ticket,
                     queue != NULL ? CL_SUCCESS : code);
  return true;
}

bool vocl_service_finish(struct vocl_service *session, const void *message, size_t bytes)
{
  const uint64_t ticket = ((const struct vocl_msg_header *)message)->ticket;
  cl_int code = CL_SUCCESS;
  struct vocl_service_queue *queue = queue_named(session, message, bytes, &code);
  if (queue == NULL && code == CL_INVALID_VALUE)
    return vocl_service_protocol_error(session, "a queue to finish");
  struct vocl_service_finish *finish = queue != NULL ? malloc(sizeof *finish) : NULL;
  if (finish == NULL) {
    vocl_service_reply(session, ticket, queue == NULL ? code : CL_OUT_OF_HOST_MEMORY);
    return true;
  }
  *finish = (struct vocl_service_finish){.ticket = ticket, .serial = queue->serial};
  struct vocl_service_finish **place = &queue->finishes;
  while (*place != NULL)
    place = &(*place)->next;
  *place = finish;
  vocl_service_queue_report(queue);
  return true;
}
