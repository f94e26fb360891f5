/* Long tasks that query whether other processes need work. The task of process 0 only queries
 * until the expected event; the others enter the phase when it lets them. */
#include "kit/native.h"

#include <stdlib.h>

enum { SLOTS = 4, MANY = 3 * SLOTS };

static cw_region region;
static void **words;           /* slices of struct board */
static cw_notifications begin; /* one counter: this process may enter */
static cw_tasks pool;
static int query_class, visit_class, message_class; /* classes */
static bool was_here, let_in, stealing;
static bool (*is_enough)(const cw_task *task);
static int64_t added; /* by the task that queries */

/* Counters on process 0. */
struct board {
  int64_t visited; /* processes that have had a task */
  int64_t ran;     /* tasks */
};

static const struct board *mine(void)
{
  return words[kit_me()];
}

static int64_t load_word(const int64_t *word)
{
  return __atomic_load_n(word, __ATOMIC_ACQUIRE);
}

static cw_error take_message(const cw_task *task, void *argument)
{
  (void)task, (void)argument;
  return CW_OK;
}

/* The first task on each process writes to process 0, which must receive it while its task runs. */
static cw_error visit(const cw_task *task, void *argument)
{
  struct board *board = words[0];
  (void)argument;
  if (!was_here) {
    KIT_OK(cw_tasks_add_to(task->pool, message_class, NULL, 0, 0, 0));
    KIT_OK(cw_fetch_add_int64(&board->visited, 1, 0, NULL));
  }
  was_here = true;
  KIT_OK(cw_fetch_add_int64(&board->ran, 1, 0, NULL));
  return CW_OK;
}

static void let_others_in(void)
{
  for (int process = 1; process < kit_processes() && !let_in; process++)
    KIT_OK(cw_put_notify(NULL, NULL, 0, process, begin, 0));
  let_in = true;
}

static bool tasks_are_wanted(const cw_task *task)
{
  bool wanted = true;
  KIT_OK(cw_tasks_wanted(task->pool, &wanted));
  return wanted;
}

/* Returns true if a task of another process has been received. */
static bool has_received(const cw_task *task)
{
  cw_tasks_counts counts;
  KIT_OK(cw_tasks_statistics(task->pool, &counts));
  return counts.received > 0;
}

static bool all_have_been_here(const cw_task *task)
{
  return load_word(&mine()->visited) == kit_processes() - 1 &&
         (kit_processes() == 1 || has_received(task));
}

static bool all_is_done(const cw_task *task)
{
  (void)task;
  return kit_processes() == 1 || load_word(&mine()->ran) == MANY;
}

static void add_one(const cw_task *task)
{
  KIT_OK(cw_tasks_add(task->pool, visit_class, NULL, 0));
  added++;
}

/* Before other processes enter the phase, the answer depends only on waiting tasks. argument:
 * whether there are any.
 */
static cw_error work_on(const cw_task *task, void *argument)
{
  const bool *waits = argument, alone = kit_processes() == 1;
  was_here = true;
  kit_check(tasks_are_wanted(task) == (!alone && !*waits), "the first answer");
  if (!alone && !*waits) {
    add_one(task);
    for (int i = 0; i < 2; i++)
      kit_check(!tasks_are_wanted(task), "more is wanted though nobody has taken the first");
  }
  let_others_in();
  while (!is_enough(task)) {
    const bool wanted = tasks_are_wanted(task);
    kit_check(!wanted || stealing, "tasks are wanted where nobody steals");
    if (wanted && !*waits)
      add_one(task);
  }
  return CW_OK;
}

/* before: called on each process after process 0 has added the task that queries. */
static void run(const char *what, const cw_tasks_options *options, bool waits,
                bool (*enough)(const cw_task *task), void (*before)(void))
{
  int64_t begin_count = 0;
  cw_handle begin_request = {0};
  kit_about("%s", what);
  added = 0;
  was_here = let_in = false;
  is_enough = enough;
  stealing = options == NULL || options->order != CW_STEAL_NOTHING;
  kit_make_region(sizeof(struct board), &region, &words);
  KIT_MUST(cw_notification_reset(begin, 0, NULL));
  KIT_MUST(cw_tasks_create(cw_team_world(), options, &pool));
  KIT_MUST(cw_tasks_register(pool, "asks", work_on, &waits, &query_class));
  KIT_MUST(cw_tasks_register(pool, "visits", visit, NULL, &visit_class));
  KIT_MUST(cw_tasks_register(pool, "letters", take_message, NULL, &message_class));
  if (kit_me() == 0)
    KIT_OK(cw_tasks_add_to(pool, query_class, NULL, 0, 0, 1000));
  if (before != NULL)
    before();
  KIT_OK(cw_barrier(cw_team_world()));
  if (kit_me() != 0) {
    KIT_OK(cw_notification_request(begin, 0, CW_AT_LEAST, 1, &begin_request));
    KIT_OK(cw_wait(&begin_request));
  }
  KIT_MUST(cw_tasks_process(pool));
  KIT_OK(cw_notification_read(begin, 0, &begin_count));
  kit_check_long(begin_count, kit_me() != 0, "notifications");
  kit_check(added == 0 || kit_processes() > 1, "%ld tasks were added for nobody", (long)added);
  KIT_OK(cw_tasks_free(&pool));
  kit_free_region(&region, words);
}

static void add_many(void)
{
  for (int i = 0; kit_me() == 0 && i < MANY; i++)
    KIT_OK(cw_tasks_add(pool, visit_class, NULL, 0));
}

static void add_own(void)
{
  if (kit_me() != 0)
    KIT_OK(cw_tasks_add(pool, visit_class, NULL, 0));
}

int main(int argc, char **argv)
{
  kit_start_native(&argc, &argv, "wanted");
  kit_hang_guard();
  KIT_MUST(cw_notifications_create(cw_team_world(), 1, &begin));
  run("tasks when they are wanted", NULL, false, all_have_been_here, NULL);
  run("from anywhere", &(cw_tasks_options){.order = CW_STEAL_RANDOM, .slots = 2}, false,
      all_have_been_here, NULL);
  run("more waits than the queue takes", &(cw_tasks_options){.slots = SLOTS}, true, all_is_done,
      add_many);
  run("no thieves", &(cw_tasks_options){.order = CW_STEAL_NOTHING}, true, all_have_been_here,
      add_own);
  KIT_OK(cw_notifications_free(&begin));
  return kit_finish_native();
}
