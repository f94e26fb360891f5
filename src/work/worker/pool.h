/* Pools of tasks: types and functions of the library.
 *
 * inbox.c          inboxes: tasks that processes add to each other's queues
 * manager.c        the tasks of surviving pools on several nodes
 * manager_requests.c   requests to the manager
 * overflow.c       tasks that do not fit into a worker's queue
 * pool.c           the list of pools, and the calls that query one
 * robust_queue.c   the queue of one worker of a surviving pool, and its recovery
 * surviving_pool.c    the memory of surviving pools; adding tasks to them
 * surviving_worker.c  the loop of a worker of a surviving pool
 * task_error.c     errors of tasks: the first error message and the number of failed tasks
 * task_queue.c     the queue of one worker: the owner's side and the thieves' side
 * wave.c           the end of a phase: waves on a tree of processes
 * worker.c         binds threads to workers, and handles full queues
 * worker_search.c  the search of a worker without tasks: inbox, stealing, waves
 *
 * Pools with the option `survive` (surviving pools) have a queue, a loop and an end of phases of
 * their own. Their workers are on a list of their own, too, so that the fast paths of other pools
 * need no check. */
#pragma once

#include "base/error.h"
#include "base/unread_errors.h"
#include "collective_call/collective_check.h"
#include "profile/profile.h"
#include "region/region.h"
#include "worker/inbox.h"
#include "worker/manager.h"
#include "worker/overflow.h"
#include "worker/robust_queue.h"
#include "worker/task_queue.h"
#include "worker/wave.h"

#include <causeway/task.h>

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

struct cwi_class;
struct cwi_planning;
struct cwi_handed_task;

/* A class or a common object. Its name and its number are the same on all members. */
struct cwi_named {
  char *name;
  cw_task_function function; /* only for classes */
  void *argument;            /* the argument of the class, or the common object */
  struct cwi_class *planned; /* the class if it has a plan, also in `argument`; otherwise NULL */
};

struct cwi_names {
  struct cwi_named *all;
  int count;
};

/* A thread of a pool. Other threads read its counts and whether it is idle. */
struct cwi_worker {
  struct cwi_queue queue;
  struct cwi_overflow overflow;
  unsigned depth; /* number of tasks that run inside each other */
  cw_tasks pool;
  struct cwi_worker *outer; /* the worker whose task runs the phase in which this thread works */
  struct cwi_task_engagement engagement; /* used while this thread works */
  void *body;                            /* body of the task that runs */
  struct cwi_handed_task *hand; /* the task to run next, or NULL to take one from the queue */
  const struct cwi_named *classes;
  int number;
  bool idle;
  bool early; /* the queue holds tasks of the next phase and waits for it */
  uint64_t random;
  double far_next, far_delay; /* when to try other nodes again */
  uint64_t added, done;       /* never reset: the waves add these up */
  cw_tasks_counts counts;     /* since the last reset; added and executed are not counted here */
  uint64_t added_before, done_before; /* values at the last reset */
  struct cwi_first_error error;       /* first error of this phase's tasks */
  uint64_t failed;                    /* number of failed tasks of this phase */
  uint64_t waiting; /* tasks in the queue when it last ran one with a plan; others read it */
} __attribute__((aligned(64)));

struct cwi_tasks {
  cw_team team;
  cw_region region;
  cw_tasks_options options;
  size_t slot_bytes;
  int worker_count; /* options.threads, and one more if one drives the device */
  bool shares;      /* there are other workers to steal from */
  bool progresses;  /* MPI needs calls of this process to advance the operations of others here */
  struct cwi_robust_pool *robust; /* the queues of a surviving pool on one node. In surviving pools
                                     the fields from `inbox` to `fenced` are unused */
  struct cwi_robust_queue *robust_queues; /* [options.threads + 1] mine; the last one has the tasks
                                             that threads outside tasks add */
  struct cwi_manager_pool *managed; /* not NULL if this is a surviving pool on several nodes */
  bool running;                     /* a phase runs on this process */
  uint32_t lock;                    /* guards the data that threads other than workers use */
  uint32_t phase;                   /* number of phases that have begun here */
  uint32_t over;                    /* number of phases that have ended here */
  struct cwi_names classes, objects;
  struct cwi_planning *planning; /* NULL without a device and without a class with a plan */
  /* Finds a task on the handoff lists for a host worker. NULL if `planning` is NULL. */
  bool (*find_handed)(struct cwi_worker *worker);
  struct cwi_worker *workers; /* [worker_count] */
  struct cwi_victim *near, *far;
  uint32_t near_count, far_count;
  struct cwi_inbox inbox;
  uint32_t inbox_lock;
  struct cwi_inbox_target *targets; /* [team size] */
  uint64_t added_aside, done_aside,
      sent_aside;            /* tasks of threads that are not workers, and dropped tasks */
  struct cwi_overflow aside; /* tasks that such threads added in a phase; guarded by `lock` */
  bool aside_waits;          /* `aside` has tasks */
  uint64_t added_aside_before;
  struct cwi_wave wave;
  uint64_t fenced; /* number of tasks done at the last fence */
  uint64_t waves, phases;
  /* Threads of all workers but the first, which is the caller of the phase. */
  pthread_t *threads;
  int started, working;
  bool ends;
  const struct cwi_call_site *called_from; /* the program's call of this phase, for the profile */
  pthread_mutex_t threads_lock;
  pthread_cond_t begin, end;
};

