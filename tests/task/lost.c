/* A device rejects calls, fails or is lost while a pool's tasks run on it. Checks the results of
 * the tasks, and the error of the phase. A back end of this test wraps that of the host. */
#include "device/device.h"
#include "kit/native.h"

#include <stdlib.h>
#include <string.h>

enum { TASKS = 60, LENGTH = 100 };

static cw_array results, constants;

/* --- The back end ------------------------------------------------------------------------------
 */

enum fault { NONE, FAILED_WRITE, FAILED_LAUNCH, FAILED_ONCE, EMPTY_WRITE, LOST, FAULTS };
static const struct cwi_backend *real;
static struct cwi_backend faulty;
static enum fault fault;
static int countdown; /* calls that still succeed */
static bool lost;
static bool owed; /* an error of a write that has moved nothing */

static cw_error fault_in(enum fault here)
{
  if (fault == LOST) {
    lost = lost || --countdown < 0;
    return lost ? cwi_outside("the device has gone") : CW_OK;
  }
  if (fault != here || countdown-- != 0)
    return CW_OK;
  return cwi_outside("the device does not like it");
}

static cw_error write_rows(void *device, enum cwi_device_queue queue,
                           const struct cwi_device_rows *rows)
{
  CWI_TRY(fault_in(FAILED_WRITE));
  if (fault == EMPTY_WRITE && countdown-- == 0) {
    owed = true;
    return CW_OK;
  }
  return real->write(device, queue, rows);
}

static cw_error launch(void *device, enum cwi_device_queue queue,
                       const struct cwi_device_launch *launched)
{
  CWI_TRY(fault_in(FAILED_LAUNCH));
  return real->launch(device, queue, launched);
}

static cw_error passed(void *device, void *event, bool *is)
{
  CWI_TRY(fault_in(FAILED_ONCE));
  if (owed) {
    owed = false;
    return cwi_outside("the device does not like it");
  }
  return real->passed(device, event, is);
}

/* A failed operation has ended, too. */
static cw_error await(void *device, void *event)
{
  const cw_error error = real->wait(device, event);
  CWI_TRY(fault == LOST ? fault_in(LOST) : CW_OK);
  return error;
}

static void stand_before(cw_device device)
{
  real = device->backend;
  faulty = *real;
  faulty.write = write_rows;
  faulty.launch = launch;
  faulty.passed = passed;
  faulty.wait = await;
  device->backend = &faulty;
}

/* --- The tasks: each fills its row -------------------------------------------------------------
 */

static cw_error plan_row(const cw_task *task, void *argument, cw_plan *plan)
{
  const int64_t number = *(const int64_t *)task->body;
  const int64_t lo[] = {number, 0}, hi[] = {number, LENGTH - 1};
  const int64_t from[] = {number / 2 % 3 * 10}, to[] = {from[0] + 9};
  (void)argument;
  CW_TRY(cw_plan_patch(plan, CW_PATCH_INOUT, results, lo, hi));
  CW_TRY(cw_plan_patch(plan, CW_PATCH_CONSTANT, constants, from, to));
  return cw_plan_scalar(plan, &number, sizeof number);
}

/* The continuation of a task runs once, and adds a task of another class. */
static int follower, followed; /* number of the task; number of tasks that have run here */

static cw_error after_row(const cw_task *task, void *argument)
{
  const double *row = task->data[0];
  const int64_t number = *(const int64_t *)task->body;
  (void)argument;
  kit_check(task->data[1] == NULL && row[0] != 0, "after row %lld there is %g", (long long)number,
            row[0]);
  return cw_tasks_add(task->pool, follower, &number, sizeof number);
}

static cw_error run_follower(const cw_task *task, void *argument)
{
  (void)task, (void)argument;
  __atomic_fetch_add(&followed, 1, __ATOMIC_RELAXED);
  return CW_OK;
}

static void fill_row(double *row, const double *ten, int64_t number)
{
  for (int i = 0; i < LENGTH; i++)
    row[i] += ten[i % 10] * (double)(number + 1);
}

static cw_error run_row(const cw_task *task, void *argument)
{
  (void)argument;
  fill_row(task->data[0], task->data[1], *(const int64_t *)task->body);
  return CW_OK;
}

static void kernel_row(void *const *arguments, const size_t global[3])
{
  (void)global;
  fill_row(arguments[0], arguments[1], *(const int64_t *)arguments[2]);
}

