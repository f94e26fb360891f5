/* Distributes tasks by Causeway's task pool. It is used when scf is built on libcwga. A task starts
 * on the process that has the data it reads first, and a process without tasks steals from others.
 * A process runs its cheapest tasks first, so that thieves get expensive tasks, which are worth the
 * transfer. */
#include "error.h"
#include "work.h"

#include <causeway.h>
#include <ga.h>
#include <stdio.h>
#include <stdlib.h>

struct pool {
  const struct work_list *list;
  cw_tasks tasks;
  int number;   /* number of the task class */
  long *mine;   /* tasks that start on this process, in order of decreasing cost */
  size_t count; /* number of these tasks */
};

static cw_error task_run(const cw_task *task, void *argument)
{
  const struct pool *pool = argument;
  const long *number = task->body;
  pool->list->run(pool->list->context, *number);
  return CW_OK;
}

static void tasks_find(struct pool *pool)
{
  const struct work_list *list = pool->list;
  pool->mine = memory_allocate((size_t)list->count, sizeof *pool->mine);
  for (long task = 0; task < list->count; task++) {
    if (list->owner(list->context, task) == GA_Nodeid())
      pool->mine[pool->count++] = task;
  }
}

static void *pool_create(const struct work_list *list)
{
  struct pool *pool = memory_allocate(1, sizeof *pool);
  pool->list = list;
  tasks_find(pool);
  const cw_tasks_options options = {.body = sizeof(long)};
  CW_MUST(cw_tasks_create(cw_team_world(), &options, &pool->tasks));
  CW_MUST(cw_tasks_register(pool->tasks, "task", task_run, pool, &pool->number));
  return pool;
}

static void pool_run(void *work, struct work_cost *cost)
{
  struct pool *pool = work;
  cw_tasks_counts before, after;
  CW_MUST(cw_tasks_statistics(pool->tasks, &before));
  double start = GA_Wtime();
  CW_MUST(cw_tasks_add_many(pool->tasks, pool->number, pool->count, pool->mine, sizeof *pool->mine,
                            cw_process(), 0));
  cost->draw = GA_Wtime() - start;
  CW_MUST(cw_tasks_process(pool->tasks));
  CW_MUST(cw_tasks_statistics(pool->tasks, &after));
  cost->wait = after.searching - before.searching;
}

static void pool_destroy(void *work)
{
  struct pool *pool = work;
  CW_MUST(cw_tasks_free(&pool->tasks));
  free(pool->mine);
  free(pool);
}

const struct work_source work_pool = {"pool", pool_create, pool_run, pool_destroy};
