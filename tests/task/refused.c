/* What a target has refused of the program before a phase is none of the pool's: tasks are added,
 * stolen and run, and the next fence tells. */
#include "kit/native.h"

#include <stdlib.h>

enum { OWNER = 0, TASKS = 40 };

static unsigned char gone[CW_MEMORY_HANDLE_BYTES];
static int64_t memory[8];
static cw_view view, apart; /* of memory that is gone; for this thread alone */
static void *there;
static cw_tasks pool;
static int number;
static long ran;

static cw_error count(const cw_task *task, void *context)
{
  (void)task;
  (void)context;
  ran++;
  return CW_OK;
}

static void make_all(void)
{
  if (kit_me() == OWNER)
    KIT_MUST(cw_memory_handle_create(memory, sizeof memory, gone));
  KIT_OK(cw_broadcast(cw_team_world(), OWNER, gone, sizeof gone));
  KIT_MUST(cw_view_from_memory(gone, &view));
  KIT_MUST(cw_view_dup(view, &(cw_view_settings){.scope = CW_SCOPE_THREAD}, &apart));
  KIT_OK(cw_view_address(view, OWNER, &there, NULL));
  KIT_MUST(cw_tasks_create(cw_team_world(), NULL, &pool));
  KIT_MUST(cw_tasks_register(pool, "count", count, NULL, &number));
  KIT_OK(cw_barrier(cw_team_world()));
  if (kit_me() == OWNER)
    KIT_OK(cw_memory_handle_release(gone));
  KIT_OK(cw_barrier(cw_team_world()));
}

/* An empty phase, then one whose tasks are all added to the process that refuses. */
static void phases(cw_view refused)
{
  const bool puts = kit_me() != OWNER;
  const int64_t three = 3;
  for (int tasks = 0; tasks <= TASKS; tasks += TASKS) {
    kit_about("a phase of %d tasks", tasks);
    ran = 0;
    if (puts)
      KIT_OK(cw_view_put(refused, &three, there, sizeof three, OWNER));
    for (int i = 0; i < tasks && puts; i++)
      KIT_OK(cw_tasks_add_to(pool, number, NULL, 0, 0, OWNER));
    const cw_error phase = cw_tasks_process(pool), fence = cw_fence_all();
    kit_check(phase != CW_OK || fence != CW_OK || !puts, "nobody hears of what was refused");
    int64_t all = ran;
    KIT_OK(cw_allreduce(cw_team_world(), CW_INT64, CW_SUM, 1, &all));
    kit_check_long(all, (long)tasks * (kit_processes() - 1), "tasks that ran");
  }
}

int main(int argc, char **argv)
{
  kit_start_native(&argc, &argv, "refused before tasks");
  kit_hang_guard();
  make_all();
  phases(view);
  phases(apart);
  KIT_OK(cw_tasks_free(&pool));
  KIT_OK(cw_view_free(&apart));
  KIT_OK(cw_view_free(&view));
  return kit_finish_native();
}