static void check_rows(int phases, int most_wrong)
{
  static double got[TASKS][LENGTH];
  int wrong = 0;
  const int64_t lo[] = {0, 0}, hi[] = {TASKS - 1, LENGTH - 1};
  KIT_MUST(cw_barrier(cw_team_world()));
  KIT_MUST(cw_array_get(results, lo, hi, got, NULL));
  for (int row = 0; row < TASKS; row++) {
    int good = 0;
    for (int i = 0; i < LENGTH; i++)
      good += got[row][i] == (double)(phases * (row + 1)) * (row / 2 % 3 * 10 + i % 10 + 1);
    wrong += good != LENGTH;
    kit_check(good == LENGTH || good == 0 || most_wrong == 0, "row %d is torn", row);
  }
  kit_check_long(wrong, most_wrong, "rows that are not as they should be");
}

static void fill_results(void)
{
  static const double zeros[TASKS][LENGTH];
  double ten[30];
  const int64_t lo[] = {0, 0}, hi[] = {TASKS - 1, LENGTH - 1}, last[] = {29};
  for (int i = 0; i < 30; i++)
    ten[i] = i + 1;
  if (kit_me() == 0) {
    KIT_MUST(cw_array_put(results, lo, hi, zeros, NULL));
    KIT_MUST(cw_array_put(constants, lo, last, ten, NULL));
  }
  KIT_MUST(cw_array_sync(results));
}

static const cw_host_function functions[] = {{"row", kernel_row}, {NULL, NULL}};
static const cw_kernel_source source = {.functions = functions};
static const cw_task_class description = {.function = run_row,
                                          .plan = plan_row,
                                          .kernel = &source,
                                          .kernel_name = "row",
                                          .then = after_row};

static cw_error phase(cw_tasks pool, int number)
{
  KIT_MUST(cw_barrier(cw_team_world()));
  for (int64_t task = kit_me(); task < TASKS; task += kit_processes())
    KIT_MUST(cw_tasks_add(pool, number, &task, sizeof task));
  return cw_tasks_process(pool);
}

/* The fault occurs on process 0's device, after this number of calls. */
static void try_fault(cw_device device, enum fault chosen, int after)
{
  const cw_tasks_options options = {.device = device, .where = CW_WHERE_DEVICE};
  cw_tasks pool = NULL;
  cw_tasks_counts counts;
  int number = 0, failed = 0;
  kit_about("fault %d after %d calls", (int)chosen, after);
  fill_results();
  KIT_MUST(cw_tasks_create(cw_team_world(), &options, &pool));
  KIT_MUST(cw_tasks_register_class(pool, "row", &description, NULL, &number));
  KIT_MUST(cw_tasks_register(pool, "follower", run_follower, NULL, &follower));
  followed = 0;
  countdown = after;
  lost = false;
  fault = kit_me() == 0 ? chosen : NONE;
  failed = phase(pool, number) != CW_OK;
  if (failed > 0)
    kit_check(strstr(cw_error_message(), "does not like it") != NULL, "the error says '%s'",
              cw_error_message());
  const int occurred = chosen == LOST ? lost : countdown < 0;
  int sums[] = {failed, chosen != LOST && chosen != NONE && occurred && fault != NONE, followed};
  KIT_MUST(cw_allreduce(cw_team_world(), CW_INT, CW_SUM, 3, sums));
  kit_check_long(sums[0], sums[1], "processes of which a task has failed");
  kit_check_long(sums[2], TASKS - sums[1], "tasks that follow from others");
  check_rows(1, sums[1]);
  if (chosen == LOST) { /* the device remains lost, and no other fault remains */
    KIT_OK(phase(pool, number));
    check_rows(2, 0);
  }
  KIT_MUST(cw_tasks_statistics(pool, &counts));
  if (chosen == NONE)
    kit_check(counts.on_device > 0, "the device ran no task");
  fault = NONE;
  KIT_OK(cw_tasks_free(&pool));
}

int main(int argc, char **argv)
{
  static const int64_t extents[] = {TASKS, LENGTH}, thirty[] = {30};
  cw_device device = NULL;
  kit_start_native(&argc, &argv, "tasks_lost");
  kit_need_threads();
  kit_hang_guard();
  KIT_MUST(cw_device_open(NULL, &device));
  stand_before(device);
  const cw_array_options grid = {.type = CW_DOUBLE, .dimensions = 2, .extents = extents};
  const cw_array_options line = {.type = CW_DOUBLE, .dimensions = 1, .extents = thirty};
  KIT_MUST(cw_array_create(cw_team_world(), &grid, &results));
  KIT_MUST(cw_array_create(cw_team_world(), &line, &constants));
  try_fault(device, NONE, 0);
  for (int chosen = FAILED_WRITE; chosen < FAULTS; chosen++)
    for (int after = 0; after < 12; after += 1 + after / 3)
      try_fault(device, (enum fault)chosen, after);
  KIT_OK(cw_array_destroy(&results));
  KIT_OK(cw_array_destroy(&constants));
  KIT_OK(cw_device_close(&device));
  return kit_finish_native();
}
