/* Classes with a plan: random tasks of all modes on hosts and a device, compared with a model;
 * cached patches; both kinds of workers at once; tasks that fail. The device is emulated by the
 * host. */
#include "kit/native.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { SIDE = 48, TILE = 6, TILES = SIDE / TILE, TASKS = TILES * TILES, ELEMENTS = SIDE * SIDE };

/* --- The arrays and their models ---------------------------------------------------------------
 */

enum { CONSTANT, IN, OUT, INOUT, SUM, ARRAYS };
static cw_array arrays[ARRAYS];
static double models[ARRAYS][ELEMENTS];

static void make_arrays(void)
{
  static const int64_t extents[] = {SIDE, SIDE}, block[] = {7, 11};
  static const cw_layout layouts[ARRAYS] = {CW_BLOCKS, CW_TILED, CW_CYCLIC, CW_BLOCKS, CW_TILED};
  for (int i = 0; i < ARRAYS; i++) {
    const cw_array_options options = {
        .type = CW_DOUBLE,
        .dimensions = 2,
        .extents = extents,
        .distribution = {.layout = layouts[i], .block = layouts[i] == CW_BLOCKS ? NULL : block}};
    KIT_MUST(cw_array_create(cw_team_world(), &options, &arrays[i]));
  }
}

static void free_arrays(void)
{
  for (int i = 0; i < ARRAYS; i++)
    KIT_OK(cw_array_destroy(&arrays[i]));
}

static const int64_t all_lo[] = {0, 0}, all_hi[] = {SIDE - 1, SIDE - 1};

/* Fills all arrays and models with new numbers. Collective. */
static void fill_arrays(void)
{
  for (int i = 0; i < ARRAYS; i++)
    for (int k = 0; k < ELEMENTS; k++)
      models[i][k] = kit_common(9);
  if (kit_me() == 0)
    for (int i = 0; i < ARRAYS; i++)
      KIT_MUST(cw_array_put(arrays[i], all_lo, all_hi, models[i], NULL));
  KIT_MUST(cw_array_sync(arrays[0]));
}

static void compare_arrays(void)
{
  static double got[ELEMENTS];
  KIT_MUST(cw_barrier(cw_team_world()));
  for (int i = 0; i < ARRAYS; i++) {
    KIT_MUST(cw_array_get(arrays[i], all_lo, all_hi, got, NULL));
    for (int k = 0; k < ELEMENTS; k++)
      if (!kit_check(got[k] == models[i][k], "array %d has %g at (%d, %d) instead of %g", i, got[k],
                     k / SIDE, k % SIDE, models[i][k]))
        break;
  }
  KIT_MUST(cw_barrier(cw_team_world()));
}

/* --- Random tasks ------------------------------------------------------------------------------
 */

/* Every task names these patches, some of which are empty. */
enum { PATCHES = 7 };
static const struct {
  int array;
  cw_patch_mode mode;
} touched[PATCHES] = {{OUT, CW_PATCH_OUT},
                      {CONSTANT, CW_PATCH_CONSTANT},
                      {CONSTANT, CW_PATCH_CONSTANT},
                      {CONSTANT, CW_PATCH_CONSTANT},
                      {IN, CW_PATCH_IN},
                      {INOUT, CW_PATCH_INOUT},
                      {SUM, CW_PATCH_ADD}};

typedef struct box {
  int64_t lo[2], hi[2];
} box;

/* The patches of a task, which its body determines. */
typedef struct recipe {
  box boxes[PATCHES];
  int64_t elements[PATCHES];
} recipe;

typedef struct body {
  int64_t number;
  uint32_t random;
} body;

static uint32_t draw(uint32_t *state, uint32_t count)
{
  *state = *state * 1664525u + 1013904223u;
  return (*state >> 8) % count;
}

static void box_of(box *made, int array, int64_t number, uint32_t *state)
{
  const int64_t tile[] = {number / TILES, number % TILES};
  for (int d = 0; d < 2; d++) {
    const int64_t anywhere = (int64_t)draw(state, SIDE), length = 1 + (int64_t)draw(state, 9);
    const int64_t place = (int64_t)draw(state, 3) * 12; /* few different constant patches, so that
                                                         * they are reused */
    const bool own = array == OUT || array == INOUT;
    made->lo[d] = own ? tile[d] * TILE : array == CONSTANT ? place : anywhere;
    const int64_t end = made->lo[d] + (own ? TILE : array == CONSTANT ? 12 : length) - 1;
    made->hi[d] = end < SIDE ? end : SIDE - 1;
  }
}

