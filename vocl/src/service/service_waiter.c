/* Who waits for what vendors have of a queue: its own thread, or, as long as it is awake, the
 * session's reading thread. All that decides it changes with the lock, and whoever ends the reading
 * thread's part rings: no flight is without one that waits for it. */
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
