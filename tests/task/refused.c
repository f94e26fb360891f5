/* Operations that a target has rejected before a phase do not affect the pool: tasks are added,
 * stolen and run, and the next fence returns the error. */
#include "kit/native.h"

#include <stdlib.h>

enum { OWNER = 0, TASKS = 40 };

static unsigned char released[CW_MEMORY_HANDLE_BYTES];
static int64_t memory[8];
static cw_view view, apart; /* of freed memory; for this thread alone */
static void *there;
static cw_tasks pool;
static int number, planned;
static long ran, followed;

static cw_error count(const cw_task *task, void *context)
{
  (void)task;
  (void)context;
  ran++;
  return CW_OK;
}

static cw_error plan_body(const cw_task *task, void *context, cw_plan *plan)
{
  (void)context;
  return cw_plan_memory(plan, CW_PATCH_IN, task->body, sizeof(int64_t));
}

static cw_error follow(const cw_task *task, void *context)
{
  (void)task;
  (void)context;
  followed++;
  return CW_OK;
}

static void make_all(void)
{
  const cw_task_class kind = {.function = count, .plan = plan_body, .then = follow};
  if (kit_me() == OWNER)
    KIT_MUST(cw_memory_handle_create(memory, sizeof memory, released));
  KIT_OK(cw_broadcast(cw_team_world(), OWNER, released, sizeof released));
  KIT_MUST(cw_view_from_memory(released, &view));
  KIT_MUST(cw_view_dup(view, &(cw_view_settings){.scope = CW_SCOPE_THREAD}, &apart));
  KIT_OK(cw_view_address(view, OWNER, &there, NULL));
  KIT_MUST(cw_tasks_create(cw_team_world(), NULL, &pool));
  KIT_MUST(cw_tasks_register(pool, "count", count, NULL, &number));
  KIT_MUST(cw_tasks_register_class(pool, "planned", &kind, NULL, &planned));
  KIT_OK(cw_barrier(cw_team_world()));
  if (kit_me() == OWNER)
    KIT_OK(cw_memory_handle_release(released));
  KIT_OK(cw_barrier(cw_team_world()));
}

/* An empty phase, then one whose tasks are all added to the process that rejects requests. */
static void phases(cw_view rejecting_view)
{
  const bool puts = kit_me() != OWNER;
  const int64_t three = 3;
  for (int tasks = 0; tasks <= TASKS; tasks += TASKS) {
    kit_about("a phase of %d tasks", tasks);
    ran = 0;
    if (puts)
      KIT_OK(cw_view_put(rejecting_view, &three, there, sizeof three, OWNER));
    for (int i = 0; i < tasks && puts; i++)
      KIT_OK(cw_tasks_add_to(pool, number, NULL, 0, 0, OWNER));
    const cw_error phase = cw_tasks_process(pool), fence = cw_fence_all();
    kit_check(phase != CW_OK || fence != CW_OK || !puts, "nobody hears of what was refused");
    int64_t all = ran;
    KIT_OK(cw_allreduce(cw_team_world(), CW_INT64, CW_SUM, 1, &all));
    kit_check_long(all, (long)tasks * (kit_processes() - 1), "tasks that ran");
  }
}

/* The continuation of a task runs, too. */
static void followers(cw_view rejecting_view)
{
  const int64_t three = 3;
  const bool adds = kit_me() != OWNER;
  kit_about("tasks with followers");
  ran = followed = 0;
  if (adds)
    KIT_OK(cw_view_put(rejecting_view, &three, there, sizeof three, OWNER));
  for (int i = 0; i < TASKS && adds; i++)
    KIT_OK(cw_tasks_add(pool, planned, &three, sizeof three));
  const cw_error phase = cw_tasks_process(pool), fence = cw_fence_all();
  kit_check(phase != CW_OK || fence != CW_OK || !adds, "nobody hears of what was refused");
  int64_t all[2] = {ran, followed};
  KIT_OK(cw_allreduce(cw_team_world(), CW_INT64, CW_SUM, 2, all));
  kit_check_long(all[0], (long)TASKS * (kit_processes() - 1), "tasks that ran");
  kit_check_long(all[1], all[0], "followers");
}

int main(int argc, char **argv)
{
  kit_start_native(&argc, &argv, "refused before tasks");
  kit_hang_guard();
  make_all();
  phases(view);
  phases(apart);
  followers(view);
  followers(apart);
  KIT_OK(cw_tasks_free(&pool));
  KIT_OK(cw_view_free(&apart));
  KIT_OK(cw_view_free(&view));
  return kit_finish_native();
}