static void recipe_of(const body *task, recipe *made)
{
  uint32_t state = task->random;
  for (int i = 0; i < PATCHES; i++) {
    box *here = &made->boxes[i];
    box_of(here, touched[i].array, task->number, &state);
    if (i > 0 && draw(&state, 3) == 0)
      here->hi[1] = here->lo[1] - 1;
    made->elements[i] = (here->hi[0] - here->lo[0] + 1) * (here->hi[1] - here->lo[1] + 1);
  }
}

/* The task's work on its patches, on a host or a device. Numbers are whole, so sums are exact. */
static void compute(int64_t number, const int64_t *elements, void *const *data)
{
  double read = (double)number;
  for (int i = 0; i < PATCHES; i++)
    for (int64_t k = 0; touched[i].mode <= CW_PATCH_IN && k < elements[i]; k++)
      read += (double)(1 + k % 3) * ((const double *)data[i])[k];
  for (int i = 0; i < PATCHES; i++) {
    double *here = data[i];
    for (int64_t k = 0; k < elements[i]; k++)
      if (touched[i].mode == CW_PATCH_OUT)
        here[k] = read + (double)k;
      else if (touched[i].mode == CW_PATCH_INOUT)
        here[k] = 2 * here[k] + (double)number;
      else if (touched[i].mode == CW_PATCH_ADD)
        here[k] += (double)(1 + k % 5);
  }
}

/* Sets the arguments of the kernel: seven memories, the number, seven lengths. */
static cw_error plan_random(const cw_task *task, void *argument, cw_plan *plan)
{
  recipe made;
  const body *mine = task->body;
  (void)argument;
  recipe_of(mine, &made);
  for (int i = 0; i < PATCHES; i++) {
    CW_TRY(cw_plan_patch(plan, touched[i].mode, arrays[touched[i].array], made.boxes[i].lo,
                         made.boxes[i].hi));
    plan->work += (double)made.elements[i];
  }
  CW_TRY(cw_plan_scalar(plan, &mine->number, sizeof mine->number));
  for (int i = 0; i < PATCHES; i++)
    CW_TRY(cw_plan_scalar(plan, &made.elements[i], sizeof made.elements[i]));
  plan->global[0] = 4;
  plan->local[0] = 2;
  return CW_OK;
}

static int wrong_plans, kernels_run;
static cw_where where_of_pools; /* of the pools */
static bool drives = true;      /* threads may drive the device */

static cw_error run_random(const cw_task *task, void *argument)
{
  recipe made;
  const body *mine = task->body;
  (void)argument;
  recipe_of(mine, &made);
  if (task->plan == NULL || task->plan->patches != PATCHES || task->plan->scalars != PATCHES + 1)
    __atomic_fetch_add(&wrong_plans, 1, __ATOMIC_RELAXED);
  compute(mine->number, made.elements, task->data);
  return CW_OK;
}

static void kernel_random(void *const *arguments, const size_t global[3])
{
  int64_t elements[PATCHES];
  for (int i = 0; i < PATCHES; i++)
    elements[i] = *(const int64_t *)arguments[PATCHES + 1 + i];
  __atomic_fetch_add(&kernels_run, global[0] == 4, __ATOMIC_RELAXED);
  compute(*(const int64_t *)arguments[PATCHES], elements, arguments);
}

/* The same work by a class without a plan. */
static cw_error run_plain(const cw_task *task, void *argument)
{
  recipe made;
  const body *mine = task->body;
  static _Thread_local double buffers[PATCHES][ELEMENTS];
  void *data[PATCHES];
  (void)argument;
  recipe_of(mine, &made);
  for (int i = 0; i < PATCHES; i++) {
    const box *here = &made.boxes[i];
    data[i] = memset(buffers[i], 0, (size_t)made.elements[i] * sizeof(double));
    if (touched[i].mode != CW_PATCH_ADD)
      CW_TRY(cw_array_get(arrays[touched[i].array], here->lo, here->hi, data[i], NULL));
  }
  compute(mine->number, made.elements, data);
  for (int i = 0; i < PATCHES; i++) {
    const box *here = &made.boxes[i];
    cw_array array = arrays[touched[i].array];
    if (touched[i].mode == CW_PATCH_ADD)
      CW_TRY(cw_array_accumulate(array, here->lo, here->hi, data[i], NULL, NULL));
    else if (touched[i].mode > CW_PATCH_IN)
      CW_TRY(cw_array_put(array, here->lo, here->hi, data[i], NULL));
  }
  return CW_OK;
}

