/* The worker of a device. It overlaps tasks: while it fetches the patches of one task, the kernel
 * of the previous task runs, and the results of the one before are stored. It polls all of them in
 * turn and never blocks on one. Used by phases. */
#include "device_task/accelerator.h"

#include "base/clock.h"
#include "base/log.h"
#include "base/size.h"
#include "device_task/device_job.h"
#include "mpi/mpi_threads.h"
#include "team/world.h"
#include "transfer/handle.h"
#include "wait/lock.h"

#include <stdlib.h>
#include <string.h>

struct cwi_accelerator {
  struct cwi_task_device device_memory;
  struct cwi_device_job *jobs; /* [ahead], a ring */
  int ahead, first, count;
  bool next_waits;   /* the next job waits for device memory */
  bool has_freed;    /* memory was freed since the last attempt */
  bool lost;         /* the device is lost */
  int running;       /* number of jobs submitted to the device */
  double idle_since; /* time since which the device has had no job */
};

static struct cwi_device_job *job_at(const struct cwi_accelerator *accelerator, int i)
{
  return &accelerator->jobs[(accelerator->first + i) % accelerator->ahead];
}

/* --- Opening ---------------------------------------------------------------------------------- */

static bool may_drive(void)
{
  static bool warned;
  if (cwi_mpi_threads())
    return true;
  if (!warned)
    cwi_log(CWI_LOG_WARNING,
            "a pool of tasks has a device, but MPI was started with %s: a thread that drives it "
            "needs MPI_THREAD_MULTIPLE; hosts run all tasks",
            cwi_mpi_thread_level_name());
  warned = true;
  return false;
}

/* Allocates the cache of the device. If the program does not give a size, halves the usual one
 * until the allocation succeeds. */
static cw_error take_memory(struct cwi_task_device *device_memory, size_t wanted, size_t *bytes)
{
  enum { SHARE = 4, LEAST = 1 << 16 };
  const cw_device_facts *facts = &device_memory->device->facts;
  if (wanted > 0) {
    *bytes = wanted;
    return cwi_device_memory_take(device_memory->device, wanted, &device_memory->memory);
  }
  *bytes = facts->memory / SHARE / (size_t)cwi_world.node_processes;
  *bytes = *bytes < facts->most ? *bytes : facts->most;
  cw_error error = cwi_device_memory_take(device_memory->device, *bytes, &device_memory->memory);
  while (error != CW_OK && *bytes / 2 >= LEAST) {
    *bytes /= 2;
    error = cwi_device_memory_take(device_memory->device, *bytes, &device_memory->memory);
  }
  return error;
}

static cw_error make_jobs(cw_tasks pool, struct cwi_accelerator *accelerator)
{
  accelerator->ahead = pool->options.ahead;
  accelerator->jobs = calloc((size_t)accelerator->ahead, sizeof *accelerator->jobs);
  bool made = accelerator->jobs != NULL;
  for (int i = 0; made && i < accelerator->ahead; i++) {
    accelerator->jobs[i].body = aligned_alloc(64, (pool->options.body + 63) & ~(size_t)63);
    made = accelerator->jobs[i].body != NULL;
  }
  return made ? CW_OK : cwi_outside("no memory for the worker of a device");
}

static cw_error begin_task_device(cw_tasks pool, struct cwi_task_device *device_memory)
{
  size_t bytes = 0;
  device_memory->device = pool->options.device;
  CWI_TRY(take_memory(device_memory, pool->options.cache, &bytes));
  return cwi_device_allocator_begin(&device_memory->allocator, bytes,
                                    device_memory->device->facts.alignment)
             ? CW_OK
             : cwi_outside("no memory to divide a device's");
}

