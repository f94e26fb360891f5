/* Collective calls within a task: those of the pool's team and of the world are rejected at once,
 * because the other members would wait for ever. Others are allowed. */
#include "kit/native.h"

#include <stdlib.h>

static cw_team own, copy; /* of this process alone */
static int again;         /* class of the inner pool */
static cw_tasks inner;
static int runs;

static cw_error reject_world(const cw_task *task, void *argument)
{
  cw_region region = NULL;
  cw_array array = NULL;
  cw_team team = NULL;
  int number = -1;
  const int64_t extent = 10;
  const cw_array_options options = {.type = CW_INT, .dimensions = 1, .extents = &extent};
  (void)argument;
  runs++;
  KIT_MISUSE("cw_tasks_register|runs a task",
             cw_tasks_register(task->pool, "late", reject_world, NULL, &number));
  KIT_MISUSE("cw_tasks_share|runs a task", cw_tasks_share(task->pool, "late", NULL, &number));
  KIT_MISUSE("cw_barrier|runs a task", cw_barrier(cw_team_world()));
  KIT_MISUSE("cw_region_create|runs a task", cw_region_create(cw_team_world(), 8, &region, NULL));
  KIT_MISUSE("cw_array_create|runs a task", cw_array_create(cw_team_world(), &options, &array));
  KIT_MISUSE("cw_team_dup|runs a task", cw_team_dup(cw_team_world(), &team));
  int *all = calloc((size_t)kit_processes(), sizeof *all);
  for (int i = 0; i < kit_processes(); i++)
    all[i] = i;
  KIT_MISUSE("cw_team_create|runs a task",
             cw_team_create(cw_team_world(), (size_t)kit_processes(), all, 7, &team));
  free(all);
  KIT_MISUSE("cw_tasks_process", cw_tasks_process(task->pool));
  KIT_MISUSE("cw_finalize", cw_finalize());
  kit_check(number == -1 && region == NULL && array == NULL && team == NULL,
            "a refused call has made something");
  KIT_OK(cw_barrier(own)); /* all its members are this process */
  KIT_MUST(cw_tasks_add(inner, again, NULL, 0));
  KIT_OK(cw_tasks_process(inner));
  return CW_OK;
}

static cw_error reject_own(const cw_task *task, void *argument)
{
  int number = -1;
  (void)argument;
  runs++;
  KIT_MISUSE("cw_barrier|pool's team", cw_barrier(own));
  KIT_MISUSE("cw_barrier|the world", cw_barrier(cw_team_world()));
  KIT_MISUSE("cw_tasks_share|pool's team", cw_tasks_share(task->pool, "late", NULL, &number));
  KIT_OK(cw_barrier(copy));
  return CW_OK;
}

int main(int argc, char **argv)
{
  cw_tasks pool = NULL;
  int number = -1;
  kit_start_native(&argc, &argv, "tasks_within");
  kit_hang_guard();
  KIT_MUST(cw_team_split(cw_team_world(), kit_me(), 0, &own));
  KIT_MUST(cw_team_dup(own, &copy));
  KIT_MUST(cw_tasks_create(cw_team_world(), NULL, &pool));
  KIT_MUST(cw_tasks_create(own, NULL, &inner));
  KIT_MUST(cw_tasks_register(pool, "refuse", reject_world, NULL, &number));
  KIT_MUST(cw_tasks_register(inner, "again", reject_own, NULL, &again));
  if (kit_me() == 0)
    KIT_MUST(cw_tasks_add(pool, number, NULL, 0)); /* on one process of several */
  KIT_OK(cw_tasks_process(pool));
  KIT_MUST(cw_allreduce(cw_team_world(), CW_INT, CW_SUM, 1, &runs));
  kit_check_long(runs, 2, "tasks");
  KIT_OK(cw_tasks_share(pool, "in time", NULL, &number));
  KIT_OK(cw_tasks_free(&inner));
  KIT_OK(cw_tasks_free(&pool));
  KIT_OK(cw_team_free(&copy));
  KIT_OK(cw_team_free(&own));
  return kit_finish_native();
}
