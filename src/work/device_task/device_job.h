/* A task on a device: its blocks, its transfers, and the events after its stages. */
#pragma once

#include "device/device.h"
#include "device_task/device_allocator.h"
#include "device_task/planning.h"

/* Location of a patch on the device and in the staging buffer. */
struct cwi_block {
  size_t offset;                   /* in the device's memory */
  struct cwi_cached_patch *cached; /* NULL if only this task uses the block */
  bool is_fetched;                 /* this task fetches it */
  size_t staged;                   /* offset in the job's staging buffer, if the patch is moved */
};

/* States of a job, in order. */
enum cwi_job_state { CWI_JOB_FETCHES, CWI_JOB_RUNS, CWI_JOB_STORES, CWI_JOB_ENDED };

/* Stages on the device: load, run, read. */
enum { CWI_JOB_STAGES = CWI_DEVICE_QUEUES };

struct cwi_device_job {
  enum cwi_job_state state;
  struct cwi_slot_head head;
  void *body;
  struct cwi_class *kind;
  struct cwi_needs needs;
  struct cwi_block blocks[CW_PLAN_PATCHES];
  char *staging; /* reused by the next job */
  size_t staging_bytes;
  cw_handle handle;
  void *events[CWI_JOB_STAGES]; /* NULL if the stage has ended or does not exist */
  double begun;
  double began[CWI_JOB_STAGES],
      passed[CWI_JOB_STAGES]; /* times of the stages that have been reached */
  double expected;            /* seconds */
  size_t loaded, read;
};

/* The part of a device's memory that tasks use. */
struct cwi_task_device {
  cw_device device;
  void *memory;
  struct cwi_device_allocator allocator;
  struct cwi_patch_cache patch_cache;
  double last[CWI_JOB_STAGES]; /* time at which each queue last completed a stage */
};

/* Reserves all blocks of a job, or none. Returns false if there is not enough space now. */
bool cwi_job_reserve(struct cwi_task_device *device_memory, struct cwi_device_job *job,
                     cw_tasks_counts *counts);

/* Frees the blocks of a job. */
void cwi_job_release(struct cwi_task_device *device_memory, struct cwi_device_job *job);

/* Starts to fetch the patches that the job reads. */
CWI_CHECKED cw_error cwi_job_fetch(struct cwi_task_device *device_memory,
                                   struct cwi_device_job *job, cw_tasks_counts *counts);

/* Marks the constant patches that a job fetched as failed. Called if a job fails after it was
 * submitted. */
void cwi_job_mark_failed(const struct cwi_device_job *job);

/* Returns true if each constant patch of the job is on the device or is fetched by the job itself.
 * Returns false if an earlier job that was to fetch one has failed. */
bool cwi_job_is_whole(const struct cwi_device_job *job);

/* Submits the loads, the kernel and the reads of a job to the device. The patches that the job
 * fetches must be in its staging buffer, and earlier jobs must have been submitted. After an error
 * some commands may be running. */
CWI_CHECKED cw_error cwi_job_submit(struct cwi_task_device *device_memory,
                                    struct cwi_device_job *job);

/* Polls the device. Sets *ended to true if all stages of the job have ended, otherwise to false. */
CWI_CHECKED cw_error cwi_job_poll(struct cwi_task_device *device_memory, struct cwi_device_job *job,
                                  bool *ended);

/* Drops the events of a job. The device must not be working on the job. */
void cwi_job_drop_events(struct cwi_task_device *device_memory, struct cwi_device_job *job);

/* Starts to store the patches that the job has written. */
CWI_CHECKED cw_error cwi_job_store(struct cwi_device_job *job, cw_tasks_counts *counts);

/* Returns the cost of the job on the device. */
struct cwi_task_cost cwi_job_cost(const struct cwi_device_job *job);

/* cwi_job_times returns the times of the parts of a job. cwi_job_results sets `data`, [patches], to
 * the results in the staging buffer. Both are valid after the results have been stored. */
cw_task_times cwi_job_times(const struct cwi_device_job *job);
void cwi_job_results(const struct cwi_device_job *job, void **data);

/* Frees the staging buffer of a job. */
void cwi_job_unstage(struct cwi_task_device *device_memory, struct cwi_device_job *job);

/* Drops the cached patches that have no users. Between phases no patch has users. */
void cwi_task_device_clear(struct cwi_task_device *device_memory);