/* cwi_tasks_make returns a new pool of zeros, or NULL if there is no memory. cwi_tasks_next returns
 * the pool after `pool`, or the first one if `pool` is NULL, or NULL at the end. cwi_tasks_end
 * frees a pool. */
cw_tasks cwi_tasks_make(void);
cw_tasks cwi_tasks_next(cw_tasks pool);
void cwi_tasks_end(cw_tasks pool);

CWI_CHECKED cw_error cwi_check_tasks(cw_tasks pool);

/* Ends the job with the recorded message if `error` is an error. Used where the phase cannot
 * continue without losing tasks. */
static inline void cwi_task_must(cw_error error)
{
  if (CWI_UNLIKELY(error != CW_OK))
    cwi_abort(cwi_error_message(), 1);
}

static inline void cwi_task_raise(uint64_t *count, uint64_t by)
{
  __atomic_store_n(count, *count + by, __ATOMIC_RELEASE);
}

/* Returns true if this worker drives the device and does not run tasks itself. */
static inline bool cwi_worker_drives(const struct cwi_worker *worker)
{
  return worker->number >= worker->pool->options.threads;
}

/* --- worker.c ----------------------------------------------------------------------------------*/

/* The worker whose task this thread runs, the innermost one if tasks are nested, or NULL. */
extern __thread __attribute__((tls_model("initial-exec"))) struct cwi_worker *cwi_worker_innermost;

/* Returns the worker of `pool` whose task this thread runs, or NULL. */
static inline struct cwi_worker *cwi_worker_here(cw_tasks pool)
{
  struct cwi_worker *worker = cwi_worker_innermost;
  while (worker != NULL && CWI_UNLIKELY(worker->pool != pool))
    worker = worker->outer;
  return worker;
}

/* Binds the thread to `worker`, until cwi_worker_leave. */
void cwi_worker_enter(struct cwi_worker *worker);
void cwi_worker_leave(struct cwi_worker *worker);

/* Records an error of a task, which cw_tasks_process returns. `known` is the class of the task that
 * returned it, or NULL if a call of the library failed. `messages` is the value of
 * cwi_error_messages before the task; it shows whether the task recorded a message. */
void cwi_task_failed(struct cwi_worker *worker, const struct cwi_named *known, unsigned messages,
                     cw_error error);

/* Returns the task in the form in which its function and its plan receive it. */
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

/* Calls a function of the program from inside a call of the library. The profile counts it as time
 * outside. */
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

/* Runs a task by `function`. `body` need not be in worker->body. The task counts as done when all
 * its operations have been started; the fence before the next wave completes them. */
static inline void cwi_worker_run_by(struct cwi_worker *worker, struct cwi_slot_head head,
                                     const void *body, cw_task_function function)
{
  const struct cwi_named *known = &worker->classes[head.number];
  const cw_task task = cwi_worker_task(worker, head, body);
  const unsigned messages = cwi_error_messages;
  const cw_error error = known->planned == NULL ? cwi_task_call(function, &task, known->argument)
                                                : function(&task, known->argument);
  if (CWI_UNLIKELY(error != CW_OK))
    cwi_task_failed(worker, known, messages, error);
  cwi_task_raise(&worker->done, 1);
}

static inline void cwi_worker_run(struct cwi_worker *worker, struct cwi_slot_head head,
                                  const void *body)
{
  cwi_worker_run_by(worker, head, body, worker->classes[head.number].function);
}

/* Publishes `count` of the worker's private tasks, unless some are published already. */
void cwi_worker_release(struct cwi_worker *worker, uint64_t count);

/* Keeps tasks available to thieves as long as there are tasks besides the one that this worker is
 * about to run. */
static inline void cwi_worker_offer(struct cwi_worker *worker)
{
  const uint64_t waiting = cwi_queue_private(&worker->queue);
  if (worker->pool->shares && waiting >= 2)
    cwi_worker_release(worker, waiting / 2);
}

/* Adds a task to the worker's queue or, if it is full, to the overflow. Returns false if there is
 * no memory. */
bool cwi_worker_keep(struct cwi_worker *worker, struct cwi_slot_head head, const void *body);

/* Called when the worker's queue is full: runs the task inside the current one, or keeps it for
 * later. */
void cwi_worker_overflow(struct cwi_worker *worker, struct cwi_slot_head head, const void *body);

/* Adds a task to the worker's own queue, or runs it. The task is counted before any worker can take
 * it. */
