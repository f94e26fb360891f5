/* Pools of tasks, as the inside sees them.
 *
 * inbox.c          inboxes: tasks that processes add to each other's queues
 * overflow.c       tasks for which there is no room in a worker's queue
 * pool.c           pools of tasks: which live, and what they are asked
 * task_error.c     tasks that return errors: what the phase says of the first, and how many there
 *                  were
 * task_queue.c     the queue of one worker: what the owner does, and what thieves do
 * wave.c           the end of a phase: waves on a tree of processes
 * worker.c         the workers that a thread works for, and tasks for which there is no room
 * worker_search.c  what a worker without tasks does: it looks into the inbox, steals, and tends
 *                  the waves that find
 * */
#ifndef CWI_WORKER_POOL_H
#define CWI_WORKER_POOL_H

#include "base/error.h"
#include "base/unread_errors.h"
#include "profile/profile.h"
#include "region/region.h"
#include "team/collective_check.h"
#include "worker/inbox.h"
#include "worker/overflow.h"
#include "worker/task_queue.h"
#include "worker/wave.h"

#include <causeway/task.h>

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

struct cwi_class;
struct cwi_planning;
struct cwi_handed_task;

/* What has a name and a number that are the same on all members. */
struct cwi_named {
  char *name;
  cw_task_function function; /* of a class */
  void *argument;            /* of a class, or the object */
  struct cwi_class *planned; /* of a class with a plan: its argument; else NULL */
};

struct cwi_names {
  struct cwi_named *all;
  int count;
};

/* A thread of a pool. Others read what it has counted, and whether it is idle. */
struct cwi_worker {
  struct cwi_queue queue;
  struct cwi_overflow overflow;
  unsigned depth; /* of tasks that run within each other */
  cw_tasks pool;
  struct cwi_worker *outer;           /* whose task runs the phase in which this thread works */
  struct cwi_task_engagement engaged; /* while this thread works */
  void *body;                         /* of the task that runs */
  struct cwi_handed_task *hand;       /* the task that it runs next; NULL: one of its queue */
  const struct cwi_named *classes;
  int number;
  bool idle;
  bool early; /* its queue holds tasks of the next phase: it waits for that */
  uint64_t random;
  double far_next, far_delay;         /* when to look at other nodes again */
  uint64_t added, done;               /* ever: what the waves add up */
  cw_tasks_counts counts;             /* but for added and executed; since the last reset */
  uint64_t added_before, done_before; /* at the last reset */
  struct cwi_first_error error;       /* of this phase's tasks */
  uint64_t failed;                    /* so many of them */
  uint64_t waiting; /* tasks in its queue when it last ran one with a plan; others read it */
} __attribute__((aligned(64)));

struct cwi_tasks {
  cw_team team;
  cw_region region;
  cw_tasks_options options;
  size_t slot_bytes;
  int worker_count; /* workers: options.threads, and one more that drives the device */
  bool shares;      /* there is somebody to steal from */
  bool progresses;  /* MPI needs this process's help for what others do here */
  bool running;     /* a phase is on here */
  uint32_t lock;    /* of what threads do that are no workers */
  uint32_t phase;   /* phases that have begun here */
  uint32_t over;    /* and that are over */
  struct cwi_names classes, objects;
  struct cwi_planning *planning; /* NULL: no device, and no class with a plan */
  /* Finds a task that the device has handed to hosts. NULL without `planning`. */
  bool (*find_handed)(struct cwi_worker *worker);
  struct cwi_worker *workers; /* [worker_count] */
  struct cwi_victim *near, *far;
  uint32_t near_count, far_count;
  struct cwi_inbox inbox;
  uint32_t inbox_lock;
  struct cwi_inbox_target *targets;             /* [team size] */
  uint64_t added_aside, done_aside, sent_aside; /* by threads that are no workers; thrown away */
  struct cwi_overflow aside;                    /* what they have added in a phase; `lock` */
  bool aside_waits;                             /* there is some */
  uint64_t added_aside_before;
  struct cwi_wave wave;
  uint64_t fenced; /* tasks that were done at the last fence */
  uint64_t waves, phases;
  /* The workers but the first. */
  pthread_t *threads;
  int started, working;
  bool ends;
  const struct cwi_call_site *called_from; /* the program's call of this phase, for the profile */
  pthread_mutex_t threads_lock;
  pthread_cond_t begin, end;
};

