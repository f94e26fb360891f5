/* What a task touches: its plan, checked, and the way of patches between arrays and buffers. */
#ifndef CWI_DEVICE_TASK_PLAN_H
#define CWI_DEVICE_TASK_PLAN_H

#include "base/error.h"

#include <causeway/task.h>
#include <causeway/transfer.h>

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

/* The plan of a task, and the bytes of its patches. */
struct cwi_needs {
  cw_plan plan;
  size_t bytes[CW_PLAN_PATCHES];
  size_t written;         /* bytes of patches that go to arrays */
  struct cwi_needs *next; /* under way */
};

static inline bool cwi_mode_reads(cw_patch_mode mode)
{
  return mode == CW_PATCH_CONSTANT || mode == CW_PATCH_IN || mode == CW_PATCH_INOUT;
}

static inline bool cwi_mode_writes(cw_patch_mode mode)
{
  return mode == CW_PATCH_OUT || mode == CW_PATCH_INOUT || mode == CW_PATCH_ADD;
}

/* Bytes of its patch i that travel between an array and a buffer: none of memory of the task. */
static inline size_t cwi_needs_moved(const struct cwi_needs *needs, int i)
{
  return needs->plan.patch[i].array != NULL ? needs->bytes[i] : 0;
}

/* Ask for the plan of a task. Errors: the plan's own; CW_MISUSE (numbers out of range). */
CWI_CHECKED cw_error cwi_needs_query(const cw_task *task, cw_task_plan plan, void *argument,
                                     struct cwi_needs *needs);

/* The tasks that run on this process, one after the other; with CW_CHECK. */
struct cwi_underway {
  pthread_mutex_t lock;
  struct cwi_needs *first;
};

/* A task begins, and ends. With CW_CHECK: do its patches touch each other's elements, or those of
 * tasks under way, so that the result depends on who is first? Errors: CW_MISUSE, which names them:
 * then it has not begun. Leaving twice is leaving once. */
CWI_CHECKED cw_error cwi_needs_enter(struct cwi_underway *underway, struct cwi_needs *needs);
void cwi_needs_leave(struct cwi_underway *underway, struct cwi_needs *needs);

/* Start to bring a patch into a buffer, or what the buffer holds to where its mode says; memory of
 * the task is copied, and stored nowhere. */
CWI_CHECKED cw_error cwi_patch_fetch(const cw_planned_patch *patch, void *buffer,
                                     cw_handle *handle);
CWI_CHECKED cw_error cwi_patch_store(const cw_planned_patch *patch, void *buffer,
                                     cw_handle *handle);
#endif