static inline void cwi_worker_add(struct cwi_worker *worker, struct cwi_slot_head head,
                                  const void *body)
{
  cwi_task_raise(&worker->added, 1);
  if (CWI_UNLIKELY(!cwi_queue_push(&worker->queue, head, body)))
    cwi_worker_overflow(worker, head, body);
}

/* Takes the next of the worker's own tasks and copies its body to worker->body. Returns false if
 * there is none. */
static inline bool cwi_worker_take(struct cwi_worker *worker, struct cwi_slot_head *head)
{
  if (CWI_UNLIKELY(worker->overflow.count > 0) && cwi_queue_private(&worker->queue) == 0)
    cwi_overflow_refill(&worker->overflow, &worker->queue);
  cwi_worker_offer(worker);
  if (CWI_LIKELY(cwi_queue_pop(&worker->queue, head, worker->body)))
    return true;
  /* The refill may have found no free slot, because thieves have not copied their tasks yet. */
  if (cwi_overflow_pop(&worker->overflow, worker->queue.slot_bytes, head, worker->body))
    return true;
  if (!worker->queue.open)
    return false;
  cwi_task_must(cwi_queue_reacquire(&worker->queue));
  worker->counts.reacquisitions += cwi_queue_private(&worker->queue) > 0;
  return cwi_queue_pop(&worker->queue, head, worker->body);
}

/* --- worker_search.c -------------------------------------------------------------------------- */

/* While a worker has tasks, it checks the inbox and lets MPI progress each time it has run this
 * many. */
enum { CWI_TASKS_PER_POLL = 32 };
void cwi_worker_poll(struct cwi_worker *worker);

/* Searches for tasks until the worker has some. Returns false if the phase is over. */
bool cwi_worker_search(struct cwi_worker *worker);

/* cwi_worker_search_once checks the inbox and tries to steal once, for a worker that has other
 * things to do. Returns true if the worker now has tasks. cwi_worker_is_over returns true if the
 * phase is over. */
bool cwi_worker_search_once(struct cwi_worker *worker);
bool cwi_worker_is_over(const struct cwi_worker *worker);

/* Drops the tasks that other processes have sent here, and returns their number. Called outside
 * phases. */
uint64_t cwi_tasks_clear(cw_tasks pool);

/* --- surviving_pool.c --------------------------------------------------------------------------*/

/* Checks the options of a surviving pool, after pool_complete. Errors: CW_MISUSE. */
CWI_CHECKED cw_error cwi_surviving_check(cw_team team, const cw_tasks_options *options);

/* Create a surviving pool in steps: allocates private memory, returns the bytes of a slice,
 * prepares the slice and the workers. Errors: CW_OUTSIDE. cwi_surviving_stop undoes the last step.
 */
CWI_CHECKED cw_error cwi_surviving_take_memory(cw_tasks pool);
size_t cwi_surviving_slice_bytes(const struct cwi_tasks *pool);
CWI_CHECKED cw_error cwi_surviving_set_up(cw_tasks pool);
void cwi_surviving_stop(cw_tasks pool);

/* cwi_surviving_release ends the use of the queues before their region is freed. It is collective
 * over the survivors.
 * cwi_surviving_discard frees private memory; it does nothing for other pools. */
void cwi_surviving_release(cw_tasks pool);
void cwi_surviving_discard(cw_tasks pool);

/* Drops the tasks in this process's queues and returns their number. */
uint64_t cwi_surviving_clear(cw_tasks pool);

/* Report to the other members that this process has entered the pool's phase, and has left it. */
void cwi_surviving_phase_begin(cw_tasks pool);
void cwi_surviving_phase_end(cw_tasks pool);

/* Adds `count` tasks to the queue of the calling worker, or of this process. Errors: CW_OUTSIDE. */
CWI_CHECKED cw_error cwi_surviving_add(cw_tasks pool, struct cwi_slot_head head, const void *bodies,
                                       size_t count);

/* --- surviving_worker.c ------------------------------------------------------------------------*/

/* Like cwi_worker_here, but for surviving pools. */
struct cwi_worker *cwi_surviving_here(cw_tasks pool);

/* Works on the phase until it is over. */
void cwi_surviving_work(struct cwi_worker *worker);

/* Called by the task that the worker runs: commit what it has done and replace its body; register a
 * put or an accumulate, and return false if there is no memory; find out if others want tasks. */
CWI_CHECKED cw_error cwi_surviving_commit(struct cwi_worker *worker, const void *body,
                                          uint32_t bytes);
bool cwi_surviving_log(struct cwi_worker *worker, const struct cwi_robust_effect *effect,
                       int process);
bool cwi_surviving_wanted(struct cwi_worker *worker);

/* --- phase.c -----------------------------------------------------------------------------------*/

/* Start and stop the threads of the pool, without the caller's. Stop also cleans up after a start
 * that failed. */
CWI_CHECKED cw_error cwi_pool_threads_start(cw_tasks pool);
void cwi_pool_threads_stop(cw_tasks pool);

/* --- task_register.c -------------------------------------------------------------------------- */

void cwi_names_clear(struct cwi_names *names);
