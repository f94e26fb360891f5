/* The loop of a worker of a surviving pool: it runs tasks, steals, recovers the queues of failed
 * processes, and detects the end of the phase. */
#include "base/clock.h"
#include "mpi/mpi_result.h"
#include "number/random.h"
#include "team/world.h"
#include "wait/failures.h"
#include "wait/wait_report.h"
#include "worker/pool.h"

#include <causeway/sync.h>

#include <stdio.h>

static __thread struct cwi_worker *surviving_innermost;

struct cwi_worker *cwi_surviving_here(cw_tasks pool)
{
  struct cwi_worker *worker = surviving_innermost;
  while (worker != NULL && CWI_UNLIKELY(worker->pool != pool))
    worker = worker->outer;
  return worker;
}

static struct cwi_robust_queue *queue_of_worker(const struct cwi_worker *worker)
{
  return &worker->pool->robust_queues[worker->number];
}

/* Returns the worker's side of a pool on several nodes, or NULL. */
static struct cwi_manager_client *client_of(const struct cwi_worker *worker)
{
  const struct cwi_manager_pool *managed = worker->pool->managed;
  return managed != NULL ? &managed->clients[worker->number] : NULL;
}

static void surviving_enter(struct cwi_worker *worker)
{
  worker->classes = worker->pool->classes.all;
  worker->outer = surviving_innermost;
  surviving_innermost = worker;
  worker->engagement = (struct cwi_task_engagement){worker->pool->team, cwi_engaged};
  cwi_engaged = &worker->engagement;
}

static void surviving_leave(struct cwi_worker *worker)
{
  surviving_innermost = worker->outer;
  cwi_engaged = worker->engagement.outer;
}

/* --- Running -----------------------------------------------------------------------------------*/

/* Calls the function of a task. Returns false if it fails: the task then has no effects. */
static bool surviving_call(struct cwi_worker *worker, struct cwi_slot_head head, const void *body)
{
  const struct cwi_named *known = &worker->classes[head.number];
  const cw_task task = cwi_worker_task(worker, head, body);
  const unsigned messages = cwi_error_messages;
  const cw_error error = cwi_task_call(known->function, &task, known->argument);
  if (CWI_UNLIKELY(error != CW_OK))
    cwi_task_failed(worker, known, messages, error);
  return error == CW_OK;
}

static void surviving_run(struct cwi_worker *worker, struct cwi_slot_head head, const void *body)
{
  struct cwi_robust_queue *queue = queue_of_worker(worker);
  if (CWI_UNLIKELY(!surviving_call(worker, head, body)))
    cwi_robust_drop(queue);
  cwi_task_raise(&worker->added, queue->pending);
  cwi_robust_finish(queue);
  cwi_task_raise(&worker->done, 1);
}

cw_error cwi_surviving_commit(struct cwi_worker *worker, const void *body, uint32_t bytes)
{
  struct cwi_manager_client *client = client_of(worker);
  if (client != NULL) {
    cwi_task_raise(&worker->added, client->added);
    return cwi_manager_continue(client, body, bytes);
  }
  struct cwi_robust_queue *queue = queue_of_worker(worker);
  cwi_task_raise(&worker->added, queue->pending);
  cwi_robust_continue(queue, body, bytes);
  return CW_OK;
}

bool cwi_surviving_log(struct cwi_worker *worker, const struct cwi_robust_effect *effect,
                       int process)
{
  struct cwi_manager_client *client = client_of(worker);
  return client != NULL ? cwi_manager_log(client, effect, process)
                        : cwi_robust_log(queue_of_worker(worker), effect);
}

static void surviving_offer(struct cwi_worker *worker, uint64_t count)
{
  struct cwi_robust_queue *queue = queue_of_worker(worker);
  if (!worker->pool->shares || count == 0 || !cwi_robust_exhausted(queue))
    return;
  cwi_robust_release(queue, count);
  worker->counts.releases++;
}

/* Tasks that were added since the last commit cannot be offered, so a task that wants to give away
 * more of its work has to commit first. */
bool cwi_surviving_wanted(struct cwi_worker *worker)
{
  struct cwi_manager_client *client = client_of(worker);
  if (client != NULL)
    return worker->pool->shares && client->added == 0 && cwi_manager_wanted(worker->pool, client);
  const struct cwi_robust_queue *queue = queue_of_worker(worker);
  surviving_offer(worker, (cwi_robust_private(queue) + 1) / 2);
  return worker->pool->shares && queue->pending == 0 && cwi_robust_private(queue) == 0 &&
         cwi_robust_exhausted(queue);
}

static bool surviving_take(struct cwi_worker *worker, struct cwi_slot_head *head, const void **body)
{
  struct cwi_robust_queue *queue = queue_of_worker(worker);
  surviving_offer(worker, cwi_robust_private(queue) / 2);
  return cwi_robust_take(queue, head, body);
}

/* --- Searching ---------------------------------------------------------------------------------*/

static bool surviving_steal(struct cwi_worker *worker, uint32_t victim, bool *over)
{
  struct cwi_robust_queue *mine = queue_of_worker(worker);
  if (victim == mine->number)
    return false;
  const uint64_t stolen = cwi_robust_steal(mine, victim, worker->pool->phase, over);
  worker->counts.near_steals += stolen > 0;
  worker->counts.near_stolen += stolen;
  return stolen > 0;
}

