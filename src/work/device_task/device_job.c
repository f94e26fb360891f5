/* A task on a device: reserve blocks, fetch patches, submit the kernel, store results. Used by the
 * device's worker. */
#include "device_task/device_job.h"

#include "base/clock.h"
#include "base/size.h"
#include "device/library_kernels.h"

#include <stdlib.h>
#include <string.h>

/* - Blocks - */

static void drop_cached(struct cwi_task_device *device_memory, struct cwi_cached_patch *cached)
{
  cwi_device_allocator_give(&device_memory->allocator, cached->offset, cached->bytes);
  cwi_patch_cache_remove(&device_memory->patch_cache, cached);
}

void cwi_task_device_clear(struct cwi_task_device *device_memory)
{
  while (device_memory->patch_cache.oldest != NULL)
    drop_cached(device_memory, device_memory->patch_cache.oldest);
}

/* Allocates a block. Evicts constant patches without users, the least recently used first. */
static bool allocate_block(struct cwi_task_device *device_memory, size_t bytes, size_t *offset,
                           cw_tasks_counts *counts)
{
  while (!cwi_device_allocator_take(&device_memory->allocator, bytes, offset)) {
    if (device_memory->patch_cache.oldest == NULL)
      return false;
    drop_cached(device_memory, device_memory->patch_cache.oldest);
    counts->evicted++;
  }
  return true;
}

/* Reserves a constant patch. If the patch is not on the device yet, this job fetches it. */
static bool reserve_cached(struct cwi_task_device *device_memory, const cw_planned_patch *patch,
                           size_t bytes, struct cwi_block *block, cw_tasks_counts *counts)
{
  struct cwi_cached_patch *found = cwi_patch_cache_find(&device_memory->patch_cache, patch);
  if (found != NULL) {
    cwi_patch_cache_use(&device_memory->patch_cache, found);
    *block = (struct cwi_block){.offset = found->offset, .cached = found};
    return true;
  }
  size_t offset = 0;
  if (!allocate_block(device_memory, bytes, &offset, counts))
    return false;
  found = cwi_patch_cache_add(&device_memory->patch_cache, patch, bytes);
  if (found == NULL) {
    cwi_device_allocator_give(&device_memory->allocator, offset, bytes);
    return false;
  }
  found->offset = offset;
  *block = (struct cwi_block){.offset = offset, .cached = found, .is_fetched = true};
  return true;
}

static bool reserve_block(struct cwi_task_device *device_memory, struct cwi_device_job *job, int i,
                          cw_tasks_counts *counts)
{
  const cw_planned_patch *patch = &job->needs.plan.patch[i];
  struct cwi_block *block = &job->blocks[i];
  if (patch->mode == CW_PATCH_CONSTANT)
    return reserve_cached(device_memory, patch, job->needs.bytes[i], block, counts);
  *block = (struct cwi_block){.is_fetched = cwi_mode_reads(patch->mode)};
  return allocate_block(device_memory, job->needs.bytes[i], &block->offset, counts);
}

void cwi_job_mark_failed(const struct cwi_device_job *job)
{
  for (int i = 0; i < job->needs.plan.patches; i++)
    if (job->blocks[i].is_fetched && job->blocks[i].cached != NULL)
      job->blocks[i].cached->ready = false;
}

/* Frees a block. A constant patch that this job was to fetch and has not fetched has failed. A
 * failed patch is dropped when it has no users. */
static void release_block(struct cwi_task_device *device_memory, struct cwi_device_job *job, int i)
{
  const struct cwi_block *block = &job->blocks[i];
  struct cwi_cached_patch *cached = block->cached;
  if (cached == NULL) {
    cwi_device_allocator_give(&device_memory->allocator, block->offset, job->needs.bytes[i]);
    return;
  }
  cached->failed = cached->failed || (block->is_fetched && !cached->ready);
  cwi_patch_cache_release(&device_memory->patch_cache, cached);
  if (cached->failed && cached->users == 0)
    drop_cached(device_memory, cached);
}

