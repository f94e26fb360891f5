/* Like native.c, for pools of tasks. A failure within a phase ends the job: see cw_tasks_process.
 * */
#include "verdict.h"

#include <causeway.h>

#include <string.h>

enum { DEPTH = 6, MANY = 16, MORE = 300 };

static long ran; /* on this process */
static int node, leaf;

static cw_error visit(const cw_task *task, void *argument)
{
  int depth = 0;
  (void)argument;
  memcpy(&depth, task->body, sizeof depth);
  __atomic_fetch_add(&ran, 1, __ATOMIC_RELAXED);
  for (int i = 0; depth < DEPTH && i < 2; i++) {
    const int below = depth + 1;
    MUST(cw_tasks_add_to(task->pool, node, &below, sizeof below, i, i));
  }
  return CW_OK;
}

static cw_error count(const cw_task *task, void *argument)
{
  (void)task;
  (void)argument;
  __atomic_fetch_add(&ran, 1, __ATOMIC_RELAXED);
  return CW_OK;
}

static void run(cw_tasks pool)
{
  static const int bodies[MANY];
  const int root = 0;
  long sum = 0;
  cw_tasks_counts counts;
  ran = 0;
  /* The inbox has space for this number of tasks, so all are accepted. */
  MUST(cw_tasks_add_many(pool, leaf, MANY, bodies, sizeof bodies[0], peer, 0));
  for (int i = 0; i < MORE; i++)
    MUST(cw_tasks_add(pool, leaf, NULL, 0));
  MUST(cw_tasks_add(pool, node, &root, sizeof root));
  TOGETHER(2, cw_tasks_process(pool));
  sum = ran;
  TOGETHER(2, cw_allreduce(cw_team_world(), CW_LONG, CW_SUM, 1, &sum));
  expect(sum == 2 * (MANY + MORE + (2L << DEPTH) - 1), "tasks have not run once each");
  MUST(cw_tasks_statistics(pool, &counts));
  expect((long)counts.executed == ran, "tasks that ran are not counted");
}

static void use(int threads)
{
  const cw_tasks_options options = {.body = 24, .slots = 64, .inbox = 32, .threads = threads};
  cw_tasks pool = NULL;
  int object = 0;
  TOGETHER(2, cw_tasks_create(cw_team_world(), &options, &pool));
  TOGETHER(2, cw_tasks_register(pool, "node", visit, NULL, &node));
  TOGETHER(2, cw_tasks_register(pool, "leaf", count, NULL, &leaf));
  TOGETHER(2, cw_tasks_share(pool, "counter", &ran, &object));
  run(pool);
  TOGETHER(2, cw_tasks_reset(pool));
  run(pool);
  TOGETHER(2, cw_tasks_free(&pool));
}

/* Makes the table of handles, which is kept until the process ends. Only a process that steals
 * tasks from another node needs it, and which process steals depends on chance. */
static void make_handles(void)
{
  cw_notifications set = NULL;
  cw_handle handle = {0};
  doing = "handles";
  TOGETHER(2, cw_notifications_create(cw_team_world(), 1, &set));
  MUST(cw_notification_request(set, 0, CW_AT_LEAST, 1, &handle));
  TOGETHER(2, cw_barrier(cw_team_world()));
  MUST(cw_put_notify(NULL, NULL, 0, peer, set, 0));
  MUST(cw_wait(&handle));
  TOGETHER(2, cw_notifications_free(&set));
}

int main(int argc, char **argv)
{
  faults_start(&argc, &argv);
  make_handles();
  doing = "tasks";
  use(1);
  use(2);
  return faults_finish();
}