static const cw_host_function functions[] = {{"random", kernel_random}, {NULL, NULL}};
static const cw_kernel_source source = {.functions = functions};

/* Applies all tasks to the model. */
static void expect(const body *task)
{
  recipe made;
  static double buffers[PATCHES][ELEMENTS];
  void *data[PATCHES];
  recipe_of(task, &made);
  for (int i = 0; i < PATCHES; i++) {
    const box *here = &made.boxes[i];
    const double *model = models[touched[i].array];
    double *next = buffers[i];
    data[i] = next;
    for (int64_t y = here->lo[0]; y <= here->hi[0]; y++)
      for (int64_t x = here->lo[1]; x <= here->hi[1]; x++)
        *next++ = touched[i].mode == CW_PATCH_ADD ? 0 : model[y * SIDE + x];
  }
  compute(task->number, made.elements, data);
  for (int i = 0; i < PATCHES; i++) {
    const box *here = &made.boxes[i];
    double *model = models[touched[i].array];
    const double *next = data[i];
    for (int64_t y = here->lo[0]; y <= here->hi[0]; y++)
      for (int64_t x = here->lo[1]; x <= here->hi[1]; x++, next++)
        if (touched[i].mode == CW_PATCH_ADD)
          model[y * SIDE + x] += *next;
        else if (touched[i].mode > CW_PATCH_IN)
          model[y * SIDE + x] = *next;
  }
}

enum { KERNEL, HOST_ONLY, PLAIN, CLASSES };
static int classes[CLASSES];

static void register_random(cw_tasks pool)
{
  const cw_task_class with = {
      .function = run_random, .plan = plan_random, .kernel = &source, .kernel_name = "random"};
  const cw_task_class without = {.function = run_random, .plan = plan_random};
  KIT_MUST(cw_tasks_register_class(pool, "with a kernel", &with, NULL, &classes[KERNEL]));
  KIT_MUST(cw_tasks_register_class(pool, "without", &without, NULL, &classes[HOST_ONLY]));
  KIT_MUST(cw_tasks_register(pool, "plain", run_plain, NULL, &classes[PLAIN]));
}

static uint64_t team_sum(uint64_t mine)
{
  int64_t sum = (int64_t)mine;
  KIT_MUST(cw_allreduce(cw_team_world(), CW_LONG_LONG, CW_SUM, 1, &sum));
  return (uint64_t)sum;
}

/* Runs one phase, to which each process adds tasks, many of them for other processes. mixed: tasks
 * of all classes. */
static void phase_random(cw_tasks pool, bool mixed)
{
  fill_arrays();
  for (int64_t number = 0; number < TASKS; number++) {
    const body task = {number, (uint32_t)kit_common(1 << 30)};
    const int class = mixed ? classes[kit_common(CLASSES)] : classes[KERNEL];
    const int adder = kit_common(kit_processes()), target = kit_common(kit_processes());
    if (kit_me() == adder)
      KIT_MUST(cw_tasks_add_to(pool, class, &task, sizeof task, target, 0));
    expect(&task);
  }
  KIT_MUST(cw_barrier(cw_team_world()));
  KIT_OK(cw_tasks_process(pool));
  compare_arrays();
}

static void check_sums(cw_tasks pool, long phases, bool has_device)
{
  cw_tasks_counts counts;
  KIT_MUST(cw_tasks_statistics(pool, &counts));
  kit_check_long((long)team_sum(counts.added), phases * TASKS, "tasks added");
  kit_check_long((long)team_sum(counts.executed), phases * TASKS, "tasks executed");
  const uint64_t ran = team_sum(counts.on_device), brought = team_sum(counts.to_device),
                 taken = team_sum(counts.from_device);
  const uint64_t planned = team_sum(counts.on_host + counts.on_device);
  kit_check(planned <= (uint64_t)(phases * TASKS), "%llu tasks with a plan",
            (unsigned long long)planned);
  kit_check_long((long)ran, (long)team_sum((uint64_t)kernels_run), "kernels run");
  kit_check_long(wrong_plans, 0, "functions without their plan");
  /* Other processes steal tasks if a device is busy. */
  if (has_device && where_of_pools == CW_WHERE_DEVICE)
    kit_check(ran > 0 && brought > 0 && taken > 0, "no device ran a task");
  if (where_of_pools == CW_WHERE_HOST)
    kit_check_long((long)counts.on_device, 0, "tasks on the device, which is to have none");
}

