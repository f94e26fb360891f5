/* Classes with a plan, and how a host worker runs their tasks: it fetches the patches, calls the
 * function, and stores the results. Used by phases. */
#include "base/clock.h"
#include "base/log.h"
#include "base/size.h"
#include "device/device.h"
#include "device_task/accelerator.h"
#include "device_task/planning.h"
#include "transfer/handle.h"
#include "wait/waiter.h"

#include <stdlib.h>
#include <string.h>

/* --- Making ----------------------------------------------------------------------------------- */

static bool has_program(const cw_kernel_source *source, cw_device_kind kind)
{
  switch (kind) {
  case CW_DEVICE_HOST:
    return source->functions != NULL;
  case CW_DEVICE_OPENCL:
    return source->opencl != NULL;
  case CW_DEVICE_CUDA:
    return source->ptx != NULL;
  default:
    return false;
  }
}

static cw_error class_check(const cw_task_class *description)
{
  CWI_TRY(cwi_check_not_null("description", description));
  if (description->function == NULL)
    return cwi_misuse("description->function is NULL; a host may have to run any task");
  if (description->kernel != NULL && description->kernel_name == NULL)
    return cwi_misuse("description->kernel_name is NULL; it names a kernel of the source");
  if (description->kernel != NULL && description->plan == NULL)
    return cwi_misuse("description->plan is NULL; tasks with a kernel need a plan, which names the "
                      "kernel's arguments");
  if (description->then != NULL && description->plan == NULL)
    return cwi_misuse("description->plan is NULL; `then` is called only after tasks with a plan");
  return CW_OK;
}

/* Builds the kernel, unless no thread of this process drives the device. */
static cw_error class_build(cw_tasks pool, const cw_task_class *description,
                            struct cwi_class *class)
{
  struct cwi_planning *planning = pool->planning;
  if (description->kernel == NULL || planning->accelerator == NULL)
    return CW_OK;
  cw_device device = pool->options.device;
  if (!has_program(description->kernel, device->facts.kind)) {
    cwi_log(CWI_LOG_INFO, "kernel '%s' has no program for %s: hosts run its tasks",
            description->kernel_name, device->facts.name);
    return CW_OK;
  }
  CWI_TRY(cw_kernel_create(device, description->kernel, description->kernel_name, &class->kernel));
  planning->kernels++;
  return CW_OK;
}

cw_error cwi_class_make(cw_tasks pool, const cw_task_class *description, void *argument,
                        struct cwi_class **made)
{
  CWI_TRY(class_check(description));
  CWI_TRY(cwi_planning_begin(pool));
  struct cwi_class *class = calloc(1, sizeof *class);
  if (class == NULL)
    return cwi_outside("no memory for a class of tasks");
  *class = (struct cwi_class){.function = description->function,
                              .argument = argument,
                              .plan = description->plan,
                              .continuation = description->then};
  const cw_error error = class_build(pool, description, class);
  if (error == CW_OK)
    *made = class;
  else
    free(class);
  return error;
}

void cwi_class_free(struct cwi_class *class)
{
  if (class == NULL)
    return;
  if (class->kernel != NULL && cw_kernel_free(&class->kernel) != CW_OK)
    cwi_log(CWI_LOG_WARNING, "a kernel of a class of tasks was not freed: %s", cwi_error_message());
  free(class);
}

/* --- Running on the host ---------------------------------------------------------------------- */

/* The patches of a task that runs on the host. */
struct gathered {
  struct cwi_needs *needs;
  void *data[CW_PLAN_PATCHES];
  struct cwi_cached_patch *kept[CW_PLAN_PATCHES]; /* NULL if the patch is in `own` */
  char *own;
};

static cw_error take_cached(struct gathered *gathered, struct cwi_worker *worker)
{
  const cw_plan *plan = &gathered->needs->plan;
  struct cwi_constant_cache *keep = &worker->pool->planning->constant_cache;
  cw_error error = CW_OK;
  for (int i = 0; i < plan->patches && error == CW_OK; i++) {
    if (plan->patch[i].mode != CW_PATCH_CONSTANT)
      continue;
    error = cwi_constant_cache_take(keep, &plan->patch[i], gathered->needs->bytes[i],
                                    &gathered->kept[i], &worker->counts);
    if (gathered->kept[i] != NULL)
      gathered->data[i] = gathered->kept[i]->memory;
  }
  return error;
}

