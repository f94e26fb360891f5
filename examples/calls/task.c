/* Calls of causeway/task.h about pools: options, common objects, tasks for another process. */
#include "expect.h"

struct totals {
  long count, sum;
};

static int totals_number;

/* Adds the number in its body to the totals of the process on which it runs. */
static cw_error add(const cw_task *task, void *argument)
{
  (void)argument;
  void *object = NULL;
  CW_TRY(cw_tasks_object(task->pool, totals_number, &object));
  struct totals *totals = object;
  totals->count++;
  totals->sum += *(const long *)task->body;
  return CW_OK;
}

int main(int argc, char **argv)
{
  start(&argc, &argv);
  const int me = cw_process(), next = (me + 1) % cw_processes();
  struct totals totals = {0, 0};
  cw_tasks pool = NULL;
  cw_tasks_options options = {.body = sizeof(long)};
  int number = -1;
  CW_MUST(cw_tasks_create(cw_team_world(), &options, &pool));
  CW_MUST(cw_tasks_granted(pool, &options));
  EXPECT(options.slots >= 2 && options.threads == 1);
  CW_MUST(cw_tasks_register(pool, "add", add, NULL, &number));
  CW_MUST(cw_tasks_share(pool, "totals", &totals, &totals_number));

  for (long i = 0; i < 10; i++)
    CW_MUST(cw_tasks_add_to(pool, number, &i, sizeof i, next, 0));
  CW_MUST(cw_tasks_process(pool));
  CW_MUST(cw_allreduce(cw_team_world(), CW_LONG, CW_SUM, 2, &totals));
  EXPECT(totals.count == 10L * cw_processes() && totals.sum == 45L * cw_processes());

  CW_MUST(cw_tasks_reset(pool)); /* for another round of measurements */
  cw_tasks_counts counts;
  CW_MUST(cw_tasks_statistics(pool, &counts));
  EXPECT(counts.executed == 0);
  CW_MUST(cw_tasks_free(&pool));
  return stop();
}