/* Returns true if the worker may steal from the queue although the pool shares no tasks: its tasks
 * have no worker. */
static bool has_no_worker(const struct cwi_tasks *pool, uint32_t queue)
{
  return queue == pool->robust_queues[pool->options.threads].number ||
         cwi_has_failed(pool->robust->process[queue]);
}

/* Tries all queues once, from a random start. */
static bool surviving_steal_any(struct cwi_worker *worker, bool *over)
{
  const struct cwi_tasks *pool = worker->pool;
  const uint32_t count = pool->robust->count;
  uint32_t next = (uint32_t)((cwi_random_next(&worker->random) >> 32) * count >> 32);
  if (surviving_steal(worker, pool->robust_queues[pool->options.threads].number, over))
    return true;
  for (uint32_t i = 0; i < count && !*over; i++) {
    if ((pool->shares || has_no_worker(pool, next)) && surviving_steal(worker, next, over))
      return true;
    next = next + 1 < count ? next + 1 : 0;
  }
  worker->counts.near_failed++;
  return false;
}

/* Completes the operations of the tasks that this worker has done. */
static void complete_operations(struct cwi_worker *worker)
{
  const cw_error error = cw_fence_all();
  if (error != CW_OK && cwi_error_is_from_mpi())
    cwi_task_must(error);
  if (error != CW_OK)
    cwi_task_failed(worker, NULL, cwi_error_messages, error);
}

static void surviving_settle(struct cwi_worker *worker)
{
  struct cwi_robust_queue *queue = queue_of_worker(worker);
  if (queue->shared->settled == queue->done)
    return;
  complete_operations(worker);
  cwi_robust_note_settled(queue);
}

static void surviving_awaited(const void *what, char *text, size_t size)
{
  (void)what;
  snprintf(text, size, "a task, or the end of the phase");
}

/* Searches until the worker has tasks, or the phase is over. Returns true if it has tasks. */
static bool search_survivors(struct cwi_worker *worker)
{
  enum { NAP_NANOSECONDS = 100000 };
  const struct cwi_tasks *pool = worker->pool;
  const struct cwi_robust_queue *queue = queue_of_worker(worker);
  struct cwi_wait wait = {0};
  unsigned failures = 0;
  uint64_t settled = 0;
  bool over = false;
  while (true) {
    const unsigned now = cwi_failures_count();
    if (CWI_UNLIKELY(now != failures)) {
      failures = now;
      cwi_robust_recover_all(pool->robust, queue->number);
      cwi_failures_call_handler();
    }
    if (over || cwi_robust_is_over(pool->robust, pool->phase, &settled))
      return false;
    if (surviving_steal_any(worker, &over))
      return true;
    if (!over && !cwi_wait_pass(&wait))
      cwi_nap(NAP_NANOSECONDS);
  }
}

static bool surviving_search(struct cwi_worker *worker)
{
  const double begin = cwi_now();
  const struct cwi_waiting outer = cwi_waiting_begin("cw_tasks_process", surviving_awaited, NULL);
  surviving_settle(worker);
  const bool found = search_survivors(worker);
  cwi_waiting_end(&outer);
  worker->counts.searching += cwi_now() - begin;
  return found;
}

static void work_on_queue(struct cwi_worker *worker)
{
  struct cwi_slot_head head;
  const void *body = NULL;
  do {
    while (surviving_take(worker, &head, &body))
      surviving_run(worker, head, body);
  } while (surviving_search(worker));
}

/* --- On several nodes --------------------------------------------------------------------------*/

static void count_steal(struct cwi_worker *worker, int from)
{
  cw_tasks_counts *counts = &worker->counts;
  if (from == cwi_world.process)
    return;
  const bool near = cwi_same_node(from);
  counts->near_steals += near;
  counts->near_stolen += near;
  counts->far_steals += !near;
  counts->far_stolen += !near;
}

/* Ends the task that has run, and waits for the next one. Returns false if the phase is over. */
static bool take_from_manager(struct cwi_worker *worker, struct cwi_slot_head *head,
                              const void **body)
{
  struct cwi_manager_client *client = client_of(worker);
  int from = -1;
  complete_operations(worker);
  const double begin = cwi_now();
  const struct cwi_waiting outer = cwi_waiting_begin("cw_tasks_process", surviving_awaited, NULL);
  const cw_error error = cwi_manager_take(client, worker->pool->phase, &from, head, body);
  cwi_waiting_end(&outer);
  worker->counts.searching += cwi_now() - begin;
  if (CWI_UNLIKELY(error != CW_OK)) /* of the effects of the task that has run */
    cwi_task_failed(worker, NULL, cwi_error_messages, error);
  if (from >= 0)
    count_steal(worker, from);
  return from >= 0;
}

static void work_for_manager(struct cwi_worker *worker)
{
  struct cwi_manager_client *client = client_of(worker);
  struct cwi_slot_head head;
  const void *body = NULL;
  while (take_from_manager(worker, &head, &body)) {
    if (CWI_UNLIKELY(!surviving_call(worker, head, body)))
      cwi_manager_drop(client);
    cwi_task_raise(&worker->added, client->added);
    cwi_task_raise(&worker->done, 1);
  }
}

void cwi_surviving_work(struct cwi_worker *worker)
{
  surviving_enter(worker);
  if (worker->pool->managed != NULL)
    work_for_manager(worker);
  else
    work_on_queue(worker);
  surviving_leave(worker);
}
