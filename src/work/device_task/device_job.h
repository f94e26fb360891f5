/* A task on a device: its blocks there, what travels, and the events behind its parts. */
#ifndef CWI_DEVICE_TASK_DEVICE_JOB_H
#define CWI_DEVICE_TASK_DEVICE_JOB_H

#include "device/device.h"
#include "device_task/device_allocator.h"
#include "device_task/planning.h"

/* Where a patch lies on the device, and where on its way. */
struct cwi_block {
  size_t offset;                   /* in the device's memory */
  struct cwi_cached_patch *cached; /* NULL: the block is this task's alone */
  bool comes;                      /* this task brings it */
  size_t staged;                   /* where in the job's staging; if it comes or goes */
};

/* In this order. */
enum cwi_job_state { CWI_JOB_FETCHES, CWI_JOB_RUNS, CWI_JOB_STORES, CWI_JOB_ENDED };

/* One after the other: loaded, run, read. */
enum { CWI_JOB_STAGES = CWI_DEVICE_QUEUES };

struct cwi_device_job {
  enum cwi_job_state state;
  struct cwi_slot_head head;
  void *body;
  struct cwi_class *kind;
  struct cwi_needs needs;
  struct cwi_block blocks[CW_PLAN_PATCHES];
  char *staging; /* kept for the next job */
  size_t staging_bytes;
  cw_handle handle;
  void *events[CWI_JOB_STAGES]; /* NULL: passed, or not there */
  double begun;
  double began[CWI_JOB_STAGES], passed[CWI_JOB_STAGES]; /* as far as it is, by stage */
  double expected;                                      /* seconds */
  size_t loaded, read;
};

/* A device's memory for tasks. */
struct cwi_task_device {
  cw_device device;
  void *memory;
  struct cwi_device_allocator allocator;
  struct cwi_patch_cache patch_cache;
  double last[CWI_JOB_STAGES]; /* when each queue ended something */
};

/* Reserve all blocks of a job, or none. False: there is no room now. */
bool cwi_job_reserve(struct cwi_task_device *device_memory, struct cwi_device_job *job,
                     cw_tasks_counts *counts);

/* Give back its blocks. */
void cwi_job_release(struct cwi_task_device *device_memory, struct cwi_device_job *job);

/* Start to bring what it reads. */
CWI_CHECKED cw_error cwi_job_fetch(struct cwi_task_device *device_memory,
                                   struct cwi_device_job *job, cw_tasks_counts *counts);

/* A job failed after it was submitted: have the constant patches that came with it come at all?
 * They count as failed. */
void cwi_job_mark_failed(const struct cwi_device_job *job);

/* Have the jobs before brought the constant patches that it shares with them? They may have failed.
 */
bool cwi_job_is_whole(const struct cwi_device_job *job);

/* All that it brings is in its staging, and jobs before it are submitted: give the device its
 * loads, its kernel and its reads. After an error some may be under way. */
CWI_CHECKED cw_error cwi_job_submit(struct cwi_task_device *device_memory,
                                    struct cwi_device_job *job);

/* Look how far the device is. ended: all of it. */
CWI_CHECKED cw_error cwi_job_poll(struct cwi_task_device *device_memory, struct cwi_device_job *job,
                                  bool *ended);

/* Forget its events; the device is quiet. */
void cwi_job_drop_events(struct cwi_task_device *device_memory, struct cwi_device_job *job);

/* Start to store what it has written. */
CWI_CHECKED cw_error cwi_job_store(struct cwi_device_job *job, cw_tasks_counts *counts);

/* What the device took for it. */
struct cwi_task_cost cwi_job_cost(const struct cwi_device_job *job);

/* Its parts by the clock; and what it has written, in the staging: data: [patches]. It is stored.
 */
cw_task_times cwi_job_times(const struct cwi_device_job *job);
void cwi_job_results(const struct cwi_device_job *job, void **data);

/* The staging of a job goes. */
void cwi_job_unstage(struct cwi_task_device *device_memory, struct cwi_device_job *job);

/* Drop patch_cache that nobody uses; of those that others use there is none between phases. */
void cwi_task_device_clear(struct cwi_task_device *device_memory);
#endif
