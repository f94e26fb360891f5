/* The search of a worker without tasks: it checks the inbox, steals, and handles the waves that
 * detect the end of the phase. Used by phases. */
#include "base/clock.h"
#include "mpi/mpi_progress.h"
#include "mpi/mpi_result.h"
#include "number/random.h"
#include "wait/lock.h"
#include "wait/wait_report.h"
#include "worker/pool.h"

#include <causeway/sync.h>

#include <stdio.h>

/* Seconds to wait after a failed attempt to steal from another node. The delay doubles after each
 * failure. */
static const double FIRST_DELAY = 5e-6, LAST_DELAY = 1e-4;

/* --- The inbox ---------------------------------------------------------------------------------*/

/* Moves tasks from the inbox to the worker's queue. A process that adds between two phases may be
 * ahead of this one: its task, and all after it, wait for the next phase. */
static uint64_t empty_inbox(struct cwi_worker *worker)
{
  cw_tasks pool = worker->pool;
  const struct cwi_slot_head *head = NULL;
  uint64_t count = 0;
  while (cwi_queue_space(&worker->queue, 1) > 0 && (head = cwi_inbox_first(&pool->inbox)) != NULL &&
         cwi_inbox_is_due(*head, pool->phase)) {
    cwi_queue_push(&worker->queue, cwi_inbox_untag_phase(*head), head + 1);
    cwi_task_must(cwi_inbox_drop(&pool->inbox));
    count++;
  }
  worker->counts.received += count;
  return count;
}

/* Empties the inbox unless another worker is doing it. Waiting for that worker would gain
 * nothing. */
static bool take_inbox(struct cwi_worker *worker)
{
  cw_tasks pool = worker->pool;
  if (!cwi_inbox_has_tasks(&pool->inbox) ||
      __atomic_exchange_n(&pool->inbox_lock, 1, __ATOMIC_ACQUIRE) != 0)
    return false;
  const uint64_t count = empty_inbox(worker);
  cwi_unlock(&pool->inbox_lock);
  return count > 0;
}

/* Takes the tasks that threads other than workers have added. */
static bool take_aside(struct cwi_worker *worker)
{
  cw_tasks pool = worker->pool;
  if (CWI_LIKELY(!__atomic_load_n(&pool->aside_waits, __ATOMIC_ACQUIRE)))
    return false;
  cwi_lock(&pool->lock);
  const uint64_t before = pool->aside.count;
  cwi_overflow_refill(&pool->aside, &worker->queue);
  const uint64_t left = pool->aside.count;
  __atomic_store_n(&pool->aside_waits, left > 0, __ATOMIC_RELEASE);
  cwi_unlock(&pool->lock);
  return left < before;
}

uint64_t cwi_tasks_clear(cw_tasks pool)
{
  uint64_t count = pool->aside.count;
  cwi_overflow_free(&pool->aside);
  pool->aside_waits = false;
  while (cwi_inbox_first(&pool->inbox) != NULL) {
    cwi_task_must(cwi_inbox_drop(&pool->inbox));
    count++;
  }
  return count;
}

void cwi_worker_poll(struct cwi_worker *worker)
{
  take_inbox(worker);
  take_aside(worker);
  if (worker->pool->progresses)
    cwi_mpi_progress();
}

/* --- Stealing ----------------------------------------------------------------------------------*/

static uint32_t draw(struct cwi_worker *worker, uint32_t count)
{
  return (uint32_t)((cwi_random_next(&worker->random) >> 32) * count >> 32);
}

/* Compares the process, too: processes of other nodes may have queues at the same address. */
static bool is_itself(const struct cwi_worker *worker, const struct cwi_victim *victim)
{
  return victim->process == worker->queue.process && victim->shared == worker->queue.shared;
}

static uint64_t steal_from_victim(struct cwi_worker *worker, const struct cwi_victim *victim)
{
  uint64_t count = 0;
  unsigned phase = 0;
  cwi_task_must(cwi_queue_steal(&worker->queue, victim, &count, &phase));
  /* If the tasks belong to the next phase, the victim has left this phase, which is over, and has
   * added them. If the victim is one phase behind, one of its threads that runs no task has added
   * them; the tasks then run in this phase. */
  if (count > 0 && phase == (worker->pool->phase + 1) % CWI_QUEUE_PHASES)
    worker->early = true;
  return count;
}

static bool count_near(struct cwi_worker *worker, uint64_t stolen)
{
  worker->counts.near_steals += stolen > 0;
  worker->counts.near_failed += stolen == 0;
  worker->counts.near_stolen += stolen;
  return stolen > 0;
}

/* Tries all victims of this node once, from a random start. */
static bool steal_near(struct cwi_worker *worker)
{
  const cw_tasks pool = worker->pool;
  uint32_t next = pool->near_count > 1 ? draw(worker, pool->near_count) : 0;
  for (uint32_t i = 0; i < pool->near_count; i++) {
    const struct cwi_victim *victim = &pool->near[next];
    if (!is_itself(worker, victim) && count_near(worker, steal_from_victim(worker, victim)))
      return true;
    next = next + 1 < pool->near_count ? next + 1 : 0;
  }
  return false;
}