cw_error cwi_accelerator_open(cw_tasks pool)
{
  if (pool->options.device == NULL || !may_drive())
    return CW_OK;
  struct cwi_accelerator *accelerator = calloc(1, sizeof *accelerator);
  if (accelerator == NULL)
    return cwi_outside("no memory for the worker of a device");
  cw_error error = begin_task_device(pool, &accelerator->device_memory);
  if (error == CW_OK)
    error = make_jobs(pool, accelerator);
  if (error != CW_OK) {
    cwi_accelerator_close(accelerator);
    return error;
  }
  pool->planning->accelerator = accelerator;
  pool->planning->serves = pool->options.where != CW_WHERE_HOST;
  return CW_OK;
}

void cwi_accelerator_close(struct cwi_accelerator *accelerator)
{
  if (accelerator == NULL)
    return;
  for (int i = 0; accelerator->jobs != NULL && i < accelerator->ahead; i++) {
    cwi_job_unstage(&accelerator->device_memory, &accelerator->jobs[i]);
    free(accelerator->jobs[i].body);
  }
  free(accelerator->jobs);
  cwi_task_device_clear(&accelerator->device_memory);
  cwi_device_allocator_end(&accelerator->device_memory.allocator);
  if (accelerator->device_memory.memory != NULL)
    cwi_device_memory_give(accelerator->device_memory.device, accelerator->device_memory.memory);
  free(accelerator);
}

void cwi_accelerator_forget(struct cwi_accelerator *accelerator)
{
  if (accelerator != NULL)
    cwi_task_device_clear(&accelerator->device_memory);
}

bool cwi_accelerator_has_space(const struct cwi_accelerator *accelerator,
                               const struct cwi_needs *needs)
{
  const struct cwi_device_allocator *allocator = &accelerator->device_memory.allocator;
  size_t bytes = 0;
  for (int i = 0; i < needs->plan.patches; i++)
    if (needs->bytes[i] > allocator->bytes ||
        !cwi_add(bytes, cwi_device_allocator_size(allocator, needs->bytes[i]), &bytes))
      return false;
  return bytes <= allocator->bytes;
}

/* - Tasks that the device does not run - */

static void to_hosts(struct cwi_worker *worker, struct cwi_slot_head head, const void *body)
{
  struct cwi_planning *planning = worker->pool->planning;
  pthread_mutex_lock(&planning->lock);
  const bool laid = cwi_handoff_put(planning, CWI_ON_HOST, head, body, 0, 0);
  pthread_mutex_unlock(&planning->lock);
  worker->counts.returned++;
  if (!laid)
    cwi_task_must(cwi_outside("no memory for a task that the device does not run"));
}

/* --- The end of a job ------------------------------------------------------------------------- */

static void job_hold(struct cwi_planning *planning, struct cwi_device_job *job)
{
  pthread_mutex_lock(&planning->lock);
  job->expected = cwi_placement_expect(&planning->placement, &job->kind->cost, CWI_ON_DEVICE,
                                       job->needs.plan.work);
  cwi_placement_hold(&planning->placement, job->expected);
  pthread_mutex_unlock(&planning->lock);
}

/* Removes the job from the expected load of the device. `took` is the measured cost, or NULL if
 * there is none to record. */
static void job_unhold(struct cwi_planning *planning, struct cwi_device_job *job,
                       const struct cwi_task_cost *took)
{
  pthread_mutex_lock(&planning->lock);
  cwi_placement_release(&planning->placement, job->expected);
  if (took != NULL)
    cwi_placement_learn(&planning->placement, &job->kind->cost, CWI_ON_DEVICE, took);
  pthread_mutex_unlock(&planning->lock);
}

static void job_left_device(struct cwi_accelerator *accelerator)
{
  if (--accelerator->running == 0)
    accelerator->idle_since = cwi_now();
}