/* A new pool, all zeros, or NULL: no memory; those that live (NULL gives the first, and comes after
 * the last); and its end. */
cw_tasks cwi_tasks_make(void);
cw_tasks cwi_tasks_next(cw_tasks pool);
void cwi_tasks_end(cw_tasks pool);

CWI_CHECKED cw_error cwi_check_tasks(cw_tasks pool);

/* Where a phase cannot go on: tasks would be lost. Ends the job with the recorded sentence. */
static inline void cwi_task_must(cw_error error)
{
  if (CWI_UNLIKELY(error != CW_OK))
    cwi_abort(cwi_error_message(), 1);
}

static inline void cwi_task_raise(uint64_t *count, uint64_t by)
{
  __atomic_store_n(count, *count + by, __ATOMIC_RELEASE);
}

/* Is it the one that drives the device, and runs no task itself? */
static inline bool cwi_worker_drives(const struct cwi_worker *worker)
{
  return worker->number >= worker->pool->options.threads;
}

/* --- worker.c ----------------------------------------------------------------------------------*/

/* Whose task this thread runs, the innermost of them; NULL: it runs none. */
extern __thread __attribute__((tls_model("initial-exec"))) struct cwi_worker *cwi_worker_innermost;

/* The worker of the pool whose task this thread runs. */
static inline struct cwi_worker *cwi_worker_here(cw_tasks pool)
{
  struct cwi_worker *worker = cwi_worker_innermost;
  while (worker != NULL && CWI_UNLIKELY(worker->pool != pool))
    worker = worker->outer;
  return worker;
}

/* The thread works for it from now on; and no longer. */
void cwi_worker_enter(struct cwi_worker *worker);
void cwi_worker_leave(struct cwi_worker *worker);

/* An error of a task is what the phase returns, in whichever thread: there it is looked at. known:
 * whose task has returned it; NULL: a call of ours has. sentences: cwi_error_messages before the
 * task: it may have returned an error of its own. */
void cwi_task_failed(struct cwi_worker *worker, const struct cwi_named *known, unsigned sentences,
                     cw_error error);

/* A task as its function, or its plan, sees it. */
static inline cw_task cwi_worker_task(const struct cwi_worker *worker, struct cwi_slot_head head,
                                      const void *body)
{
  return (cw_task){.pool = worker->pool,
                   .number = (int)head.number,
                   .affinity = head.affinity,
                   .adder = head.adder,
                   .worker = worker->number,
                   .body = body,
                   .bytes = head.bytes};
}

/* Call a function of the program's, in the middle of a call of ours. */
static inline cw_error cwi_task_call(cw_task_function function, const cw_task *task, void *argument)
{
  struct cwi_profiled_call call = {.thread = NULL};
  if (CWI_UNLIKELY(cwi_is_profiled()))
    cwi_outside_enter(&call, (const void *)(uintptr_t)function);
  const cw_error error = function(task, argument);
  if (CWI_UNLIKELY(call.thread != NULL))
    cwi_outside_return(&call);
  return error;
}

/* Run a task, whose body may lie elsewhere, by the function. It counts as done when all it does has
 * been started: a fence before the next wave completes that. */