/* cache: bytes. A device with a small cache must evict patches, and leaves some tasks to hosts. */
static void random_phases(cw_device device, long phases, int threads, size_t cache)
{
  const cw_tasks_options options = {.body = sizeof(body),
                                    .threads = threads,
                                    .device = device,
                                    .ahead = 4,
                                    .cache = cache,
                                    .where = where_of_pools};
  cw_tasks pool = NULL;
  KIT_MUST(cw_tasks_create(cw_team_world(), &options, &pool));
  register_random(pool);
  kernels_run = 0;
  for (long phase = 0; phase < phases; phase++) {
    kit_about("phase %ld, %d threads, %zu bytes on the device", phase, threads, cache);
    phase_random(pool, phase % 2 == 1);
  }
  check_sums(pool, phases, device != NULL && drives && (cache == 0 || cache > 9000));
  KIT_OK(cw_tasks_free(&pool));
}

static void all_random(cw_device device, long phases)
{
  static const size_t caches[] = {0, 1 << 20, 9000, 3000, 256};
  const size_t count = kit_by_rma() ? 2 : sizeof caches / sizeof caches[0]; /* that takes long */
  for (size_t i = 0; i < count; i++) {
    where_of_pools = CW_WHERE_DEVICE;
    random_phases(device, phases, 1 + (int)i % 3, caches[i]);
    where_of_pools = CW_WHERE_MEASURED;
    random_phases(device, phases, 1 + (int)i % 3, caches[i]);
  }
  /* Some have a device, some do not. */
  random_phases(kit_me() % 2 == 0 ? device : NULL, phases, 1, 0);
  random_phases(NULL, phases, 2, 0);
  where_of_pools = CW_WHERE_HOST;
  random_phases(device, 1, 1, 0);
}

/* --- Patches that stay -------------------------------------------------------------------------
 */

static void stay(cw_device device)
{
  const cw_tasks_options options = {
      .body = sizeof(body), .device = device, .where = where_of_pools};
  cw_tasks pool = NULL;
  cw_tasks_counts counts;
  KIT_MUST(cw_tasks_create(cw_team_world(), &options, &pool));
  register_random(pool);
  enum { PHASES = 3, PLACES = 18 }; /* 9 patches of constants, and 9 empty ones */
  for (int phase = 0; phase < PHASES; phase++)
    phase_random(pool, false);
  KIT_MUST(cw_tasks_statistics(pool, &counts));
  kit_check_long((long)team_sum(counts.hits + counts.misses), 3L * PHASES * TASKS,
                 "constant patches of all tasks");
  kit_check(counts.misses <= (uint64_t)(2 * PHASES * PLACES),
            "%llu constant patches were brought, of which there are %d",
            (unsigned long long)counts.misses, PLACES);
  kit_check_long((long)counts.evicted, 0, "evicted patches");
  KIT_OK(cw_tasks_free(&pool));
}

/* --- Both kinds at work ------------------------------------------------------------------------
 */

static cw_error plan_nap(const cw_task *task, void *argument, cw_plan *plan)
{
  (void)task, (void)argument;
  plan->global[0] = 1;
  return CW_OK;
}

static cw_error run_nap(const cw_task *task, void *argument)
{
  const struct timespec nap = {.tv_nsec = 2000000};
  (void)task, (void)argument;
  nanosleep(&nap, NULL);
  return CW_OK;
}

static void kernel_nap(void *const *arguments, const size_t global[3])
{
  (void)arguments, (void)global;
}

enum { NAPS = 200 };

/* Tasks that take 2 ms on the host, and on the device the time that the settings give. */
static cw_tasks_counts share_naps(cw_device device)
{
  static const cw_host_function naps[] = {{"nap", kernel_nap}, {NULL, NULL}};
  static const cw_kernel_source nap = {.functions = naps};
  const cw_task_class description = {
      .function = run_nap, .plan = plan_nap, .kernel = &nap, .kernel_name = "nap"};
  const cw_tasks_options options = {.device = device};
  cw_tasks pool = NULL;
  cw_tasks_counts counts;
  int number = 0;
  KIT_MUST(cw_tasks_create(cw_team_world(), &options, &pool));
  KIT_MUST(cw_tasks_register_class(pool, "nap", &description, NULL, &number));
  for (int i = 0; i < NAPS; i++)
    KIT_MUST(cw_tasks_add(pool, number, NULL, 0));
  KIT_OK(cw_tasks_process(pool));
  KIT_MUST(cw_tasks_statistics(pool, &counts));
  KIT_OK(cw_tasks_free(&pool));
  return counts;
}

