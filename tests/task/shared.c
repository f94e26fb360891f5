/* A pool on a device, and arrays whose parts are on the same device: in separate memory, or in
 * host memory that all processes access (CW_DEVICE_SHARED).
 * Tasks, operations of whole arrays, and loads see each
 * other's elements. The device is CW_DEVICE's. */
#include "kit/native.h"

#include <causeway/device.h>
#include <causeway/task.h>

#include <string.h>

enum { SIDE = 24, TILE = 6, TILES = SIDE / TILE, ELEMENTS = SIDE * SIDE, PHASES = 3 };

static cw_device device;
static cw_array x, b, sum;
static const int64_t all_lo[] = {0, 0}, all_hi[] = {SIDE - 1, SIDE - 1};

/* x = 2 x + b + number; sum += 3 */
static void step(double *mine, const double *other, double *more, int64_t number, int64_t count)
{
  for (int64_t i = 0; i < count; i++) {
    mine[i] = 2 * mine[i] + other[i] + (double)number;
    more[i] += 3;
  }
}

static const char text[] =
    "#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n"
    "kernel void advance(global double *mine, global const double *other, global double *more,\n"
    "                 long number, long count)\n"
    "{\n"
    "  for (long i = get_global_id(0); i < count; i += get_global_size(0)) {\n"
    "    mine[i] = 2 * mine[i] + other[i] + number;\n"
    "    more[i] += 3;\n"
    "  }\n"
    "}\n";

static void kernel_step(void *const *arguments, const size_t global[3])
{
  (void)global;
  step(arguments[0], arguments[1], arguments[2], *(const int64_t *)arguments[3],
       *(const int64_t *)arguments[4]);
}

static const cw_host_function functions[] = {{"advance", kernel_step}, {NULL, NULL}};
static const cw_kernel_source source = {.opencl = text, .functions = functions};

static cw_error plan_step(const cw_task *task, void *argument, cw_plan *plan)
{
  const int64_t number = *(const int64_t *)task->body, count = TILE * TILE;
  const int64_t lo[] = {number / TILES * TILE, number % TILES * TILE};
  const int64_t hi[] = {lo[0] + TILE - 1, lo[1] + TILE - 1};
  (void)argument;
  CW_TRY(cw_plan_patch(plan, CW_PATCH_INOUT, x, lo, hi));
  CW_TRY(cw_plan_patch(plan, CW_PATCH_CONSTANT, b, lo, hi));
  CW_TRY(cw_plan_patch(plan, CW_PATCH_ADD, sum, lo, hi));
  CW_TRY(cw_plan_scalar(plan, &number, sizeof number));
  CW_TRY(cw_plan_scalar(plan, &count, sizeof count));
  plan->work = (double)count;
  plan->global[0] = 4;
  plan->local[0] = 1;
  return CW_OK;
}

static cw_error run_step(const cw_task *task, void *argument)
{
  (void)argument;
  step(task->data[0], task->data[1], task->data[2], *(const int64_t *)task->body, TILE * TILE);
  return CW_OK;
}

static cw_array make(const char *name)
{
  const int64_t extents[] = {SIDE, SIDE};
  const cw_array_options options = {
      .name = name, .type = CW_DOUBLE, .dimensions = 2, .extents = extents, .device = device};
  cw_array array = NULL;
  KIT_MUST(cw_array_create(cw_team_world(), &options, &array));
  return array;
}

static void check(cw_array array, double (*want)(int64_t i, int64_t j, int phase), int phase)
{
  static double got[ELEMENTS];
  KIT_OK(cw_array_sync(array));
  KIT_OK(cw_array_get(array, all_lo, all_hi, got, NULL));
  for (int64_t k = 0; k < ELEMENTS; k++)
    if (!kit_check(got[k] == want(k / SIDE, k % SIDE, phase), "(%d, %d) is %g, not %g",
                   (int)(k / SIDE), (int)(k % SIDE), got[k], want(k / SIDE, k % SIDE, phase)))
      break;
  KIT_OK(cw_array_sync(array));
}

static double want_x(int64_t i, int64_t j, int phase)
{
  const int64_t number = i / TILE * TILES + j / TILE;
  double value = 1;
  for (int p = 0; p <= phase; p++)
    value = 3 * (2 * value + 5 + (double)number);
  return value;
}

static double want_sum(int64_t i, int64_t j, int phase)
{
  (void)i, (void)j;
  return 3.0 * (phase + 1);
}

/* Tasks, then an operation by the library's kernels. */
static void phase(cw_tasks pool, int number, int phase)
{
  const double three = 3;
  for (int64_t tile = 0; tile < TILES * TILES; tile++)
    if (tile % kit_processes() == kit_me())
      KIT_MUST(cw_tasks_add(pool, number, &tile, sizeof tile));
  KIT_MUST(cw_barrier(cw_team_world()));
  KIT_OK(cw_tasks_process(pool));
  KIT_OK(cw_array_apply(x, NULL, NULL, CW_SCALE, &three));
  check(x, want_x, phase);
  check(sum, want_sum, phase);
}

/* Operations without a kernel need memory that the host can access. */
static void try_hosts(bool shared)
{
  cw_array_description what;
  const double power = 2;
  KIT_OK(cw_array_describe(x, &what));
  kit_check(what.on_devices != shared, "parts are said to be %s", shared ? "apart" : "shared");
  if (shared)
    KIT_OK(cw_array_apply(x, NULL, NULL, CW_ADD_CONSTANT, &power));
  else
    KIT_MISUSE("on devices|cw_array_copy", cw_array_apply(x, NULL, NULL, CW_ADD_CONSTANT, &power));
}

int main(int argc, char **argv)
{
  const double one = 1, five = 5;
  int number = 0;
  cw_device_facts facts;
  cw_tasks pool = NULL;
  kit_start_native(&argc, &argv, "tasks_shared");
  kit_hang_guard();
  KIT_MUST(cw_device_open(NULL, &device));
  KIT_OK(cw_device_describe(device, &facts));
  x = make("x"), b = make("b"), sum = make("sum");
  KIT_OK(cw_array_fill(x, NULL, NULL, &one));
  KIT_OK(cw_array_fill(b, NULL, NULL, &five));
  KIT_OK(cw_array_fill(sum, NULL, NULL, NULL));
  for (cw_where where = CW_WHERE_MEASURED; where <= CW_WHERE_DEVICE; where++) {
    const cw_tasks_options options = {.body = sizeof(int64_t), .device = device, .where = where};
    const cw_task_class class = {
        .function = run_step, .plan = plan_step, .kernel = &source, .kernel_name = "advance"};
    KIT_OK(cw_array_fill(x, NULL, NULL, &one));
    KIT_OK(cw_array_fill(sum, NULL, NULL, NULL));
    KIT_MUST(cw_tasks_create(cw_team_world(), &options, &pool));
    KIT_MUST(cw_tasks_register_class(pool, "step", &class, NULL, &number));
    for (int i = 0; i < PHASES; i++)
      phase(pool, number, i);
    KIT_OK(cw_tasks_free(&pool));
  }
  try_hosts(facts.shared);
  KIT_OK(cw_array_destroy(&x));
  KIT_OK(cw_array_destroy(&b));
  KIT_OK(cw_array_destroy(&sum));
  KIT_OK(cw_device_close(&device));
  return kit_finish_native();
}
