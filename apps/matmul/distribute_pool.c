/* Distributes tasks by a pool: each process starts with an equal share, and steals when it has none
 * left. */
#include "distribute.h"

#include <causeway.h>

struct distribution {
  task_function run;
  void *what;
};

static cw_error run_task(const cw_task *task, void *argument)
{
  const struct distribution *distribution = argument;
  distribution->run(distribution->what, *(const int64_t *)task->body);
  return CW_OK;
}

void distribute_by_pool(int64_t count, task_function run, void *what)
{
  struct distribution distribution = {run, what};
  const cw_tasks_options options = {.body = sizeof(int64_t)};
  const int64_t me = cw_process(), all = cw_processes();
  cw_tasks pool = NULL;
  int class = 0;
  CW_MUST(cw_tasks_create(cw_team_world(), &options, &pool));
  CW_MUST(cw_tasks_register(pool, "tile", run_task, &distribution, &class));
  /* Added in descending order, because the task added last runs first. */
  for (int64_t number = (me + 1) * count / all - 1; number >= me * count / all; number--)
    CW_MUST(cw_tasks_add(pool, class, &number, sizeof number));
  CW_MUST(cw_tasks_process(pool));
  CW_MUST(cw_tasks_free(&pool));
}