/* A kind of worker without a processor for a while runs fewer tasks, so there are three tries. */
static void both(cw_device device, long least_host, long least_device)
{
  enum { TRIES = 3 };
  cw_tasks_counts counts = {0};
  for (int i = 0;
       i < TRIES && ((long)counts.on_host < least_host || (long)counts.on_device < least_device);
       i++) {
    counts = share_naps(device);
    kit_check_long((long)(counts.on_host + counts.on_device), NAPS, "tasks");
  }
  kit_check((long)counts.on_host >= least_host, "hosts ran %llu tasks of %d",
            (unsigned long long)counts.on_host, NAPS);
  kit_check((long)counts.on_device >= least_device, "the device ran %llu tasks of %d",
            (unsigned long long)counts.on_device, NAPS);
}

/* --- Tasks that fail ---------------------------------------------------------------------------
 */

enum { NINE, OVERLAP, NO_WORK, GROUPS, FAIL_PLAN, MODE, OUTSIDE, SCALAR };

static cw_error plan_fault(const cw_task *task, void *argument, cw_plan *plan)
{
  const int fault = *(const int *)task->body;
  static const int64_t lo[] = {0, 0}, hi[] = {3, 3}, near_lo[] = {3, 3}, near_hi[] = {5, 5};
  (void)argument;
  for (int i = 0; fault == NINE && i < 9; i++)
    CW_TRY(cw_plan_patch(plan, CW_PATCH_IN, arrays[IN], lo, hi));
  if (fault == NO_WORK)
    plan->work = 0;
  CW_TRY(cw_plan_patch(plan, CW_PATCH_INOUT, arrays[INOUT], lo, hi));
  if (fault == OVERLAP)
    CW_TRY(cw_plan_patch(plan, CW_PATCH_IN, arrays[INOUT], near_lo, near_hi));
  plan->global[0] = 3;
  plan->local[0] = fault == GROUPS ? 2 : 1;
  if (fault == MODE)
    plan->patch[0].mode = (cw_patch_mode)7;
  if (fault == OUTSIDE)
    plan->patch[0].hi[0] = INT64_MAX / 4;
  plan->scalars = fault == SCALAR;
  plan->scalar[0].bytes = CW_PLAN_SCALAR_BYTES + 1;
  return CW_OK;
}

/* The task stores and then fails; its stores must not be visible. */
static cw_error run_fault(const cw_task *task, void *argument)
{
  const int fault = *(const int *)task->body;
  (void)argument;
  memset(task->data[0], 1, 16 * sizeof(double));
  return fault == GROUPS ? CW_MISUSE : fault == FAIL_PLAN ? CW_OUTSIDE : CW_OK;
}

static void kernel_fault(void *const *arguments, const size_t global[3])
{
  (void)arguments, (void)global;
}

static void fail_with(cw_tasks pool, int number, int fault, cw_error error, const char *words)
{
  fill_arrays();
  kit_about("fault %d", fault);
  if (kit_me() == 0)
    KIT_MUST(cw_tasks_add(pool, number, &fault, sizeof fault));
  const cw_error got = cw_tasks_process(pool);
  const char *message = got != CW_OK ? cw_error_message() : "";
  int has_error = got == error && strstr(message, words) != NULL;
  KIT_MUST(cw_allreduce(cw_team_world(), CW_INT, CW_SUM, 1, &has_error));
  kit_check_long(has_error, 1, "processes with the error");
  compare_arrays();
}

