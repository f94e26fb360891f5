/* A transfer of a task fails while another one is still in flight: its late data must not arrive
 * in memory that the next task uses. The last process serves gets by a back end of this test,
 * which rejects one and delays the next. Runs on several nodes, with servers. */
#include "device/device.h"
#include "kit/native.h"

#include <string.h>
#include <time.h>

enum { LONG = 100000, SHORT = 8 };
enum place { ON_DEVICE, ON_HOST };

static cw_device device;
static int last;
static enum place place;
static cw_array remote_array, mixed, near, results;

/* --- The back end ------------------------------------------------------------------------------
 */

static const struct cwi_backend *real;
static struct cwi_backend hampered;
static int failing_read, slow_read; /* numbers of the failing and of the slow read, counted from
                                     * now on; none if negative */

static bool is_now(int *number)
{
  return __atomic_fetch_sub(number, 1, __ATOMIC_RELAXED) == 0;
}

static cw_error read_rows(void *opened, enum cwi_device_queue queue,
                          const struct cwi_device_rows *rows)
{
  const struct timespec nap = {.tv_nsec = 300000000};
  if (is_now(&slow_read))
    nanosleep(&nap, NULL);
  if (is_now(&failing_read))
    return cwi_outside("the device does not like it");
  return real->read(opened, queue, rows);
}

static void stand_before(void)
{
  real = device->backend;
  hampered = *real;
  hampered.read = read_rows;
  device->backend = &hampered;
}

static void set_faults(int which_fails, int which_slow)
{
  __atomic_store_n(&failing_read, which_fails, __ATOMIC_RELAXED);
  __atomic_store_n(&slow_read, which_slow, __ATOMIC_RELAXED);
}

/* --- The tasks ---------------------------------------------------------------------------------
 */

/* The first task fails. On a device the reason is a short get that the target rejects before a
 * slow long one. On the host it is the second part of a constant patch, which is rejected here
 * before the first part has arrived. The second task has the same memory as the first, uses it for
 * a local patch, and waits for the late data. */
static cw_error plan_task(const cw_task *task, void *argument, cw_plan *plan)
{
  const int64_t number = *(const int64_t *)task->body, zero = 0, end = LONG - 1;
  const int64_t short_end = SHORT - 1, both = 2 * LONG - 1;
  const cw_patch_mode mode = place == ON_DEVICE ? CW_PATCH_IN : CW_PATCH_CONSTANT;
  (void)argument;
  if (number == 1)
    CW_TRY(cw_plan_patch(plan, mode, near, &zero, &both));
  else if (place == ON_DEVICE)
    CW_TRY(cw_plan_patch(plan, mode, remote_array, &zero, &short_end));
  else
    CW_TRY(cw_plan_patch(plan, mode, mixed, &zero, &both));
  CW_TRY(cw_plan_patch(plan, CW_PATCH_IN, remote_array, &zero, &end));
  CW_TRY(cw_plan_patch(plan, CW_PATCH_OUT, results, &zero, &both));
  return number == 0 ? cw_plan_patch(plan, CW_PATCH_IN, near, &zero, &both) : CW_OK;
}

static void take_over(double *to, const double *from)
{
  memcpy(to, from, 2 * LONG * sizeof *to);
}

static cw_error run_task(const cw_task *task, void *argument)
{
  (void)argument;
  take_over(task->data[2], task->data[0]);
  return CW_OK;
}

static void kernel_task(void *const *arguments, const size_t global[3])
{
  (void)global;
  take_over(arguments[2], arguments[0]);
}

static const cw_host_function functions[] = {{"take_over", kernel_task}, {NULL, NULL}};
static const cw_kernel_source source = {.functions = functions};

/* Process 0 alone has the pool. Each task has a phase of its own, because the device's thread may
 * take the tasks of one phase in any order. */
