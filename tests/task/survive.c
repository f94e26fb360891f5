/* Puts and updates of tasks in pools that survive failures, and in others: compared with a model.
 * No process fails.
 *
 * usage: tasks_survive [TASKS] */
#include "kit/native.h"

#include <stdlib.h>
#include <string.h>

/* --- Effects -----------------------------------------------------------------------------------*/

enum { WORDS = 40000, MOST_TASKS = 1000 }; /* the words lie under several of the locks */

struct slice {
  int64_t sums[WORDS];
  double largest;
  int64_t put[MOST_TASKS];
};

/* A task adds `value` to a patch of sums, and puts it to its own word. */
struct change {
  int64_t task, process, first, count, value;
};

static struct slice **slices;

/* Has its effects in two transactions. Does nothing when it is called for the second one. */
static cw_error apply_change(const cw_task *task, void *argument)
{
  struct change change;
  (void)argument;
  memcpy(&change, task->body, sizeof change);
  const int process = (int)change.process;
  struct slice *slice = slices[process];
  const double value = (double)change.value;
  int64_t *values = kit_alloc((size_t)change.count, sizeof *values);
  for (int64_t i = 0; i < change.count; i++)
    values[i] = change.value;
  KIT_OK(cw_task_accumulate(task, CW_INT64, CW_SUM, values, &slice->sums[change.first],
                            (size_t)change.count * sizeof *values, process));
  KIT_OK(cw_task_commit(task, &change, sizeof change));
  KIT_OK(cw_task_put(task, &change.value, &slice->put[change.task], sizeof change.value, process));
  KIT_OK(cw_task_accumulate(task, CW_DOUBLE, CW_MAXIMUM, &value, &slice->largest, sizeof value,
                            process));
  free(values);
  return CW_OK;
}

/* The same draws on all processes. */
static struct change draw_change(int64_t task, struct slice *model)
{
  struct change change = {.task = task,
                          .process = kit_common(kit_processes()),
                          .first = kit_common(WORDS),
                          .value = 1 + kit_common(1000)};
  change.count = 1 + kit_common(kit_common(8) == 0 ? WORDS - (int)change.first : 5);
  if (change.first + change.count > WORDS)
    change.count = WORDS - change.first;
  struct slice *slice = &model[change.process];
  for (int64_t i = 0; i < change.count; i++)
    slice->sums[change.first + i] += change.value;
  slice->put[task] = change.value;
  if ((double)change.value > slice->largest)
    slice->largest = (double)change.value;
  return change;
}

static void check_slice(int process, const struct slice *model)
{
  struct slice *slice = kit_alloc(1, sizeof *slice);
  KIT_OK(cw_get(slice, slices[process], sizeof *slice, process));
  kit_check_bytes(slice, model, sizeof *model, "a slice");
  free(slice);
}

static void check_effects(bool survive, long tasks)
{
  cw_region region = NULL;
  cw_tasks pool = NULL;
  int number = 0;
  kit_make_region(sizeof(struct slice), &region, (void ***)&slices);
  struct slice *model = kit_alloc((size_t)kit_processes(), sizeof *model);
  const cw_tasks_options options = {.survive = survive, .slots = 4};
  kit_about(survive ? "a pool that survives failures" : "another pool");
  KIT_MUST(cw_tasks_create(cw_team_world(), &options, &pool));
  KIT_MUST(cw_tasks_register(pool, "change", apply_change, NULL, &number));
  for (long i = 0; i < tasks; i++) {
    const struct change change = draw_change(i, model);
    if (i % kit_processes() == kit_me())
      KIT_OK(cw_tasks_add(pool, number, &change, sizeof change));
  }
  KIT_MUST(cw_tasks_process(pool));
  for (int process = 0; process < kit_processes(); process++)
    check_slice(process, &model[process]);
  KIT_OK(cw_barrier(cw_team_world()));
  KIT_OK(cw_tasks_free(&pool));
  free(model);
  kit_free_region(&region, (void **)slices);
}

/* --- Errors ------------------------------------------------------------------------------------*/

