/* What a pool has for classes with a plan, and for a device: NULL where there is neither.
 *
 * A host worker that gets a task with a kernel runs it, or lays it on the handoff for the device.
 * The device worker takes from the handoff and from its queue, and lays there for hosts what it
 * cannot run, or should not. A task is laid there at most once for each of them: what lies there
 * for hosts is run by the host that takes it.
 *
 * accelerator.c       the worker of a device
 * constant_cache.c    constant patches that the workers of a process share on the host until the
 *                     phase ends
 * continuation.c      what comes after a task that has ended well
 * device_allocator.c  the division of a device's memory into blocks
 * device_job.c        a task on a device: reserving, bringing, submitting, storing
 * handoff.c           shelves: tasks that go from a host worker to the device, and from there to
 *                     hosts
 * patch_cache.c       constant patches that stay: the table and the order of use
 * placement.c         where a task with a kernel runs
 * plan.c              plans of tasks: the calls that make them, their checks, and the way of
 *                     patches
 * planning.c          what a pool has for classes with a plan: its making and its end
 * task_class.c        classes with a plan, and how a host worker runs their tasks: it brings the
 *                     patches, calls the */
#ifndef CWI_DEVICE_TASK_PLANNING_H
#define CWI_DEVICE_TASK_PLANNING_H

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
  cw_task_plan plan;             /* NULL: it has none, and no kernel */
  cw_task_function continuation; /* NULL: nothing comes after its tasks */
  cw_kernel kernel;              /* NULL: hosts run it */
  struct cwi_class_cost cost;
};

/* A task on the handoff; its body follows. */
struct cwi_handed_task {
  struct cwi_handed_task *next;
  double work;    /* as its plan says */
  double seconds; /* of the device, which it will take there */
  struct cwi_slot_head head;
  char body[] __attribute__((aligned(16)));
};

/* Oldest first. */
struct cwi_handoff {
  struct cwi_handed_task *first, *last;
  uint32_t count; /* others look at it without the lock */
};

/* Constant patches on the host, which the workers of a process share. */
struct cwi_constant_cache {
  pthread_mutex_t lock;
  pthread_cond_t arrival;
  struct cwi_patch_cache patch_cache;
  size_t most; /* bytes */
};

struct cwi_planning {
  pthread_mutex_t lock; /* of the handoffs, and of placement */
  struct cwi_handoff handoffs[CWI_SIDES];
  struct cwi_placement placement;
  struct cwi_underway underway;
  struct cwi_constant_cache constant_cache;
  int kernels;                         /* classes that have one here */
  bool serves;                         /* the device takes tasks; loaded and stored atomically */
  struct cwi_accelerator *accelerator; /* NULL: no device */
};

/* --- planning.c ------------------------------------------------------------------------------- */

/* Once, before a class or a device needs it. Errors: CW_OUTSIDE. */
CWI_CHECKED cw_error cwi_planning_begin(cw_tasks pool);
void cwi_planning_end(cw_tasks pool);

/* A phase is over, all threads are out of it: nothing stays. */
void cwi_planning_phase_over(cw_tasks pool);

/* --- handoff.c ----------------------------------------------------------------------------------
 */

/* Lay a task there. work, seconds: of one for the device; else 0. False: no memory. The lock is
 * held. */
bool cwi_handoff_put(struct cwi_planning *planning, enum cwi_side side, struct cwi_slot_head head,
                     const void *body, double work, double seconds);

/* Take the oldest; NULL: there is none. The caller frees it. */
struct cwi_handed_task *cwi_handoff_take(struct cwi_planning *planning, enum cwi_side side);

/* A host worker that has nothing to do takes one into its hand: what lies there for hosts, or what
 * it ends before the device could. Found it one? */
bool cwi_handoff_find(struct cwi_worker *worker);

/* Tasks that wait in this process's queues, as their workers have told last. */
uint64_t cwi_tasks_waiting(cw_tasks pool);
void cwi_worker_publish_waiting(struct cwi_worker *worker);

/* --- continuation.c
 * ----------------------------------------------------------------------------------- */

/* What its class does after a task that has ended well: data: [patches] of those that it has
 * written. */
CWI_CHECKED cw_error cwi_class_continue(const struct cwi_class *kind, const cw_task *given,
                                        const struct cwi_needs *needs, void *const *data,
                                        const cw_task_times *times);

/* --- constant_cache.c
 * ----------------------------------------------------------------------------------- */

/* A constant patch on the host, brought or found there; NULL: there is no room, bring it yourself.
 * hit: receives whether it was there. Whoever takes it leaves it. Errors: those of the transfer. */
CWI_CHECKED cw_error cwi_constant_cache_take(struct cwi_constant_cache *constant_cache,
                                             const cw_planned_patch *patch, size_t bytes,
                                             struct cwi_cached_patch **cached,
                                             cw_tasks_counts *counts);
void cwi_constant_cache_release(struct cwi_constant_cache *constant_cache,
                                struct cwi_cached_patch *cached);
void cwi_constant_cache_clear(struct cwi_constant_cache *constant_cache);

/* --- task_class.c
 * ---------------------------------------------------------------------------------- */

/* Make a class. Errors: CW_MISUSE, CW_OUTSIDE. */
CWI_CHECKED cw_error cwi_class_make(cw_tasks pool, const cw_task_class *description, void *argument,
                                    struct cwi_class **made);
void cwi_class_free(struct cwi_class *old);

/* A host worker has got a task of a class with a plan: the function that its queue's tasks run.
 * argument: struct cwi_class. */
cw_error cwi_class_run(const cw_task *task, void *argument);

/* Run the task in the worker's hand. */
void cwi_worker_run_hand(struct cwi_worker *worker);
#endif
