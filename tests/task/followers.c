/* Tasks that depend on the results of others: the continuation of a task, on hosts and on a
 * device, adds them. The device is emulated by the host. Usage: tasks_followers [stored] */
#include "kit/native.h"

#include <string.h>

static cw_array total; /* sum of the numbers that all tasks add */
static const int64_t corner[] = {0};

static uint32_t draw(uint32_t *state, uint32_t count)
{
  *state = *state * 1664525u + 1013904223u;
  return (*state >> 8) % count;
}

static uint64_t team_sum(uint64_t mine)
{
  int64_t all = (int64_t)mine;
  KIT_MUST(cw_allreduce(cw_team_world(), CW_LONG_LONG, CW_SUM, 1, &all));
  return (uint64_t)all;
}

/* A task has a number and a level. A kernel computes the number of tasks that follow, and which. */
enum { LEVELS = 6, MOST_NEXT = 3, ROOTS = 40, FAILS = 0xbad };

typedef struct sprout {
  uint32_t number, level;
} sprout;

typedef struct grown {
  uint32_t next, numbers[MOST_NEXT];
} grown;

static int64_t sprouts, sprout_sum;
static int64_t thens_on[2]; /* host, device */

static void grow_from(const sprout *from, grown *made, uint32_t *both, double *added)
{
  uint32_t state = from->number;
  made->next = from->level < LEVELS ? draw(&state, MOST_NEXT + 1) : 0;
  for (uint32_t i = 0; i < made->next; i++)
    made->numbers[i] = draw(&state, 1 << 20);
  both[0] += from->number;
  added[0] += (double)from->number;
}

static cw_error plan_grown(const cw_task *task, void *argument, cw_plan *plan)
{
  const sprout *from = task->body;
  (void)argument;
  CW_TRY(cw_plan_memory(plan, CW_PATCH_IN, from, sizeof *from));
  CW_TRY(cw_plan_memory(plan, CW_PATCH_OUT, NULL, sizeof(grown)));
  CW_TRY(cw_plan_memory(plan, CW_PATCH_INOUT, &from->level, sizeof from->level));
  return cw_plan_patch(plan, CW_PATCH_ADD, total, corner, corner);
}

static cw_error run_grown(const cw_task *task, void *argument)
{
  kit_check(task->times == NULL, "a function has times");
  kit_check(task->worker < *(const int *)argument, "the device's worker runs a function");
  grow_from(task->data[0], task->data[1], task->data[2], task->data[3]);
  return CW_OK;
}

static void kernel_grown(void *const *arguments, const size_t global[3])
{
  (void)global;
  grow_from(arguments[0], arguments[1], arguments[2], arguments[3]);
}

static cw_error after_grown(const cw_task *task, void *argument)
{
  const sprout *from = task->body;
  const grown *made = task->data[1];
  const uint32_t *both = task->data[2];
  const double *added = task->data[3];
  const cw_task_times *times = task->times;
  const int threads = *(const int *)argument;
  kit_check(task->data[0] == NULL, "what a task reads is there after it");
  kit_check(both[0] == from->number + from->level && added[0] == (double)from->number,
            "after task %u there are %u and %g", from->number, both[0], added[0]);
  kit_check(times->begin <= times->run && times->run <= times->ran && times->ran <= times->end,
            "the times of a task are not in order");
  __atomic_fetch_add(&thens_on[task->worker == threads], 1, __ATOMIC_RELAXED);
  __atomic_fetch_add(&sprouts, 1, __ATOMIC_RELAXED);
  __atomic_fetch_add(&sprout_sum, from->number, __ATOMIC_RELAXED);
  for (uint32_t i = 0; i < made->next; i++) {
    const sprout next = {made->numbers[i], from->level + 1};
    CW_TRY(cw_tasks_add(task->pool, task->number, &next, sizeof next));
  }
  return from->number == FAILS && from->level == 0 ? CW_OUTSIDE : CW_OK;
}

static void expect_grown(const sprout *from, int64_t *count, int64_t *sum)
{
  grown made;
  uint32_t both = 0;
  double added = 0;
  grow_from(from, &made, &both, &added);
  ++*count;
  *sum += from->number;
  for (uint32_t i = 0; i < made.next; i++)
    expect_grown(&(sprout){made.numbers[i], from->level + 1}, count, sum);
}

