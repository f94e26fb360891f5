/* The data of a pool for classes with a plan and for a device. The pool's pointer to it is NULL if
 * the pool has neither.
 *
 * A host worker that gets a task with a kernel runs it, or puts it on the handoff list for the
 * device. The device worker takes tasks from that list and from its own queue, and puts those that
 * it cannot or should not run on the list for hosts. A task goes to each list at most once: a host
 * that takes a task from the list runs it.
 *
 * accelerator.c       the worker of a device
 * constant_cache.c    constant patches that the workers of a process share on the host
 * continuation.c      the continuation of a task that has succeeded
 * device_allocator.c  allocates blocks of a device's memory
 * device_job.c        a task on a device: reserve, fetch, submit, store
 * handoff.c           lists of tasks from host workers to the device, and back
 * patch_cache.c       a cache of constant patches: the table and the order of use
 * placement.c         decides whether a task runs on a host or on the device
 * plan.c              plans of tasks: calls, checks, and transfers of patches
 * planning.c          the data of a pool for classes with a plan: creation and end
 * task_class.c        classes with a plan, and how a host worker runs their tasks */
#pragma once

#include "device_task/patch_cache.h"
#include "device_task/placement.h"
#include "device_task/plan.h"
#include "worker/pool.h"

#include <pthread.h>

struct cwi_accelerator;

/* A class with a plan. */
struct cwi_class {
  cw_task_function function;
  void *argument;
  cw_task_plan plan;             /* NULL without a plan; then there is no kernel either */
  cw_task_function continuation; /* NULL if its tasks have no continuation */
  cw_kernel kernel;              /* NULL if only hosts run its tasks */
  struct cwi_class_cost cost;
};

/* A task on a handoff list; its body follows. */
struct cwi_handed_task {
  struct cwi_handed_task *next;
  double work;    /* from its plan */
  double seconds; /* expected time on the device */
  struct cwi_slot_head head;
  char body[] __attribute__((aligned(16)));
};

/* A list of tasks, oldest first. */
struct cwi_handoff {
  struct cwi_handed_task *first, *last;
  uint32_t count; /* also read without the lock */
};

/* Constant patches on the host, which the workers of a process share. */
struct cwi_constant_cache {
  pthread_mutex_t lock;
  pthread_cond_t arrival;
  struct cwi_patch_cache patch_cache;
  size_t most; /* bytes */
};

struct cwi_planning {
  pthread_mutex_t lock; /* guards handoffs and placement */
  struct cwi_handoff handoffs[CWI_SIDES];
  struct cwi_placement placement;
  struct cwi_underway underway;
  struct cwi_constant_cache constant_cache;
  int kernels;                         /* number of classes that have a kernel here */
  bool serves;                         /* the device takes tasks; accessed atomically */
  struct cwi_accelerator *accelerator; /* NULL without a device */
};

/* --- planning.c ------------------------------------------------------------------------------- */

/* Creates the data unless it exists already. Called before a class or a device needs it. Errors:
 * CW_OUTSIDE. */
CWI_CHECKED cw_error cwi_planning_begin(cw_tasks pool);
void cwi_planning_end(cw_tasks pool);

/* Empties the caches after a phase, when all threads have left it. */
void cwi_planning_phase_over(cw_tasks pool);

/* --- handoff.c -------------------------------------------------------------------------------- */

/* Appends a task to a list. `work` and `seconds` are set for the device only. Returns false if
 * there is no memory. The caller holds the lock. */
bool cwi_handoff_put(struct cwi_planning *planning, enum cwi_side side, struct cwi_slot_head head,
                     const void *body, double work, double seconds);

/* Takes the oldest task, or returns NULL. The caller frees it. */
struct cwi_handed_task *cwi_handoff_take(struct cwi_planning *planning, enum cwi_side side);

/* Takes a task for an idle host worker: one that was handed to hosts, or one for the device that
 * the host would end sooner. Returns true if worker->hand is set. */
bool cwi_handoff_find(struct cwi_worker *worker);

/* Returns the number of tasks that wait in this process's queues, as their workers last published
 * it. */
uint64_t cwi_tasks_waiting(cw_tasks pool);
void cwi_worker_publish_waiting(struct cwi_worker *worker);

/* --- continuation.c --------------------------------------------------------------------------- */

/* Runs the continuation of a task that has succeeded. `data`, [patches], holds the patches that the
 * task has written. */
CWI_CHECKED cw_error cwi_class_continue(const struct cwi_class *kind, const cw_task *given,
                                        const struct cwi_needs *needs, void *const *data,
                                        const cw_task_times *times);

/* --- constant_cache.c ------------------------------------------------------------------------- */

/* Finds a constant patch in the host cache, or fetches it, and stores its entry in *cached. If
 * there is no space, *cached is NULL, and the caller must fetch the patch itself. The caller must
 * release the entry, even after an error. Errors: those of the transfer. */
CWI_CHECKED cw_error cwi_constant_cache_take(struct cwi_constant_cache *constant_cache,
                                             const cw_planned_patch *patch, size_t bytes,
                                             struct cwi_cached_patch **cached,
                                             cw_tasks_counts *counts);
void cwi_constant_cache_release(struct cwi_constant_cache *constant_cache,
                                struct cwi_cached_patch *cached);
void cwi_constant_cache_clear(struct cwi_constant_cache *constant_cache);

/* --- task_class.c ----------------------------------------------------------------------------- */

/* Creates a class. Errors: CW_MISUSE, CW_OUTSIDE. */
CWI_CHECKED cw_error cwi_class_make(cw_tasks pool, const cw_task_class *description, void *argument,
                                    struct cwi_class **made);
void cwi_class_free(struct cwi_class *old);

/* Runs a task of a class with a plan on a host worker, or leaves it to the device. `argument` is a
 * struct cwi_class. */
cw_error cwi_class_run(const cw_task *task, void *argument);

/* Runs the task in worker->hand and frees it. */
void cwi_worker_run_hand(struct cwi_worker *worker);
