/* Choice of the thread that waits for the operations of a queue: its own thread or, while it is
 * awake, the session's reading thread. All state is protected by the session's lock. The reading
 * thread hands its queues over, with a signal, before it stops polling, so every operation has a
 * thread that waits for it. */
#include "service/service_session.h"

void vocl_service_choose_waiter(struct vocl_service_queue *queue)
{
  if (queue->session->polls && !queue->is_awaited)
    queue->is_polled = true;
  if (!queue->is_polled)
    pthread_cond_signal(&queue->work);
}

void vocl_service_hand_over_queue(struct vocl_service_queue *queue)
{
  if (!queue->is_polled)
    return;
  queue->is_polled = false;
  pthread_cond_signal(&queue->work);
}

void vocl_service_hand_over_queues(struct vocl_service *session)
{
  if (!session->polls)
    return;
  session->polls = false;
  for (struct vocl_service_queue *queue = session->queues; queue != NULL; queue = queue->next)
    vocl_service_hand_over_queue(queue);
}
