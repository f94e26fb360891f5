/* What a pool has for classes with a plan, and for a device: NULL where there is neither.
 *
 * A host worker that gets a task with a kernel runs it, or lays it on the shelf for the device. The
 * device worker takes from the shelf and from its queue, and lays there for hosts what it cannot
 * run, or should not. A task is laid there at most once for each of them: what lies there for hosts
 * is run by the host that takes it. */
#ifndef CWI_TASK_PLANNING_H
#define CWI_TASK_PLANNING_H

#include "task/plan.h"
#include "task/pool.h"
#include "task/resident.h"
#include "task/where.h"

#include <pthread.h>

#ifdef __cplusplus
extern "C" {
#endif

struct cwi_accelerator;

/* A class with a plan. */
struct cwi_class {
  cw_task_function function;
  void *argument;
  cw_task_plan plan;     /* NULL: it has none, and no kernel */
  cw_task_function then; /* NULL: nothing comes after its tasks */
  cw_kernel kernel;      /* NULL: hosts run it */
  struct cwi_pace pace;
};

/* A task on the shelf; its body follows. */
struct cwi_shelved {
  struct cwi_shelved *next;
  double work;    /* as its plan says */
  double seconds; /* of the device, which it will take there */
  struct cwi_slot_head head;
  char body[] __attribute__((aligned(16)));
};

/* Oldest first. */
struct cwi_shelf {
  struct cwi_shelved *first, *last;
  uint32_t count; /* others look at it without the lock */
};

/* Constant patches on the host, which the workers of a process share. */
struct cwi_keep {
  pthread_mutex_t lock;
  pthread_cond_t arrival;
  struct cwi_residents residents;
  size_t most; /* bytes */
};

struct cwi_planning {
  pthread_mutex_t lock; /* of the shelves, and of where */
  struct cwi_shelf shelves[CWI_SIDES];
  struct cwi_paces where;
  struct cwi_underway underway;
  struct cwi_keep keep;
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

/* --- shelf.c ---------------------------------------------------------------------------------- */

/* Lay a task there. work, seconds: of one for the device; else 0. False: no memory. The lock is
 * held. */
bool cwi_shelf_lay(struct cwi_planning *planning, enum cwi_side side, struct cwi_slot_head head,
                   const void *body, double work, double seconds);

/* Take the oldest; NULL: there is none. The caller frees it. */
struct cwi_shelved *cwi_shelf_take(struct cwi_planning *planning, enum cwi_side side);

/* A host worker that has nothing to do takes one into its hand: what lies there for hosts, or what
 * it ends before the device could. Found it one? */
bool cwi_shelf_find(struct cwi_worker *worker);

/* Tasks that wait in this process's queues, as their workers have told last. */
uint64_t cwi_tasks_waiting(cw_tasks pool);
void cwi_worker_tell_waiting(struct cwi_worker *worker);

/* --- then.c ----------------------------------------------------------------------------------- */

/* What its class does after a task that has ended well: data: [patches] of those that it has
 * written. */
CWI_CHECKED cw_error cwi_class_then(const struct cwi_class *kind, const cw_task *given,
                                    const struct cwi_needs *needs, void *const *data,
                                    const cw_task_times *times);

/* --- keep.c ----------------------------------------------------------------------------------- */

/* A constant patch on the host, brought or found there; NULL: there is no room, bring it yourself.
 * hit: receives whether it was there. Whoever takes it leaves it. Errors: those of the transfer. */
CWI_CHECKED cw_error cwi_keep_take(struct cwi_keep *keep, const cw_planned_patch *patch,
                                   size_t bytes, struct cwi_resident **resident,
                                   cw_tasks_counts *counts);
void cwi_keep_leave(struct cwi_keep *keep, struct cwi_resident *resident);
void cwi_keep_clear(struct cwi_keep *keep);

/* --- class.c ---------------------------------------------------------------------------------- */

/* Make a class. Errors: CW_MISUSE, CW_OUTSIDE. */
CWI_CHECKED cw_error cwi_class_make(cw_tasks pool, const cw_task_class *description, void *argument,
                                    struct cwi_class **made);
void cwi_class_free(struct cwi_class *old);

/* A host worker has got a task of a class with a plan: the function that its queue's tasks run.
 * argument: struct cwi_class. */
cw_error cwi_class_run(const cw_task *task, void *argument);

/* Run the task in the worker's hand. */
void cwi_worker_run_hand(struct cwi_worker *worker);

#ifdef __cplusplus
}
#endif
#endif