/* Ends the job and frees its blocks. The caller decides what happens to its task. */
static void job_end(struct cwi_worker *worker, struct cwi_accelerator *accelerator,
                    struct cwi_device_job *job, const struct cwi_task_cost *took)
{
  struct cwi_planning *planning = worker->pool->planning;
  if (job->state == CWI_JOB_RUNS)
    job_left_device(accelerator);
  cwi_job_drop_events(&accelerator->device_memory, job);
  cwi_job_release(&accelerator->device_memory, job);
  cwi_needs_leave(&planning->underway, &job->needs);
  job_unhold(planning, job, took);
  job->state = CWI_JOB_ENDED;
  accelerator->has_freed = true;
}

/* Ends the job with an error of its task. Waits first for the transfers in flight, because they use
 * memory that the next job will use. */
static void job_fail(struct cwi_worker *worker, struct cwi_accelerator *accelerator,
                     struct cwi_device_job *job, unsigned messages, cw_error error)
{
  bool done = false;
  struct cwi_first_error first;
  cwi_first_begin(&first, error);
  cwi_first_note(&first, cwi_handle_finish(&job->handle, true, &done));
  const struct cwi_named *known = &worker->classes[job->head.number];
  cwi_task_failed(worker, known, messages, cwi_first_return(&first));
  job_end(worker, accelerator, job, NULL);
  cwi_task_raise(&worker->done, 1);
}

/* Ends the job and puts its task on the list for hosts. None of the task's results have been
 * stored. Waits first for the fetches, which use the job's buffers. */
static void job_return(struct cwi_worker *worker, struct cwi_accelerator *accelerator,
                       struct cwi_device_job *job)
{
  bool done = false;
  if (job->state == CWI_JOB_FETCHES && cwi_handle_finish(&job->handle, true, &done) != CW_OK)
    cwi_log(CWI_LOG_INFO,
            "the data of a task that a host will run could not be fetched for the device: %s",
            cwi_error_message());
  job_end(worker, accelerator, job, NULL);
  to_hosts(worker, job->head, job->body);
}

/* Handles an error of the device, which occurred when a job was submitted, or later (`late`). If
 * the device still works, the job's task has failed with this error. A late error may have made the
 * other jobs on the device fail, too, so their tasks go to hosts. */
static void job_handle_error(struct cwi_worker *worker, struct cwi_accelerator *accelerator,
                             struct cwi_device_job *job, bool late, cw_error error)
{
  struct cwi_first_error first;
  const unsigned messages = cwi_error_messages - 1;
  cwi_first_begin(&first, error);
  accelerator->lost = cwi_device_finish(accelerator->device_memory.device) != CW_OK;
  const cw_error again = cwi_first_return(&first);
  if (accelerator->lost) {
    cwi_log(CWI_LOG_WARNING, "the device of a pool of tasks is lost, hosts run its tasks: %s",
            cwi_error_message());
    return;
  }
  for (int i = 0; late && i < accelerator->count; i++)
    if (job_at(accelerator, i)->state == CWI_JOB_RUNS)
      cwi_job_mark_failed(job_at(accelerator, i));
  job_fail(worker, accelerator, job, messages, again);
  for (int i = 0; late && i < accelerator->count; i++)
    if (job_at(accelerator, i)->state == CWI_JOB_RUNS)
      job_return(worker, accelerator, job_at(accelerator, i));
}

/* - Stages of a job: each function returns true if the stage has ended - */

static bool job_has_fetched(struct cwi_worker *worker, struct cwi_accelerator *accelerator,
                            struct cwi_device_job *job, bool may_submit)
{
  bool done = false;
  const unsigned messages = cwi_error_messages;
  const cw_error fetched = cwi_handle_finish(&job->handle, false, &done);
  if (fetched != CW_OK)
    job_fail(worker, accelerator, job, messages, fetched);
  if (fetched != CW_OK || !done || !may_submit)
    return fetched != CW_OK;
  if (!cwi_job_is_whole(job)) {
    job_return(worker, accelerator, job);
    return true;
  }
  if (accelerator->running++ == 0)
    worker->counts.device_idle += cwi_now() - accelerator->idle_since;
  const cw_error error = cwi_job_submit(&accelerator->device_memory, job);
  if (error != CW_OK)
    job_handle_error(worker, accelerator, job, false, error);
  return true;
}