/* Allocates one block for all patches that only this task uses. */
static cw_error class_allocate(struct gathered *gathered)
{
  enum { LINE = 64 };
  const cw_plan *plan = &gathered->needs->plan;
  size_t at[CW_PLAN_PATCHES], bytes = LINE, more = 0;
  bool fits = true;
  for (int i = 0; i < plan->patches && fits; i++) {
    at[i] = bytes;
    if (gathered->kept[i] == NULL)
      fits = cwi_round_up_fits(gathered->needs->bytes[i], LINE, &more) &&
             cwi_add(bytes, more, &bytes) && cwi_is_possible(bytes, 1);
  }
  gathered->own = fits ? aligned_alloc(LINE, bytes) : NULL;
  if (gathered->own == NULL)
    return cwi_outside("no memory for the patches of a task: %zu bytes%s", bytes,
                       fits ? "" : " and more");
  for (int i = 0; i < plan->patches; i++)
    if (gathered->kept[i] == NULL)
      gathered->data[i] = gathered->own + at[i];
  return CW_OK;
}

static cw_error start_fetches(struct gathered *gathered, cw_tasks_counts *counts, cw_handle *handle)
{
  const cw_plan *plan = &gathered->needs->plan;
  for (int i = 0; i < plan->patches; i++) {
    const cw_planned_patch *patch = &plan->patch[i];
    if (gathered->kept[i] != NULL)
      continue;
    if (patch->mode == CW_PATCH_ADD)
      memset(gathered->data[i], 0, gathered->needs->bytes[i]);
    if (!cwi_mode_reads(patch->mode))
      continue;
    CWI_TRY(cwi_patch_fetch(patch, gathered->data[i], handle));
    counts->fetched += cwi_needs_moved(gathered->needs, i);
  }
  return CW_OK;
}

static cw_error start_stores(struct gathered *gathered, cw_tasks_counts *counts, cw_handle *handle)
{
  const cw_plan *plan = &gathered->needs->plan;
  for (int i = 0; i < plan->patches; i++) {
    if (!cwi_mode_writes(plan->patch[i].mode))
      continue;
    CWI_TRY(cwi_patch_store(&plan->patch[i], gathered->data[i], handle));
    counts->stored += cwi_needs_moved(gathered->needs, i);
  }
  return CW_OK;
}

/* Starts transfers, and waits for those that have started even after an error, because they use the
 * task's memory. */
static cw_error transfer_all(struct gathered *gathered, cw_tasks_counts *counts,
                             cw_error (*start)(struct gathered *gathered, cw_tasks_counts *counts,
                                               cw_handle *handle))
{
  struct cwi_first_error first;
  cw_handle handle = {0};
  bool done = false;
  cwi_first_begin(&first, start(gathered, counts, &handle));
  cwi_first_note(&first, cwi_handle_finish(&handle, true, &done));
  return cwi_first_return(&first);
}

static cw_error class_bring(struct gathered *gathered, struct cwi_worker *worker)
{
  CWI_TRY(take_cached(gathered, worker));
  CWI_TRY(class_allocate(gathered));
  return transfer_all(gathered, &worker->counts, start_fetches);
}

static void class_drop(struct gathered *gathered, struct cwi_worker *worker)
{
  for (int i = 0; i < gathered->needs->plan.patches; i++)
    if (gathered->kept[i] != NULL)
      cwi_constant_cache_release(&worker->pool->planning->constant_cache, gathered->kept[i]);
  free(gathered->own);
}

static void class_learn(struct cwi_planning *planning, struct cwi_class *class,
                        const struct cwi_task_cost *took)
{
  pthread_mutex_lock(&planning->lock);
  cwi_placement_learn(&planning->placement, &class->cost, CWI_ON_HOST, took);
  pthread_mutex_unlock(&planning->lock);
}

/* Runs the function and stores the results, if it succeeds. */
static cw_error class_perform(struct gathered *gathered, struct cwi_worker *worker,
                              const cw_task *given, struct cwi_class *class, cw_task_times *times)
{
  cw_task task = *given;
  cw_tasks_counts *counts = &worker->counts;
  const uint64_t before = counts->fetched;
  times->begin = cwi_now();
  CWI_TRY(class_bring(gathered, worker));
  task.plan = &gathered->needs->plan;
  task.data = gathered->data;
  times->run = cwi_now();
  CWI_TRY(cwi_task_call(class->function, &task, class->argument));
  times->ran = cwi_now();
  CWI_TRY(transfer_all(gathered, counts, start_stores));
  times->end = cwi_now();
  counts->on_host++;
  const struct cwi_task_cost took = {.work = task.plan->work,
                                     .run = times->ran - times->run,
                                     .moving = times->run - times->begin + times->end - times->ran,
                                     .moved = counts->fetched - before + gathered->needs->written};
  class_learn(worker->pool->planning, class, &took);
  return CW_OK;
}