static void failures(cw_device device)
{
  static const cw_host_function naps[] = {{"fault", kernel_fault}, {NULL, NULL}};
  static const cw_kernel_source nap = {.functions = naps};
  const cw_task_class description = {
      .function = run_fault, .plan = plan_fault, .kernel = &nap, .kernel_name = "fault"};
  const cw_task_class hosts = {.function = run_fault, .plan = plan_fault};
  const cw_tasks_options options = {.device = device, .where = CW_WHERE_DEVICE};
  cw_tasks pool = NULL;
  int numbers[2];
  KIT_MUST(cw_tasks_create(cw_team_world(), &options, &pool));
  KIT_MUST(cw_tasks_register_class(pool, "fault", &description, NULL, &numbers[0]));
  KIT_MUST(cw_tasks_register_class(pool, "fault of hosts", &hosts, NULL, &numbers[1]));
  for (int i = 0; i < 2; i++) {
    fail_with(pool, numbers[i], NINE, CW_MISUSE, "8 patches already");
    fail_with(pool, numbers[i], NO_WORK, CW_MISUSE, "work");
    fail_with(pool, numbers[i], MODE, CW_MISUSE, "mode is 7");
    fail_with(pool, numbers[i], OUTSIDE, CW_MISUSE, "a patch of a plan");
    fail_with(pool, numbers[i], SCALAR, CW_MISUSE, "bytes is 17");
    if (getenv("CW_CHECK") != NULL)
      fail_with(pool, numbers[i], OVERLAP, CW_MISUSE, "overlap");
  }
  fail_with(pool, numbers[0], GROUPS, CW_MISUSE, "local");
  fail_with(pool, numbers[1], FAIL_PLAN, CW_OUTSIDE, "class 'fault of hosts'");
  KIT_OK(cw_tasks_free(&pool));
}

/* --- Registering -------------------------------------------------------------------------------
 */

static void registering(cw_device device)
{
  const cw_tasks_options options = {.device = device};
  static const cw_kernel_source elsewhere = {.ptx = "never read"};
  cw_tasks pool = NULL;
  int number = -1;
  cw_task_class given = {
      .function = run_random, .plan = plan_random, .kernel = &source, .kernel_name = "no such"};
  KIT_MUST(cw_tasks_create(cw_team_world(), &options, &pool));
  KIT_MISUSE("cw_tasks_register_class|no such",
             cw_tasks_register_class(pool, "a", &given, NULL, &number));
  given = (cw_task_class){.function = run_random, .then = run_random};
  KIT_MISUSE("cw_tasks_register_class|plan is NULL|then",
             cw_tasks_register_class(pool, "a", &given, NULL, &number));
  given = (cw_task_class){
      .function = run_random, .plan = plan_random, .kernel = &source, .kernel_name = "random"};
  given.kernel = &elsewhere; /* no program for this device: hosts run it */
  KIT_OK(cw_tasks_register_class(pool, "a", &given, NULL, &classes[KERNEL]));
  given = (cw_task_class){.function = run_plain};
  KIT_OK(cw_tasks_register_class(pool, "b", &given, NULL, &number));
  kit_check_long(number, 1, "number of the second class");
  classes[HOST_ONLY] = classes[KERNEL];
  classes[PLAIN] = number;
  phase_random(pool, true);
  KIT_MISUSE("cw_device_close|free them first", cw_device_close(&device));
  KIT_OK(cw_tasks_free(&pool));
  const cw_tasks_options large = {.device = device, .cache = (size_t)1 << 60};
  KIT_OUTSIDE("cw_tasks_create|bytes", cw_tasks_create(cw_team_world(), &large, &pool));
}

/* No thread may drive the device: hosts do everything. */
static void without_threads(cw_device device)
{
  drives = false;
  where_of_pools = CW_WHERE_DEVICE;
  random_phases(device, 2, 1, 0);
  kit_check_long(kernels_run, 0, "kernels that ran");
}

int main(int argc, char **argv)
{
  cw_device device = NULL;
  const char *mode = argc > 1 ? argv[1] : "random";
  const bool alone = strcmp(mode, "alone") == 0;
  if (alone) {
    kit_start(&argc, &argv, "tasks_devices");
    KIT_MUST(cw_init(MPI_COMM_WORLD));
  } else {
    kit_start_native(&argc, &argv, "tasks_devices");
    kit_need_threads();
  }
  kit_hang_guard();
  KIT_MUST(cw_device_open(NULL, &device));
  make_arrays();
  if (strcmp(mode, "random") == 0)
    all_random(device, kit_rounds(argc > 2 ? argv[2] : NULL, 4));
  else if (strcmp(mode, "stay") == 0)
    for (where_of_pools = CW_WHERE_MEASURED; where_of_pools <= CW_WHERE_DEVICE; where_of_pools++)
      stay(device);
  else if (strcmp(mode, "both") == 0)
    both(device, strtol(argv[2], NULL, 10), strtol(argv[3], NULL, 10));
  else if (alone)
    without_threads(device);
  else if (strcmp(mode, "failures") == 0)
    failures(device);
  else
    registering(device);
  free_arrays();
  KIT_OK(cw_device_close(&device));
  return kit_finish_native();
}
