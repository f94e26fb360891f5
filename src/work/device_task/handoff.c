/* Handoff lists: tasks that go from a host worker to the device, and from the device to hosts. */
#include "device_task/planning.h"

#include <stdlib.h>
#include <string.h>

bool cwi_handoff_put(struct cwi_planning *planning, enum cwi_side side, struct cwi_slot_head head,
                     const void *body, double work, double seconds)
{
  struct cwi_handoff *handoff = &planning->handoffs[side];
  struct cwi_handed_task *task = malloc(sizeof *task + head.bytes);
  if (task == NULL)
    return false;
  *task = (struct cwi_handed_task){.work = work, .seconds = seconds, .head = head};
  if (head.bytes > 0)
    memcpy(task->body, body, head.bytes);
  if (handoff->first == NULL)
    handoff->first = task;
  else
    handoff->last->next = task;
  handoff->last = task;
  if (side == CWI_ON_DEVICE)
    cwi_placement_hold(&planning->placement, seconds);
  __atomic_store_n(&handoff->count, handoff->count + 1, __ATOMIC_RELAXED);
  return true;
}

static struct cwi_handed_task *handoff_first(struct cwi_planning *planning, enum cwi_side side)
{
  struct cwi_handoff *handoff = &planning->handoffs[side];
  struct cwi_handed_task *task = handoff->first;
  if (task == NULL)
    return NULL;
  handoff->first = task->next;
  if (side == CWI_ON_DEVICE)
    cwi_placement_release(&planning->placement, task->seconds);
  __atomic_store_n(&handoff->count, handoff->count - 1, __ATOMIC_RELAXED);
  return task;
}

static bool handoff_has(const struct cwi_planning *planning, enum cwi_side side)
{
  return __atomic_load_n(&planning->handoffs[side].count, __ATOMIC_RELAXED) > 0;
}

struct cwi_handed_task *cwi_handoff_take(struct cwi_planning *planning, enum cwi_side side)
{
  if (!handoff_has(planning, side))
    return NULL;
  pthread_mutex_lock(&planning->lock);
  struct cwi_handed_task *task = handoff_first(planning, side);
  pthread_mutex_unlock(&planning->lock);
  return task;
}

/* Takes the oldest task for the device if a host would end it sooner, or if the device no longer
 * takes tasks. Otherwise returns NULL. The caller holds the lock. */
static struct cwi_handed_task *handoff_sooner(struct cwi_worker *worker,
                                              struct cwi_planning *planning)
{
  const struct cwi_handed_task *oldest = planning->handoffs[CWI_ON_DEVICE].first;
  if (oldest == NULL)
    return NULL;
  const struct cwi_class *class = worker->classes[oldest->head.number].planned;
  const bool sooner = cwi_placement_host_takes(&planning->placement, &class->cost, oldest->work, 0);
  return sooner || !__atomic_load_n(&planning->serves, __ATOMIC_RELAXED)
             ? handoff_first(planning, CWI_ON_DEVICE)
             : NULL;
}

bool cwi_handoff_find(struct cwi_worker *worker)
{
  struct cwi_planning *planning = worker->pool->planning;
  if (!handoff_has(planning, CWI_ON_HOST) && !handoff_has(planning, CWI_ON_DEVICE))
    return false;
  pthread_mutex_lock(&planning->lock);
  worker->hand = handoff_first(planning, CWI_ON_HOST);
  if (worker->hand == NULL)
    worker->hand = handoff_sooner(worker, planning);
  pthread_mutex_unlock(&planning->lock);
  return worker->hand != NULL;
}

uint64_t cwi_tasks_waiting(cw_tasks pool)
{
  uint64_t count = 0;
  for (int i = 0; i < pool->worker_count; i++)
    count += __atomic_load_n(&pool->workers[i].waiting, __ATOMIC_RELAXED);
  return count;
}

void cwi_worker_publish_waiting(struct cwi_worker *worker)
{
  __atomic_store_n(&worker->waiting, cwi_queue_waiting(&worker->queue) + worker->overflow.count,
                   __ATOMIC_RELAXED);
}