static bool job_has_run(struct cwi_worker *worker, struct cwi_accelerator *accelerator,
                        struct cwi_device_job *job)
{
  bool ended = false;
  const cw_error error = cwi_job_poll(&accelerator->device_memory, job, &ended);
  if (error != CW_OK)
    job_handle_error(worker, accelerator, job, true, error);
  if (error != CW_OK || !ended)
    return error != CW_OK;
  job_left_device(accelerator);
  const unsigned messages = cwi_error_messages;
  const cw_error stored = cwi_job_store(job, &worker->counts);
  if (stored != CW_OK)
    job_fail(worker, accelerator, job, messages, stored);
  return true;
}

/* Runs the continuation of the job's task. First ends the task's use of its patches, because the
 * continuation may add tasks that use the same patches. An error of the continuation is an error of
 * the task. */
static void job_continue(struct cwi_worker *worker, struct cwi_device_job *job,
                         const cw_task_times *times)
{
  void *data[CW_PLAN_PATCHES];
  const cw_task task = cwi_worker_task(worker, job->head, job->body);
  const unsigned messages = cwi_error_messages;
  cwi_needs_leave(&worker->pool->planning->underway, &job->needs);
  cwi_job_results(job, data);
  const cw_error error = cwi_class_continue(job->kind, &task, &job->needs, data, times);
  if (error != CW_OK)
    cwi_task_failed(worker, &worker->classes[job->head.number], messages, error);
}

static bool job_has_stored(struct cwi_worker *worker, struct cwi_accelerator *accelerator,
                           struct cwi_device_job *job)
{
  bool done = false;
  const unsigned messages = cwi_error_messages;
  const cw_error error = cwi_handle_finish(&job->handle, false, &done);
  if (error != CW_OK)
    job_fail(worker, accelerator, job, messages, error);
  if (error != CW_OK || !done)
    return error != CW_OK;
  const struct cwi_task_cost took = cwi_job_cost(job);
  const cw_task_times times = cwi_job_times(job);
  worker->counts.on_device++;
  worker->counts.to_device += job->loaded;
  worker->counts.from_device += job->read;
  job_continue(worker, job, &times);
  job_end(worker, accelerator, job, &took);
  cwi_task_raise(&worker->done, 1);
  return true;
}

static bool job_step(struct cwi_worker *worker, struct cwi_accelerator *accelerator,
                     struct cwi_device_job *job, bool may_submit)
{
  switch (job->state) {
  case CWI_JOB_FETCHES:
    return job_has_fetched(worker, accelerator, job, may_submit);
  case CWI_JOB_RUNS:
    return job_has_run(worker, accelerator, job);
  case CWI_JOB_STORES:
    return job_has_stored(worker, accelerator, job);
  case CWI_JOB_ENDED:
    break;
  }
  return false;
}

/* Advances all jobs. Returns true if one has advanced. Jobs are submitted in order, because later
 * ones may use constant patches that earlier ones fetch. */
static bool step_all(struct cwi_worker *worker, struct cwi_accelerator *accelerator)
{
  bool moved = false, may_submit = true;
  for (int i = 0; i < accelerator->count && !accelerator->lost; i++) {
    struct cwi_device_job *job = job_at(accelerator, i);
    moved = job_step(worker, accelerator, job, may_submit) || moved;
    may_submit = may_submit && job->state != CWI_JOB_FETCHES;
  }
  while (accelerator->count > 0 && job_at(accelerator, 0)->state == CWI_JOB_ENDED) {
    accelerator->first = (accelerator->first + 1) % accelerator->ahead;
    accelerator->count--;
  }
  return moved;
}

/* --- Taking tasks ----------------------------------------------------------------------------- */

/* Makes the plan of the next job's task. Returns true if the device takes the task. Otherwise the
 * task goes to hosts, or it fails with the error of the plan. */
