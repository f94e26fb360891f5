/* What a pool has for classes with a plan: its making and its end. For the rest of the room. */
#include "task/planning.h"

#include "base/machine.h"
#include "task/accelerator.h"
#include "team/world.h"

#include <stdlib.h>

static size_t usual_keep(void)
{
  enum { SHARE = 16 };
  return cwi_machine_memory() / SHARE / (size_t)cwi_world.node_processes;
}

cw_error cwi_planning_begin(cw_tasks pool)
{
  if (pool->planning != NULL)
    return CW_OK;
  struct cwi_planning *planning = calloc(1, sizeof *planning);
  if (planning == NULL)
    return cwi_outside("no memory for classes with a plan");
  pthread_mutex_init(&planning->lock, NULL);
  pthread_mutex_init(&planning->keep.lock, NULL);
  pthread_mutex_init(&planning->underway.lock, NULL);
  pthread_cond_init(&planning->keep.arrival, NULL);
  planning->keep.most = pool->options.cache > 0 ? pool->options.cache : usual_keep();
  planning->where.wish = pool->options.where;
  planning->where.hosts = pool->options.threads;
  pool->planning = planning;
  return CW_OK;
}

void cwi_planning_end(cw_tasks pool)
{
  struct cwi_planning *planning = pool->planning;
  if (planning == NULL)
    return;
  cwi_accelerator_close(planning->accelerator);
  cwi_keep_clear(&planning->keep);
  pthread_cond_destroy(&planning->keep.arrival);
  pthread_mutex_destroy(&planning->keep.lock);
  pthread_mutex_destroy(&planning->underway.lock);
  pthread_mutex_destroy(&planning->lock);
  free(planning);
  pool->planning = NULL;
}

void cwi_planning_phase_over(cw_tasks pool)
{
  if (pool->planning == NULL)
    return;
  cwi_keep_clear(&pool->planning->keep);
  cwi_accelerator_forget(pool->planning->accelerator);
}
