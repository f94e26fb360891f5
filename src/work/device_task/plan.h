/* Checks the plan of a task, and transfers its patches between arrays and buffers. */
#pragma once

#include "base/error.h"

#include <causeway/task.h>
#include <causeway/transfer.h>

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

/* The plan of a task, and the sizes of its patches. */
struct cwi_needs {
  cw_plan plan;
  size_t bytes[CW_PLAN_PATCHES];
  size_t written;         /* bytes of patches that go to arrays */
  struct cwi_needs *next; /* next task in progress */
};

static inline bool cwi_mode_reads(cw_patch_mode mode)
{
  return mode == CW_PATCH_CONSTANT || mode == CW_PATCH_IN || mode == CW_PATCH_INOUT;
}

static inline bool cwi_mode_writes(cw_patch_mode mode)
{
  return mode == CW_PATCH_OUT || mode == CW_PATCH_INOUT || mode == CW_PATCH_ADD;
}

/* Returns the bytes of patch i that move between an array and a buffer. For memory of the task this
 * is 0. */
static inline size_t cwi_needs_moved(const struct cwi_needs *needs, int i)
{
  return needs->plan.patch[i].array != NULL ? needs->bytes[i] : 0;
}

/* Calls the plan function of a task and checks the plan. Errors: the plan function's own; CW_MISUSE
 * (numbers out of range). */
CWI_CHECKED cw_error cwi_needs_query(const cw_task *task, cw_task_plan plan, void *argument,
                                     struct cwi_needs *needs);

/* List of the tasks in progress on this process; only used with CW_CHECK. */
struct cwi_underway {
  pthread_mutex_t lock;
  struct cwi_needs *first;
};

/* Record the beginning and the end of a task. With CW_CHECK, cwi_needs_enter checks how the task's
 * patches overlap each other and the patches of other tasks in progress. It rejects overlaps that
 * make the result depend on the order. Errors: CW_MISUSE, which names the patches; the task has
 * then not begun. Calling cwi_needs_leave again has no effect. */
CWI_CHECKED cw_error cwi_needs_enter(struct cwi_underway *underway, struct cwi_needs *needs);
void cwi_needs_leave(struct cwi_underway *underway, struct cwi_needs *needs);

/* Start to fetch a patch into a buffer, or to store the buffer as the mode says. Memory of the task
 * is copied on a fetch and is not stored anywhere. */
CWI_CHECKED cw_error cwi_patch_fetch(const cw_planned_patch *patch, void *buffer,
                                     cw_handle *handle);
CWI_CHECKED cw_error cwi_patch_store(const cw_planned_patch *patch, void *buffer,
                                     cw_handle *handle);