static bool task_plan(struct cwi_worker *worker, struct cwi_accelerator *accelerator,
                      struct cwi_device_job *job, bool chosen)
{
  struct cwi_planning *planning = worker->pool->planning;
  const struct cwi_named *known = &worker->classes[job->head.number];
  const cw_task task = cwi_worker_task(worker, job->head, job->body);
  const unsigned messages = cwi_error_messages;
  job->kind = known->planned;
  if (job->kind == NULL || job->kind->kernel == NULL) {
    to_hosts(worker, job->head, job->body);
    return false;
  }
  cw_error error = cwi_needs_query(&task, job->kind->plan, job->kind->argument, &job->needs);
  bool takes = error == CW_OK && cwi_accelerator_has_space(accelerator, &job->needs);
  if (takes && !chosen) {
    const uint64_t waiting = cwi_tasks_waiting(worker->pool);
    pthread_mutex_lock(&planning->lock);
    takes = cwi_placement_device_takes(&planning->placement, &job->kind->cost, job->needs.plan.work,
                                       waiting);
    pthread_mutex_unlock(&planning->lock);
  }
  if (error == CW_OK && !takes)
    to_hosts(worker, job->head, job->body);
  if (takes)
    error = cwi_needs_enter(&planning->underway, &job->needs);
  if (error != CW_OK) {
    cwi_task_failed(worker, known, messages, error);
    cwi_task_raise(&worker->done, 1);
  }
  return takes && error == CW_OK;
}

static void keep_task(struct cwi_device_job *job, struct cwi_slot_head head, const void *body)
{
  job->head = head;
  if (head.bytes > 0)
    memcpy(job->body, body, head.bytes);
}

/* Takes a task for the next job: first one that a host worker has handed over, then one from the
 * worker's own queue. Takes none from the queue while enough tasks wait for hosts. Returns true if
 * there was a task, or if the search has added tasks to the queue. */
static bool take_task(struct cwi_worker *worker, struct cwi_accelerator *accelerator)
{
  struct cwi_planning *planning = worker->pool->planning;
  struct cwi_device_job *job = job_at(accelerator, accelerator->count);
  struct cwi_slot_head head;
  struct cwi_handed_task *handed_task = cwi_handoff_take(planning, CWI_ON_DEVICE);
  if (handed_task != NULL) {
    keep_task(job, handed_task->head, handed_task->body);
    free(handed_task);
  } else {
    const uint32_t back = __atomic_load_n(&planning->handoffs[CWI_ON_HOST].count, __ATOMIC_RELAXED);
    if (worker->early || back >= (uint32_t)worker->pool->options.threads)
      return false;
    if (!cwi_worker_take(worker, &head))
      return cwi_worker_search_once(worker);
    keep_task(job, head, worker->body);
  }
  cwi_worker_publish_waiting(worker);
  accelerator->next_waits = task_plan(worker, accelerator, job, handed_task != NULL);
  accelerator->has_freed = true;
  if (accelerator->next_waits)
    job_hold(planning, job);
  return true;
}

/* Puts the task of the next job on the list for hosts. */
static void next_return(struct cwi_worker *worker, struct cwi_accelerator *accelerator)
{
  struct cwi_device_job *job = job_at(accelerator, accelerator->count);
  cwi_needs_leave(&worker->pool->planning->underway, &job->needs);
  job_unhold(worker->pool->planning, job, NULL);
  to_hosts(worker, job->head, job->body);
  accelerator->next_waits = false;
}

/* Starts the next job if its blocks can be reserved. If there is no other job, waiting would not
 * help, because the memory is fragmented; so a host gets the task. */