bool cwi_job_reserve(struct cwi_task_device *device_memory, struct cwi_device_job *job,
                     cw_tasks_counts *counts)
{
  const cw_plan *plan = &job->needs.plan;
  int i = 0;
  while (i < plan->patches && reserve_block(device_memory, job, i, counts))
    i++;
  const bool reserved = i == plan->patches;
  while (!reserved && i > 0)
    release_block(device_memory, job, --i);
  for (i = 0; reserved && i < plan->patches; i++)
    if (plan->patch[i].mode == CW_PATCH_CONSTANT) {
      counts->hits += !job->blocks[i].is_fetched;
      counts->misses += job->blocks[i].is_fetched;
    }
  return reserved;
}

void cwi_job_release(struct cwi_task_device *device_memory, struct cwi_device_job *job)
{
  for (int i = 0; i < job->needs.plan.patches; i++)
    release_block(device_memory, job, i);
}

/* --- Staging ---------------------------------------------------------------------------------- */

void cwi_job_unstage(struct cwi_task_device *device_memory, struct cwi_device_job *job)
{
  if (job->staging != NULL)
    cwi_device_unpin(device_memory->device, job->staging);
  free(job->staging);
  job->staging = NULL;
  job->staging_bytes = 0;
}

static cw_error job_stage(struct cwi_task_device *device_memory, struct cwi_device_job *job,
                          size_t bytes)
{
  enum { STEP = 1 << 16, PAGE = 4096 };
  if (bytes <= job->staging_bytes)
    return CW_OK;
  cwi_job_unstage(device_memory, job);
  const size_t rounded = cwi_round_up(bytes, STEP);
  char *staging = aligned_alloc(PAGE, rounded);
  if (staging == NULL)
    return cwi_outside("no memory to pass %zu bytes of a task to its device", rounded);
  cwi_device_pin(device_memory->device, staging, rounded);
  job->staging = staging;
  job->staging_bytes = rounded;
  return CW_OK;
}

static bool job_passes(const struct cwi_device_job *job, int i)
{
  return job->blocks[i].is_fetched || cwi_mode_writes(job->needs.plan.patch[i].mode);
}

/* - Fetch and store - */

cw_error cwi_job_fetch(struct cwi_task_device *device_memory, struct cwi_device_job *job,
                       cw_tasks_counts *counts)
{
  enum { LINE = 64 };
  const cw_plan *plan = &job->needs.plan;
  size_t bytes = 0;
  job->handle = (cw_handle){0};
  job->state = CWI_JOB_FETCHES;
  job->begun = cwi_now();
  job->loaded = job->read = 0;
  for (int i = 0; i < plan->patches; i++) {
    job->blocks[i].staged = bytes;
    bytes += job_passes(job, i) ? cwi_round_up(job->needs.bytes[i], LINE) : 0;
  }
  CWI_TRY(job_stage(device_memory, job, bytes));
  for (int i = 0; i < plan->patches; i++) {
    if (!job->blocks[i].is_fetched)
      continue;
    CWI_TRY(cwi_patch_fetch(&plan->patch[i], job->staging + job->blocks[i].staged, &job->handle));
    counts->fetched += cwi_needs_moved(&job->needs, i);
  }
  return CW_OK;
}

cw_error cwi_job_store(struct cwi_device_job *job, cw_tasks_counts *counts)
{
  const cw_plan *plan = &job->needs.plan;
  job->handle = (cw_handle){0};
  job->state = CWI_JOB_STORES;
  for (int i = 0; i < plan->patches; i++) {
    if (!cwi_mode_writes(plan->patch[i].mode))
      continue;
    CWI_TRY(cwi_patch_store(&plan->patch[i], job->staging + job->blocks[i].staged, &job->handle));
    counts->stored += cwi_needs_moved(&job->needs, i);
  }
  return CW_OK;
}

/* - Commands to the device, under its lock - */

static struct cwi_device_rows job_rows(const struct cwi_task_device *device_memory,
                                       const struct cwi_device_job *job, int i)
{
  return (struct cwi_device_rows){.run = job->needs.bytes[i],
                                  .rows = 1,
                                  .host = job->staging + job->blocks[i].staged,
                                  .memory = device_memory->memory,
                                  .offset = job->blocks[i].offset};
}