/* fails: the continuation of one task fails. */
static void phase_grown(cw_tasks pool, int number, bool fails)
{
  int64_t wanted[2] = {0, 0};
  double added = 0;
  const double zero = 0;
  KIT_MUST(cw_array_fill(total, NULL, NULL, &zero));
  sprouts = sprout_sum = 0;
  for (int i = 0; i < ROOTS; i++) {
    const sprout root = {fails && i == 0 ? (uint32_t)FAILS : (uint32_t)kit_common(1 << 20), 0};
    if (kit_me() == i % kit_processes())
      KIT_MUST(cw_tasks_add(pool, number, &root, sizeof root));
    expect_grown(&root, &wanted[0], &wanted[1]);
  }
  KIT_MUST(cw_barrier(cw_team_world()));
  const cw_error error = cw_tasks_process(pool);
  kit_check(error == CW_OK || (fails && strstr(cw_error_message(), "class 'grown'") != NULL),
            "the phase says '%s'", error != CW_OK ? cw_error_message() : "");
  kit_check_long((long)team_sum(error != CW_OK), fails, "processes with the error");
  kit_check_long((long)team_sum((uint64_t)sprouts), (long)wanted[0], "tasks that follow");
  kit_check_long((long)team_sum((uint64_t)sprout_sum), (long)wanted[1], "sum of their numbers");
  KIT_MUST(cw_barrier(cw_team_world()));
  KIT_MUST(cw_array_get(total, corner, corner, &added, NULL));
  kit_check(added == (double)wanted[1], "the tasks have added %g, not %lld", added,
            (long long)wanted[1]);
  KIT_MUST(cw_barrier(cw_team_world()));
}

/* With two slots, the device's worker adds more than its queue holds. */
static void followers(cw_device device)
{
  static const cw_host_function grows[] = {{"grown", kernel_grown}, {NULL, NULL}};
  static const cw_kernel_source source_grown = {.functions = grows};
  static const size_t slots[] = {0, 2};
  const cw_task_class description = {.function = run_grown,
                                     .plan = plan_grown,
                                     .kernel = &source_grown,
                                     .kernel_name = "grown",
                                     .then = after_grown};
  for (int way = 0; way < 6; way++) {
    int threads = 1 + way / 3, number = 0;
    const cw_tasks_options options = {.device = device,
                                      .threads = threads,
                                      .slots = slots[way % 2],
                                      .where = (cw_where)(way % 3)};
    cw_tasks pool = NULL;
    kit_about("way %d", way);
    thens_on[0] = thens_on[1] = 0;
    KIT_MUST(cw_tasks_create(cw_team_world(), &options, &pool));
    KIT_MUST(cw_tasks_register_class(pool, "grown", &description, &threads, &number));
    phase_grown(pool, number, false);
    phase_grown(pool, number, true);
    if (options.where == CW_WHERE_HOST)
      kit_check_long((long)thens_on[1], 0, "of these, after tasks of the device");
    if (options.where == CW_WHERE_DEVICE)
      kit_check_long((long)thens_on[0], 0, "of these, after tasks of hosts");
    KIT_OK(cw_tasks_free(&pool));
  }
}

/* --- What a task has stored is there for those that follow ------------------------------------ */

/* Task `number` stores its number in an element of its own, on any process. The task that follows
 * it, anywhere, gets the element. */
enum { CELLS = 100 };

static cw_array cells;
static int reader;

static cw_error plan_cell(const cw_task *task, void *argument, cw_plan *plan)
{
  const int64_t *cell = task->body;
  (void)argument;
  return cw_plan_patch(plan, CW_PATCH_OUT, cells, cell, cell);
}

static cw_error run_cell(const cw_task *task, void *argument)
{
  (void)argument;
  *(double *)task->data[0] = 1.0 + (double)*(const int64_t *)task->body;
  return CW_OK;
}

static cw_error after_cell(const cw_task *task, void *argument)
{
  (void)argument;
  return cw_tasks_add(task->pool, reader, task->body, task->bytes);
}