static bool begin_next(struct cwi_worker *worker, struct cwi_accelerator *accelerator)
{
  struct cwi_task_device *device_memory = &accelerator->device_memory;
  struct cwi_device_job *job = job_at(accelerator, accelerator->count);
  if (!accelerator->has_freed)
    return false;
  accelerator->has_freed = false;
  if (!cwi_job_reserve(device_memory, job, &worker->counts)) {
    if (accelerator->count == 0)
      next_return(worker, accelerator);
    return accelerator->count == 0;
  }
  accelerator->next_waits = false;
  accelerator->count++;
  const unsigned messages = cwi_error_messages;
  const cw_error error = cwi_job_fetch(device_memory, job, &worker->counts);
  if (error != CW_OK)
    job_fail(worker, accelerator, job, messages, error);
  return true;
}

static bool fill_window(struct cwi_worker *worker, struct cwi_accelerator *accelerator)
{
  if (accelerator->count == accelerator->ahead)
    return false;
  if (!accelerator->next_waits && !take_task(worker, accelerator))
    return false;
  return accelerator->next_waits ? begin_next(worker, accelerator) : true;
}

/* --- The worker ------------------------------------------------------------------------------- */

static void set_idle(struct cwi_worker *worker, bool idle)
{
  if (worker->idle != idle)
    __atomic_store_n(&worker->idle, idle, __ATOMIC_RELAXED);
}

/* Puts the tasks of all jobs on the list for hosts, after the device was lost. Results that have
 * been read from the device are stored first. */
static void abandon(struct cwi_worker *worker, struct cwi_accelerator *accelerator)
{
  struct cwi_planning *planning = worker->pool->planning;
  __atomic_store_n(&planning->serves, false, __ATOMIC_RELAXED);
  for (int i = 0; i < accelerator->count; i++) {
    struct cwi_device_job *job = job_at(accelerator, i);
    while (job->state == CWI_JOB_STORES && !job_has_stored(worker, accelerator, job))
      cwi_yield();
    if (job->state != CWI_JOB_ENDED)
      job_return(worker, accelerator, job);
  }
  if (accelerator->next_waits)
    next_return(worker, accelerator);
  accelerator->count = 0;
}

/* Puts the tasks of the worker's queue on the list for hosts, also those of an earlier phase. */
static void drain(struct cwi_worker *worker)
{
  struct cwi_slot_head head;
  while (!worker->early && cwi_worker_take(worker, &head))
    to_hosts(worker, head, worker->body);
}

/* Sleeps while the device works: polling without a pause would take a core from the workers that
 * feed it or run other tasks. The device already has its next jobs. */
static void accelerator_rest(const struct cwi_accelerator *accelerator, struct cwi_wait *wait)
{
  enum { NAP_NANOSECONDS = 20000, LONG_NAP_NANOSECONDS = 50000 };
  if (accelerator->running > 0)
    cwi_nap(NAP_NANOSECONDS);
  else if (!cwi_wait_pass(wait))
    cwi_nap(LONG_NAP_NANOSECONDS);
}

static void serve(struct cwi_worker *worker, struct cwi_accelerator *accelerator)
{
  struct cwi_wait wait = {0};
  accelerator->idle_since = cwi_now();
  while (!accelerator->lost && !cwi_worker_is_over(worker)) {
    bool moved = step_all(worker, accelerator);
    while (!accelerator->lost && fill_window(worker, accelerator))
      moved = true;
    if (!worker->early)
      cwi_worker_offer(worker);
    set_idle(worker, accelerator->count == 0 && !accelerator->next_waits);
    if (moved)
      wait = (struct cwi_wait){0};
    else
      accelerator_rest(accelerator, &wait);
  }
  if (accelerator->running == 0)
    worker->counts.device_idle += cwi_now() - accelerator->idle_since;
  if (accelerator->lost)
    abandon(worker, accelerator);
}

void cwi_accelerator_work(struct cwi_worker *worker)
{
  struct cwi_planning *planning = worker->pool->planning;
  worker->far_delay = 0;
  if (planning->kernels > 0 && planning->serves)
    serve(worker, planning->accelerator);
  if (!planning->serves)
    drain(worker);
  set_idle(worker, true);
}