static void run_tasks(cw_team alone)
{
  const cw_tasks_options options = {
      .device = device, .where = place == ON_DEVICE ? CW_WHERE_DEVICE : CW_WHERE_HOST, .ahead = 1};
  const cw_task_class description = {
      .function = run_task, .plan = plan_task, .kernel = &source, .kernel_name = "take_over"};
  cw_tasks pool = NULL;
  cw_tasks_counts counts;
  int number = 0;
  KIT_MUST(cw_tasks_create(alone, &options, &pool));
  KIT_MUST(cw_tasks_register_class(pool, "task", &description, NULL, &number));
  int64_t task = 0;
  KIT_MUST(cw_tasks_add(pool, number, &task, sizeof task));
  const cw_error error = cw_tasks_process(pool);
  kit_check(error != CW_OK && strstr(cw_error_message(), "does not like it") != NULL,
            "the phase gives %d: '%s'", (int)error, cw_error_message());
  task = 1;
  KIT_MUST(cw_tasks_add(pool, number, &task, sizeof task));
  KIT_OK(cw_tasks_process(pool));
  KIT_OK(cw_tasks_statistics(pool, &counts));
  kit_check_long((long)(place == ON_DEVICE ? counts.on_device : counts.on_host), 1,
                 "tasks that succeed");
  KIT_OK(cw_tasks_free(&pool));
}

static void check_results(void)
{
  static double got[2 * LONG];
  const int64_t lo = 0, hi = 2 * LONG - 1;
  int wrong = 0, first = 0;
  KIT_OK(cw_array_get(results, &lo, &hi, got, NULL));
  for (int i = 2 * LONG - 1; i >= 0; i--)
    if (got[i] != 1) {
      first = i;
      wrong++;
    }
  kit_check(wrong == 0, "%d elements are not those of the second task; element %d is %g", wrong,
            first, got[first]);
}

/* --- Arrays ------------------------------------------------------------------------------------
 */

static cw_array make(int64_t extent, int members, const int *ranks, cw_device mine, double value)
{
  const cw_array_options options = {.type = CW_DOUBLE,
                                    .dimensions = 1,
                                    .extents = &extent,
                                    .distribution = {.members = members, .ranks = ranks},
                                    .device = mine};
  cw_array array = NULL;
  KIT_MUST(cw_array_create(cw_team_world(), &options, &array));
  KIT_OK(cw_array_fill(array, NULL, NULL, &value));
  return array;
}

int main(int argc, char **argv)
{
  cw_team alone = NULL;
  kit_start_native(&argc, &argv, "tasks_late");
  kit_need_threads();
  kit_hang_guard();
  last = kit_processes() - 1;
  const int remote_first[2] = {last, 0}, first[1] = {0};
  KIT_MUST(cw_device_open(NULL, &device));
  stand_before();
  KIT_MUST(cw_team_split(cw_team_world(), kit_me() == 0 ? 0 : 1, 0, &alone));
  remote_array = make(LONG, 1, remote_first, device, 7);
  mixed = make(2 * (int64_t)LONG, 2, remote_first, device, 7);
  near = make(2 * (int64_t)LONG, 1, first, NULL, 1);
  results = make(2 * (int64_t)LONG, 1, first, NULL, 0);
  for (int where = ON_DEVICE; where <= ON_HOST; where++) {
    place = (enum place)where;
    kit_about("%s", place == ON_DEVICE ? "a device" : "the host");
    if (place == ON_DEVICE)
      set_faults(kit_me() == last ? 0 : -1, kit_me() == last ? 1 : -1);
    else
      set_faults(kit_me() == 0 ? 0 : -1, kit_me() == last ? 0 : -1);
    KIT_MUST(cw_barrier(cw_team_world()));
    if (kit_me() == 0)
      run_tasks(alone);
    KIT_MUST(cw_barrier(cw_team_world()));
    set_faults(-1, -1);
    if (kit_me() == 0)
      check_results();
    KIT_OK(cw_array_fill(results, NULL, NULL, NULL));
  }
  KIT_OK(cw_array_destroy(&remote_array));
  KIT_OK(cw_array_destroy(&mixed));
  KIT_OK(cw_array_destroy(&near));
  KIT_OK(cw_array_destroy(&results));
  KIT_OK(cw_team_free(&alone));
  KIT_OK(cw_device_close(&device));
  return kit_finish_native();
}
