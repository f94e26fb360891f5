/* Tasks are the program's time: their time is not counted as the phase's. The threads of a pool are
 * in the phase, like the thread that called it. */
#include "kit/kit.h"

#include <causeway.h>

#include <time.h>

enum { TASKS = 10, NAP = 10000000 };

static bool ok(cw_error error)
{
  return kit_check(error == CW_OK, "%s", cw_error_message());
}

static cw_error work(const cw_task *task, void *argument) /* site: task */
{
  const struct timespec nap = {0, NAP};
  (void)task, (void)argument;
  nanosleep(&nap, NULL);
  return cw_fence_all();
}

static cw_tasks make_pool(int threads, int tasks)
{
  const cw_tasks_options options = {.threads = threads};
  cw_tasks pool = NULL;
  int number = 0;
  if (!ok(cw_tasks_create(cw_team_world(), &options, &pool)))
    return NULL;
  ok(cw_tasks_register(pool, "work", work, NULL, &number));
  for (int i = 0; i < tasks; i++)
    ok(cw_tasks_add(pool, number, &i, sizeof i));
  return pool;
}

int main(int argc, char **argv)
{
  int level = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
  kit_start(&argc, &argv, "profiled_tasks");
  if (level < MPI_THREAD_MULTIPLE)
    kit_skip("MPI has no MPI_THREAD_MULTIPLE");
  ok(cw_init(MPI_COMM_WORLD));
  cw_tasks pool = make_pool(1, TASKS);
  ok(cw_tasks_process(pool)); /* site: phase */
  ok(cw_tasks_free(&pool));
  pool = make_pool(3, 1);
  ok(cw_tasks_process(pool)); /* site: phase-of-three */
  ok(cw_tasks_free(&pool));
  ok(cw_finalize());
  return kit_finish();
}
