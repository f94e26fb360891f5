/* Tasks are the program's time: what they take is not counted as the phase's. */
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

int main(int argc, char **argv)
{
  cw_tasks pool = NULL;
  int number = 0;
  kit_start(&argc, &argv, "profiled_tasks");
  ok(cw_init(MPI_COMM_WORLD));
  if (ok(cw_tasks_create(cw_team_world(), NULL, &pool))) {
    ok(cw_tasks_register(pool, "work", work, NULL, &number));
    for (int i = 0; i < TASKS; i++)
      ok(cw_tasks_add(pool, number, &i, sizeof i));
    ok(cw_tasks_process(pool));
    ok(cw_tasks_free(&pool));
  }
  ok(cw_finalize());
  return kit_finish();
}