static inline void cwi_worker_run_by(struct cwi_worker *worker, struct cwi_slot_head head,
                                     const void *body, cw_task_function function)
{
  const struct cwi_named *known = &worker->classes[head.number];
  const cw_task task = cwi_worker_task(worker, head, body);
  const unsigned sentences = cwi_error_messages;
  const cw_error error = known->planned == NULL ? cwi_task_call(function, &task, known->argument)
                                                : function(&task, known->argument);
  if (CWI_UNLIKELY(error != CW_OK))
    cwi_task_failed(worker, known, sentences, error);
  cwi_task_raise(&worker->done, 1);
}

static inline void cwi_worker_run(struct cwi_worker *worker, struct cwi_slot_head head,
                                  const void *body)
{
  cwi_worker_run_by(worker, head, body, worker->classes[head.number].function);
}

/* Publish so many of the worker's private tasks, unless some are published. */
void cwi_worker_release(struct cwi_worker *worker, uint64_t count);

/* Thieves find something, as long as there is something to give besides the task that the worker
 * itself is about to run. */
static inline void cwi_worker_offer(struct cwi_worker *worker)
{
  const uint64_t waiting = cwi_queue_private(&worker->queue);
  if (worker->pool->shares && waiting >= 2)
    cwi_worker_release(worker, waiting / 2);
}

/* The worker's queue is full: run the task within the present one, or keep it for later. */
void cwi_worker_overflow(struct cwi_worker *worker, struct cwi_slot_head head, const void *body);

/* Add a task to the worker's own queue, or run it. It is counted before anybody can take
 * it. */
static inline void cwi_worker_add(struct cwi_worker *worker, struct cwi_slot_head head,
                                  const void *body)
{
  cwi_task_raise(&worker->added, 1);
  if (CWI_UNLIKELY(!cwi_queue_push(&worker->queue, head, body)))
    cwi_worker_overflow(worker, head, body);
}

/* Take the next task of the worker's own, whose body comes to worker->body. False: there is none.
 */
static inline bool cwi_worker_take(struct cwi_worker *worker, struct cwi_slot_head *head)
{
  if (CWI_UNLIKELY(worker->overflow.count > 0) && cwi_queue_private(&worker->queue) == 0)
    cwi_overflow_refill(&worker->overflow, &worker->queue);
  cwi_worker_offer(worker);
  if (CWI_LIKELY(cwi_queue_pop(&worker->queue, head, worker->body)))
    return true;
  /* Thieves have not yet copied what would make room for these. */
  if (cwi_overflow_pop(&worker->overflow, worker->queue.slot_bytes, head, worker->body))
    return true;
  if (!worker->queue.open)
    return false;
  cwi_task_must(cwi_queue_reacquire(&worker->queue));
  worker->counts.reacquisitions += cwi_queue_private(&worker->queue) > 0;
  return cwi_queue_pop(&worker->queue, head, worker->body);
}

/* --- worker_search.c
 * ----------------------------------------------------------------------------------*/

/* After so many tasks, while there are some: look into the inbox, let MPI progress. */
enum { CWI_TASKS_PER_POLL = 32 };
void cwi_worker_poll(struct cwi_worker *worker);

/* Look for tasks. False: the phase is over. */
bool cwi_worker_search(struct cwi_worker *worker);

/* One look at the inbox and at others' queues, for a worker that has other things to do: has it got
 * tasks? And is the phase over? */
bool cwi_worker_search_once(struct cwi_worker *worker);
bool cwi_worker_is_over(const struct cwi_worker *worker);

/* Throw away what has come for this process. Outside phases. */
uint64_t cwi_tasks_clear(cw_tasks pool);

/* --- phase.c -----------------------------------------------------------------------------------*/

/* The threads of the pool but the caller's. Stop: also after a start that failed. */
CWI_CHECKED cw_error cwi_pool_threads_start(cw_tasks pool);
void cwi_pool_threads_stop(cw_tasks pool);

/* --- task_register.c
 * --------------------------------------------------------------------------------*/

void cwi_names_clear(struct cwi_names *names);
#endif