/* Tries one random victim of another node, with growing delays after failures. */
static bool steal_far(struct cwi_worker *worker)
{
  const cw_tasks pool = worker->pool;
  if (pool->far_count == 0 || (worker->far_delay > 0 && cwi_now() < worker->far_next))
    return false;
  const uint64_t stolen = steal_from_victim(worker, &pool->far[draw(worker, pool->far_count)]);
  worker->counts.far_steals += stolen > 0;
  worker->counts.far_failed += stolen == 0;
  worker->counts.far_stolen += stolen;
  if (stolen > 0) {
    worker->far_delay = 0;
    return true;
  }
  worker->far_delay = worker->far_delay > 0 ? 2 * worker->far_delay : FIRST_DELAY;
  if (worker->far_delay > LAST_DELAY)
    worker->far_delay = LAST_DELAY;
  worker->far_next = cwi_now() + worker->far_delay;
  return false;
}

static bool steal_any(struct cwi_worker *worker)
{
  const cw_tasks pool = worker->pool;
  const uint32_t which = draw(worker, pool->near_count + pool->far_count);
  if (which >= pool->near_count)
    return steal_far(worker);
  const struct cwi_victim *victim = &pool->near[which];
  return !is_itself(worker, victim) && count_near(worker, steal_from_victim(worker, victim));
}

static bool steal(struct cwi_worker *worker)
{
  const cw_tasks pool = worker->pool;
  const uint64_t largest = cwi_queue_largest(pool->options.slots);
  /* Slots that thieves have not copied yet are not free. */
  if (!pool->shares || cwi_queue_space(&worker->queue, largest) < largest)
    return false;
  if (pool->options.near_percent > 0 && pool->far_count > 0)
    return draw(worker, 100) < (uint32_t)pool->options.near_percent ? steal_near(worker)
                                                                    : steal_far(worker);
  if (pool->options.order == CW_STEAL_RANDOM)
    return steal_any(worker);
  return steal_near(worker) || steal_far(worker);
}

/* --- The end of the phase ----------------------------------------------------------------------*/

static bool others_are_idle(cw_tasks pool)
{
  for (int i = 1; i < pool->worker_count; i++)
    if (!__atomic_load_n(&pool->workers[i].idle, __ATOMIC_RELAXED))
      return false;
  return true;
}

/* Completes the tasks' operations. Errors that the targets report become errors of the phase. */
static void search_fence(struct cwi_worker *worker)
{
  const cw_error error = cw_fence_all();
  if (error != CW_OK && cwi_error_is_from_mpi())
    cwi_task_must(error);
  if (error != CW_OK)
    cwi_task_failed(worker, NULL, cwi_error_messages, error);
}

/* Reports the numbers of this process. First completes the operations of its tasks. */
static void search_report(cw_tasks pool)
{
  uint64_t added = __atomic_load_n(&pool->added_aside, __ATOMIC_ACQUIRE);
  uint64_t done = pool->done_aside;
  for (int i = 0; i < pool->worker_count; i++) {
    added += __atomic_load_n(&pool->workers[i].added, __ATOMIC_ACQUIRE);
    done += __atomic_load_n(&pool->workers[i].done, __ATOMIC_ACQUIRE);
  }
  if (done != pool->fenced)
    search_fence(&pool->workers[0]);
  pool->fenced = done;
  cwi_task_must(cwi_wave_report(&pool->wave, (int64_t)added, (int64_t)done));
}

static void tend(cw_tasks pool)
{
  bool over = false;
  const int64_t before = pool->wave.number;
  if (cwi_wave_is_ready(&pool->wave) && others_are_idle(pool))
    search_report(pool);
  cwi_task_must(cwi_wave_poll(&pool->wave, &over));
  pool->waves += pool->wave.number != before;
  if (over)
    __atomic_store_n(&pool->over, pool->phase, __ATOMIC_RELEASE);
}

bool cwi_worker_is_over(const struct cwi_worker *worker)
{
  return __atomic_load_n(&worker->pool->over, __ATOMIC_ACQUIRE) == worker->pool->phase;
}

static void search_awaited(const void *what, char *text, size_t size)
{
  (void)what;
  snprintf(text, size, "a task, or the end of the phase");
}

bool cwi_worker_search_once(struct cwi_worker *worker)
{
  return !worker->early && (take_inbox(worker) || take_aside(worker) || steal(worker)) &&
         !worker->early;
}

/* Searches until there is a task, or the phase is over. Returns true if there is a task. */
static bool search_all_queues(struct cwi_worker *worker)
{
  enum { NAP_NANOSECONDS = 100000 };
  struct cwi_wait wait = {0};
  while (true) {
    if (worker->number == 0)
      tend(worker->pool);
    if (cwi_worker_is_over(worker))
      return false;
    if (worker->pool->find_handed != NULL && worker->pool->find_handed(worker))
      return true;
    if (cwi_worker_search_once(worker))
      return true;
    if (!cwi_wait_pass(&wait))
      cwi_nap(NAP_NANOSECONDS);
  }
}

bool cwi_worker_search(struct cwi_worker *worker)
{
  const double begin = cwi_now();
  const struct cwi_waiting outer = cwi_waiting_begin("cw_tasks_process", search_awaited, NULL);
  worker->far_delay = 0;
  __atomic_store_n(&worker->idle, true, __ATOMIC_RELAXED);
  const bool found = search_all_queues(worker);
  __atomic_store_n(&worker->idle, false, __ATOMIC_RELAXED);
  cwi_waiting_end(&outer);
  worker->counts.searching += cwi_now() - begin;
  return found;
}
