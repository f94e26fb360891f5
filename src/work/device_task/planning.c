/* The data of a pool for classes with a plan: creation and end. */
#include "device_task/planning.h"

#include "device_task/accelerator.h"
#include "machine/machine.h"
#include "team/world.h"

#include <stdlib.h>

static size_t default_cache_bytes(void)
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
  pthread_mutex_init(&planning->constant_cache.lock, NULL);
  pthread_mutex_init(&planning->underway.lock, NULL);
  pthread_cond_init(&planning->constant_cache.arrival, NULL);
  planning->constant_cache.most =
      pool->options.cache > 0 ? pool->options.cache : default_cache_bytes();
  planning->placement.requested = pool->options.where;
  planning->placement.hosts = pool->options.threads;
  pool->planning = planning;
  pool->find_handed = cwi_handoff_find;
  return CW_OK;
}

void cwi_planning_end(cw_tasks pool)
{
  struct cwi_planning *planning = pool->planning;
  if (planning == NULL)
    return;
  cwi_accelerator_close(planning->accelerator);
  cwi_constant_cache_clear(&planning->constant_cache);
  pthread_cond_destroy(&planning->constant_cache.arrival);
  pthread_mutex_destroy(&planning->constant_cache.lock);
  pthread_mutex_destroy(&planning->underway.lock);
  pthread_mutex_destroy(&planning->lock);
  free(planning);
  pool->planning = NULL;
  pool->find_handed = NULL;
}

void cwi_planning_phase_over(cw_tasks pool)
{
  if (pool->planning == NULL)
    return;
  cwi_constant_cache_clear(&pool->planning->constant_cache);
  cwi_accelerator_forget(pool->planning->accelerator);
}
