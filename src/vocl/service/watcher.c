/* Who waits for what vendors have of a queue: its own thread, or, as long as it is awake, the
 * session's reading thread. All that decides it changes with the lock, and whoever ends the reading
 * thread's part rings: no flight is without one that waits for it. */
#include "service/session.h"

void cwi_service_await(struct cwi_service_queue *queue)
{
  if (queue->session->attends && !queue->is_awaited)
    queue->is_attended = true;
  if (!queue->is_attended)
    pthread_cond_signal(&queue->work);
}

void cwi_service_leave_queue(struct cwi_service_queue *queue)
{
  if (!queue->is_attended)
    return;
  queue->is_attended = false;
  pthread_cond_signal(&queue->work);
}

void cwi_service_leave_work(struct cwi_service *session)
{
  if (!session->attends)
    return;
  session->attends = false;
  for (struct cwi_service_queue *queue = session->queues; queue != NULL; queue = queue->next)
    cwi_service_leave_queue(queue);
}