static cw_error start_loads(struct cwi_task_device *device_memory, struct cwi_device_job *job)
{
  cw_device device = device_memory->device;
  for (int i = 0; i < job->needs.plan.patches; i++) {
    struct cwi_cached_patch *cached = job->blocks[i].cached;
    if (job->blocks[i].is_fetched && job->needs.bytes[i] > 0) {
      const struct cwi_device_rows rows = job_rows(device_memory, job, i);
      CWI_TRY(device->backend->write(device->opened, CWI_QUEUE_IN, &rows));
      job->loaded += job->needs.bytes[i];
    }
    if (cached != NULL)
      cached->ready = true;
  }
  return device->backend->event(device->opened, CWI_QUEUE_IN, &job->events[CWI_QUEUE_IN]);
}

/* Fills the patches of CW_PATCH_ADD with zeros. */
static cw_error start_zeros(struct cwi_task_device *device_memory, const struct cwi_device_job *job)
{
  static const unsigned char zero[8];
  cw_device device = device_memory->device;
  for (int i = 0; i < job->needs.plan.patches; i++) {
    if (job->needs.plan.patch[i].mode != CW_PATCH_ADD || job->needs.bytes[i] == 0)
      continue;
    /* Fill by 8 bytes, or by 4 if the size is not a multiple of 8: no element has fewer than 4. */
    const size_t unit = job->needs.bytes[i] % sizeof zero == 0 ? sizeof zero : sizeof zero / 2;
    const struct cwi_kernel_work work = {
        .run = job->needs.bytes[i],
        .to = {.memory = device_memory->memory, .offset = job->blocks[i].offset},
        .processor = device->facts.processor};
    struct cwi_kernel_call call;
    cwi_launch_fill(&work, unit, zero, &call);
    CWI_TRY(cwi_device_own_kernel(device, call.kernel, &call.launch.kernel));
    CWI_TRY(device->backend->launch(device->opened, CWI_QUEUE_WORK, &call.launch));
  }
  return CW_OK;
}

static cw_error start_kernel(struct cwi_task_device *device_memory,
                             const struct cwi_device_job *job)
{
  const cw_plan *plan = &job->needs.plan;
  struct cwi_device_argument arguments[CW_PLAN_PATCHES + CW_PLAN_SCALARS];
  struct cwi_device_launch launch = {.arguments = arguments,
                                     .count = plan->patches + plan->scalars};
  for (int i = 0; i < plan->patches; i++)
    arguments[i] = (struct cwi_device_argument){.memory = device_memory->memory,
                                                .offset = job->blocks[i].offset};
  for (int i = 0; i < plan->scalars; i++)
    arguments[plan->patches + i] = (struct cwi_device_argument){.scalar = plan->scalar[i].value,
                                                                .bytes = plan->scalar[i].bytes};
  const cw_kernel_launch_options sizes = {
      .global = {plan->global[0], plan->global[1], plan->global[2]},
      .local = {plan->local[0], plan->local[1], plan->local[2]}};
  CWI_TRY(cwi_launch_sizes(&sizes, &launch));
  return cwi_kernel_start(job->kind->kernel, &launch);
}

static cw_error start_work(struct cwi_task_device *device_memory, struct cwi_device_job *job)
{
  cw_device device = device_memory->device;
  CWI_TRY(device->backend->order(device->opened, CWI_QUEUE_WORK, CWI_QUEUE_IN));
  CWI_TRY(start_zeros(device_memory, job));
  CWI_TRY(start_kernel(device_memory, job));
  return device->backend->event(device->opened, CWI_QUEUE_WORK, &job->events[CWI_QUEUE_WORK]);
}

static cw_error start_reads(struct cwi_task_device *device_memory, struct cwi_device_job *job)
{
  cw_device device = device_memory->device;
  CWI_TRY(device->backend->order(device->opened, CWI_QUEUE_OUT, CWI_QUEUE_WORK));
  for (int i = 0; i < job->needs.plan.patches; i++) {
    if (!cwi_mode_writes(job->needs.plan.patch[i].mode) || job->needs.bytes[i] == 0)
      continue;
    const struct cwi_device_rows rows = job_rows(device_memory, job, i);
    CWI_TRY(device->backend->read(device->opened, CWI_QUEUE_OUT, &rows));
    job->read += job->needs.bytes[i];
  }
  return device->backend->event(device->opened, CWI_QUEUE_OUT, &job->events[CWI_QUEUE_OUT]);
}