static cw_error run_here(struct cwi_worker *worker, const cw_task *task, struct cwi_class *class,
                         struct cwi_needs *needs)
{
  struct cwi_underway *underway = &worker->pool->planning->underway;
  struct gathered gathered = {.needs = needs};
  cw_task_times times;
  CWI_TRY(cwi_needs_enter(underway, needs));
  cw_error error = class_perform(&gathered, worker, task, class, &times);
  cwi_needs_leave(underway, needs);
  if (error == CW_OK)
    error = cwi_class_continue(class, task, needs, gathered.data, &times);
  class_drop(&gathered, worker);
  return error;
}

/* --- Choosing --------------------------------------------------------------------------------- */

/* If all tasks go to devices, waits while the device of this process has enough tasks. Without this
 * wait, the device would take all tasks before other processes can steal some. */
static void await_device(struct cwi_worker *worker)
{
  enum { NAP_NANOSECONDS = 70000 };
  const struct cwi_planning *planning = worker->pool->planning;
  const uint32_t enough = 2 * (uint32_t)worker->pool->options.ahead;
  while (planning->placement.requested == CW_WHERE_DEVICE && !cwi_worker_drives(worker) &&
         __atomic_load_n(&planning->handoffs[CWI_ON_DEVICE].count, __ATOMIC_RELAXED) >= enough &&
         __atomic_load_n(&planning->serves, __ATOMIC_RELAXED)) {
    cwi_worker_poll(worker);
    cwi_nap(NAP_NANOSECONDS);
  }
}

/* Hands the task to the device if the device would end it sooner. The task is counted as added
 * again before the device can take it. */
static bool leave_to_device(struct cwi_worker *worker, const cw_task *task,
                            const struct cwi_class *class, const struct cwi_needs *needs)
{
  struct cwi_planning *planning = worker->pool->planning;
  const double work = needs->plan.work;
  if (class->kernel == NULL || !__atomic_load_n(&planning->serves, __ATOMIC_RELAXED) ||
      !cwi_accelerator_has_space(planning->accelerator, needs))
    return false;
  await_device(worker);
  cwi_worker_publish_waiting(worker);
  const uint64_t waiting = cwi_tasks_waiting(worker->pool);
  const struct cwi_slot_head head = {.number = (uint32_t)task->number,
                                     .affinity = task->affinity,
                                     .bytes = (uint32_t)task->bytes,
                                     .adder = task->adder};
  pthread_mutex_lock(&planning->lock);
  bool leaves = !cwi_placement_host_takes(&planning->placement, &class->cost, work, waiting);
  if (leaves) {
    cwi_task_raise(&worker->added, 1);
    const double seconds =
        cwi_placement_expect(&planning->placement, &class->cost, CWI_ON_DEVICE, work);
    leaves = cwi_handoff_put(planning, CWI_ON_DEVICE, head, task->body, work, seconds);
    if (!leaves)
      __atomic_store_n(&worker->added, worker->added - 1, __ATOMIC_RELEASE);
  }
  pthread_mutex_unlock(&planning->lock);
  worker->counts.handed += leaves;
  return leaves;
}

static cw_error class_run(const cw_task *task, struct cwi_class *class, bool may_leave)
{
  struct cwi_worker *worker = cwi_worker_here(task->pool);
  struct cwi_needs needs;
  if (class->plan == NULL)
    return cwi_task_call(class->function, task, class->argument);
  CWI_TRY(cwi_needs_query(task, class->plan, class->argument, &needs));
  if (may_leave && leave_to_device(worker, task, class, &needs))
    return CW_OK;
  return run_here(worker, task, class, &needs);
}

cw_error cwi_class_run(const cw_task *task, void *argument)
{
  return class_run(task, argument, true);
}

static cw_error run_for_good(const cw_task *task, void *argument)
{
  return class_run(task, argument, false);
}

void cwi_worker_run_hand(struct cwi_worker *worker)
{
  struct cwi_handed_task *task = worker->hand;
  const struct cwi_named *known = &worker->classes[task->head.number];
  worker->hand = NULL;
  cwi_worker_run_by(worker, task->head, task->body,
                    known->planned != NULL ? run_for_good : known->function);
  free(task);
}