/* Fails after effects, which must not happen, and after a commit, which must. */
static cw_error fail(const cw_task *task, void *argument)
{
  const int64_t one = 1;
  int64_t *calls = argument;
  ++*calls;
  KIT_OK(cw_task_accumulate(task, CW_INT64, CW_SUM, &one, slices[0]->sums, sizeof one, 0));
  KIT_OK(cw_task_commit(task, NULL, 0));
  KIT_OK(cw_task_accumulate(task, CW_INT64, CW_SUM, &one, slices[0]->sums, sizeof one, 0));
  KIT_OK(cw_tasks_add(task->pool, task->number, NULL, 0));
  KIT_MISUSE("cw_task_put|remote", cw_task_put(task, &one, &calls, sizeof one, 0));
  KIT_MISUSE("cw_task_put|process", cw_task_put(task, &one, slices[0], sizeof one, -1));
  KIT_MISUSE("cw_task_accumulate|bytes is 7",
             cw_task_accumulate(task, CW_INT64, CW_SUM, &one, slices[0]->sums, 7, 0));
  KIT_MISUSE("cw_task_accumulate|remote",
             cw_task_accumulate(task, CW_INT64, CW_SUM, &one, (char *)slices[0] + 4, 8, 0));
  KIT_MISUSE("cw_task_commit|at most 64", cw_task_commit(task, &one, 65));
  return CW_OUTSIDE;
}

static void check_errors(void)
{
  cw_region region = NULL;
  cw_tasks pool = NULL;
  int number = 0;
  int64_t calls = 0;
  const cw_task_class plan = {.function = fail};
  kit_about("errors");
  kit_make_region(sizeof(struct slice), &region, (void ***)&slices);
  KIT_MUST(cw_tasks_create(cw_team_world(), &(cw_tasks_options){.survive = true}, &pool));
  KIT_MISUSE("survive = true", cw_tasks_register_class(pool, "plan", &plan, NULL, &number));
  KIT_MUST(cw_tasks_register(pool, "fails", fail, &calls, &number));
  const cw_task none = {.pool = pool};
  KIT_MISUSE("no task of the pool", cw_task_commit(&none, NULL, 0));
  if (kit_me() == 0)
    KIT_OK(cw_tasks_add(pool, number, NULL, 0));
  const cw_error error = cw_tasks_process(pool);
  kit_check(error == (calls > 0 ? CW_OUTSIDE : CW_OK), "the error is %d", (int)error);
  int64_t effects = 0;
  KIT_OK(cw_get(&effects, slices[0]->sums, sizeof effects, 0));
  kit_check_long((long)effects, 1, "effects of a task that fails");
  KIT_OK(cw_tasks_free(&pool));
  kit_free_region(&region, (void **)slices);
}

/* Members on several nodes, which such a pool has only in a job that survives failures. */
static void check_several_nodes(void)
{
  cw_tasks pool = NULL;
  kit_about("several nodes");
  KIT_MISUSE("cw_tasks_create|survive|on another node",
             cw_tasks_create(cw_team_world(), &(cw_tasks_options){.survive = true}, &pool));
}

/* A team without process 0, and the pools that do not survive. */
static void check_rejected(void)
{
  cw_team team = NULL;
  cw_tasks pool = NULL;
  kit_about("pools that are rejected");
  KIT_OUTSIDE("needs survive = true", cw_tasks_create(cw_team_world(), NULL, &pool));
  KIT_MUST(cw_team_split(cw_team_world(), kit_me() == 0, kit_me(), &team));
  if (kit_me() != 0 && kit_processes() > cw_nodes())
    KIT_OUTSIDE("process 0|is not a member",
                cw_tasks_create(team, &(cw_tasks_options){.survive = true}, &pool));
  KIT_OK(cw_team_free(&team));
}

int main(int argc, char **argv)
{
  kit_start_native(&argc, &argv, "tasks_survive");
  const long rounds = kit_rounds(argc > 1 ? argv[1] : NULL, 200);
  const long tasks = rounds < MOST_TASKS ? rounds : MOST_TASKS;
  if (cw_nodes() > 1 && cw_survives())
    check_rejected();
  else
    check_effects(false, tasks);
  if (cw_nodes() > 1 && !cw_survives()) {
    check_several_nodes();
  } else {
    check_effects(true, tasks);
    check_errors();
  }
  return kit_finish_native();
}