static cw_error run_reader(const cw_task *task, void *argument)
{
  const int64_t *cell = task->body;
  double value = 0;
  (void)argument;
  CW_TRY(cw_array_get(cells, cell, cell, &value, NULL));
  kit_check(value == 1.0 + (double)*cell, "cell %ld has %g behind the task that stores it",
            (long)*cell, value);
  return CW_OK;
}

static void stored(void)
{
  static const int64_t extents[] = {CELLS};
  const cw_array_options options = {.type = CW_DOUBLE, .dimensions = 1, .extents = extents};
  const cw_task_class description = {.function = run_cell, .plan = plan_cell, .then = after_cell};
  const double zero = 0;
  cw_tasks pool = NULL;
  int number = 0;
  kit_about("what follows a task that stores");
  KIT_MUST(cw_array_create(cw_team_world(), &options, &cells));
  KIT_MUST(cw_array_fill(cells, NULL, NULL, &zero));
  KIT_MUST(cw_tasks_create(cw_team_world(), NULL, &pool));
  KIT_MUST(cw_tasks_register_class(pool, "cell", &description, NULL, &number));
  KIT_MUST(cw_tasks_register(pool, "reader", run_reader, NULL, &reader));
  for (int64_t cell = 0; kit_me() == 0 && cell < CELLS; cell++)
    KIT_MUST(cw_tasks_add(pool, number, &cell, sizeof cell));
  KIT_MUST(cw_barrier(cw_team_world()));
  KIT_OK(cw_tasks_process(pool));
  KIT_OK(cw_tasks_free(&pool));
  KIT_OK(cw_array_destroy(&cells));
}

/* A task needs more memory than exists, or than a size can count: it fails, and nothing runs.
 */
static cw_error plan_huge(const cw_task *task, void *argument, cw_plan *plan)
{
  const size_t *bytes = task->body;
  (void)argument;
  for (int i = 0; i < 2; i++)
    CW_TRY(cw_plan_memory(plan, CW_PATCH_OUT, NULL, bytes[i]));
  return CW_OK;
}

static cw_error run_huge(const cw_task *task, void *argument)
{
  (void)argument;
  kit_check(false, "a task runs without its memory, %p and %p", task->data[0], task->data[1]);
  return CW_OK;
}

static void huge(cw_device device)
{
  static const size_t sizes[][2] = {
      {SIZE_MAX, 64}, {SIZE_MAX - 127, 64}, {(size_t)1 << 63, (size_t)1 << 63}, {1, SIZE_MAX / 2}};
  const cw_task_class description = {.function = run_huge, .plan = plan_huge};
  for (int i = 0; i < 4; i++) {
    const cw_tasks_options options = {.device = device, .threads = 1};
    cw_tasks pool = NULL;
    int number = 0;
    kit_about("memory of %zu and %zu bytes", sizes[i][0], sizes[i][1]);
    KIT_MUST(cw_tasks_create(cw_team_world(), &options, &pool));
    KIT_MUST(cw_tasks_register_class(pool, "huge", &description, NULL, &number));
    if (kit_me() == 0)
      KIT_MUST(cw_tasks_add(pool, number, sizes[i], sizeof sizes[i]));
    KIT_MUST(cw_barrier(cw_team_world()));
    const cw_error error = cw_tasks_process(pool);
    kit_check(error == CW_OK || strstr(cw_error_message(), "no memory for the patches") != NULL,
              "the phase says '%s'", error != CW_OK ? cw_error_message() : "");
    kit_check_long((long)team_sum(error != CW_OK), 1, "processes with the error");
    KIT_OK(cw_tasks_free(&pool));
  }
}

int main(int argc, char **argv)
{
  static const int64_t extents[] = {1};
  const cw_array_options one = {.type = CW_DOUBLE, .dimensions = 1, .extents = extents};
  cw_device device = NULL;
  kit_start_native(&argc, &argv, "tasks_followers");
  kit_need_threads();
  kit_hang_guard();
  KIT_MUST(cw_device_open(NULL, &device));
  KIT_MUST(cw_array_create(cw_team_world(), &one, &total));
  if (argc < 2)
    followers(device);
  stored();
  huge(device);
  KIT_OK(cw_array_destroy(&total));
  KIT_OK(cw_device_close(&device));
  return kit_finish_native();
}
