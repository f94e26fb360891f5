/* Shelves: tasks that go from a host worker to the device, and from there to hosts. For both. */
#include "task/planning.h"

#include <stdlib.h>
#include <string.h>

bool cwi_shelf_lay(struct cwi_planning *planning, enum cwi_side side, struct cwi_slot_head head,
                   const void *body, double work, double seconds)
{
  struct cwi_shelf *shelf = &planning->shelves[side];
  struct cwi_shelved *task = malloc(sizeof *task + head.bytes);
  if (task == NULL)
    return false;
  *task = (struct cwi_shelved){.work = work, .seconds = seconds, .head = head};
  if (head.bytes > 0)
    memcpy(task->body, body, head.bytes);
  if (shelf->first == NULL)
    shelf->first = task;
  else
    shelf->last->next = task;
  shelf->last = task;
  if (side == CWI_ON_DEVICE)
    cwi_where_hold(&planning->where, seconds);
  __atomic_store_n(&shelf->count, shelf->count + 1, __ATOMIC_RELAXED);
  return true;
}

static struct cwi_shelved *shelf_first(struct cwi_planning *planning, enum cwi_side side)
{
  struct cwi_shelf *shelf = &planning->shelves[side];
  struct cwi_shelved *task = shelf->first;
  if (task == NULL)
    return NULL;
  shelf->first = task->next;
  if (side == CWI_ON_DEVICE)
    cwi_where_release(&planning->where, task->seconds);
  __atomic_store_n(&shelf->count, shelf->count - 1, __ATOMIC_RELAXED);
  return task;
}

static bool shelf_has(const struct cwi_planning *planning, enum cwi_side side)
{
  return __atomic_load_n(&planning->shelves[side].count, __ATOMIC_RELAXED) > 0;
}

struct cwi_shelved *cwi_shelf_take(struct cwi_planning *planning, enum cwi_side side)
{
  if (!shelf_has(planning, side))
    return NULL;
  pthread_mutex_lock(&planning->lock);
  struct cwi_shelved *task = shelf_first(planning, side);
  pthread_mutex_unlock(&planning->lock);
  return task;
}

/* The oldest that lies there for the device, if a host ends it sooner, or there is no device any
 * more. The lock is held. */
static struct cwi_shelved *shelf_sooner(struct cwi_worker *worker, struct cwi_planning *planning)
{
  const struct cwi_shelved *oldest = planning->shelves[CWI_ON_DEVICE].first;
  if (oldest == NULL)
    return NULL;
  const struct cwi_class *class = worker->classes[oldest->head.number].planned;
  const bool sooner = cwi_where_host_takes(&planning->where, &class->pace, oldest->work, 0);
  return sooner || !__atomic_load_n(&planning->serves, __ATOMIC_RELAXED)
             ? shelf_first(planning, CWI_ON_DEVICE)
             : NULL;
}

bool cwi_shelf_find(struct cwi_worker *worker)
{
  struct cwi_planning *planning = worker->pool->planning;
  if (!shelf_has(planning, CWI_ON_HOST) && !shelf_has(planning, CWI_ON_DEVICE))
    return false;
  pthread_mutex_lock(&planning->lock);
  worker->hand = shelf_first(planning, CWI_ON_HOST);
  if (worker->hand == NULL)
    worker->hand = shelf_sooner(worker, planning);
  pthread_mutex_unlock(&planning->lock);
  return worker->hand != NULL;
}

uint64_t cwi_tasks_waiting(cw_tasks pool)
{
  uint64_t count = 0;
  for (int i = 0; i < pool->crew; i++)
    count += __atomic_load_n(&pool->workers[i].waiting, __ATOMIC_RELAXED);
  return count;
}

void cwi_worker_tell_waiting(struct cwi_worker *worker)
{
  __atomic_store_n(&worker->waiting, cwi_queue_waiting(&worker->queue) + worker->overflow.count,
                   __ATOMIC_RELAXED);
}