static cw_error submit_parts(struct cwi_task_device *device_memory, struct cwi_device_job *job)
{
  CWI_TRY(start_loads(device_memory, job));
  CWI_TRY(start_work(device_memory, job));
  return start_reads(device_memory, job);
}

/* Returns true if this job fetches the patch. A task may name a patch twice. */
static bool job_brings(const struct cwi_device_job *job, const struct cwi_cached_patch *cached)
{
  bool brings = false;
  for (int i = 0; i < job->needs.plan.patches; i++)
    brings = brings || (job->blocks[i].cached == cached && job->blocks[i].is_fetched);
  return brings;
}

bool cwi_job_is_whole(const struct cwi_device_job *job)
{
  bool whole = true;
  for (int i = 0; i < job->needs.plan.patches; i++) {
    const struct cwi_cached_patch *cached = job->blocks[i].cached;
    whole = whole && (cached == NULL || cached->ready || job_brings(job, cached));
  }
  return whole;
}

cw_error cwi_job_submit(struct cwi_task_device *device_memory, struct cwi_device_job *job)
{
  job->state = CWI_JOB_RUNS;
  job->began[CWI_QUEUE_IN] = cwi_now();
  pthread_mutex_lock(&device_memory->device->lock);
  const cw_error error = submit_parts(device_memory, job);
  pthread_mutex_unlock(&device_memory->device->lock);
  return error;
}

/* - Progress - */

static void drop_event(struct cwi_task_device *device_memory, struct cwi_device_job *job, int stage)
{
  pthread_mutex_lock(&device_memory->device->lock);
  device_memory->device->backend->forget(device_memory->device->opened, job->events[stage]);
  pthread_mutex_unlock(&device_memory->device->lock);
  job->events[stage] = NULL;
}

void cwi_job_drop_events(struct cwi_task_device *device_memory, struct cwi_device_job *job)
{
  for (int stage = 0; stage < CWI_JOB_STAGES; stage++)
    if (job->events[stage] != NULL)
      drop_event(device_memory, job, stage);
}

/* Records that a stage has ended. A queue runs its commands in order. So the stage began when the
 * same stage of the previous job had ended and its own input was ready. */
static void pass_stage(struct cwi_task_device *device_memory, struct cwi_device_job *job, int stage,
                       double *ready)
{
  const double last = device_memory->last[stage];
  job->began[stage] = *ready > last ? *ready : last;
  device_memory->last[stage] = job->passed[stage] = *ready = cwi_now();
  drop_event(device_memory, job, stage);
}

cw_error cwi_job_poll(struct cwi_task_device *device_memory, struct cwi_device_job *job,
                      bool *ended)
{
  static const int order[CWI_JOB_STAGES] = {CWI_QUEUE_IN, CWI_QUEUE_WORK, CWI_QUEUE_OUT};
  cw_device device = device_memory->device;
  double ready = job->began[CWI_QUEUE_IN];
  *ended = true;
  for (int i = 0; i < CWI_JOB_STAGES && *ended; i++) {
    const int stage = order[i];
    if (job->events[stage] == NULL) {
      ready = job->passed[stage];
      continue;
    }
    CWI_TRY(device->backend->passed(device->opened, job->events[stage], ended));
    if (*ended)
      pass_stage(device_memory, job, stage, &ready);
  }
  return CW_OK;
}

static double stage_seconds(const struct cwi_device_job *job, int stage)
{
  return job->passed[stage] - job->began[stage];
}

struct cwi_task_cost cwi_job_cost(const struct cwi_device_job *job)
{
  return (struct cwi_task_cost){.work = job->needs.plan.work,
                                .run = stage_seconds(job, CWI_QUEUE_WORK),
                                .moving = stage_seconds(job, CWI_QUEUE_IN) +
                                          stage_seconds(job, CWI_QUEUE_OUT),
                                .moved = job->loaded + job->read};
}

cw_task_times cwi_job_times(const struct cwi_device_job *job)
{
  return (cw_task_times){.begin = job->begun,
                         .run = job->began[CWI_QUEUE_WORK],
                         .ran = job->passed[CWI_QUEUE_WORK],
                         .end = cwi_now()};
}

void cwi_job_results(const struct cwi_device_job *job, void **data)
{
  for (int i = 0; i < job->needs.plan.patches; i++)
    data[i] = job_passes(job, i) ? job->staging + job->blocks[i].staged : NULL;
}
