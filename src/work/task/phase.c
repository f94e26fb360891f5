/* Phases: all members run the tasks of the pool. The public call, and the threads of the pool. */
#include "collective_call/collective_check.h"
#include "device_task/accelerator.h"
#include "device_task/planning.h"
#include "profile/profile.h"
#include "team/world.h"
#include "wait/lock.h"
#include "worker/pool.h"

#include <stdlib.h>

/* --- A worker ----------------------------------------------------------------------------------*/

static void work_on_host(struct cwi_worker *worker)
{
  struct cwi_slot_head head;
  do {
    if (CWI_UNLIKELY(worker->hand != NULL))
      cwi_worker_run_hand(worker);
    for (unsigned pass = 1; !worker->early && cwi_worker_take(worker, &head); pass++) {
      cwi_worker_run(worker, head, worker->body);
      if (pass % CWI_TASKS_PER_POLL == 0)
        cwi_worker_poll(worker);
    }
  } while (cwi_worker_search(worker));
}

static void phase_work(struct cwi_worker *worker)
{
  worker->early = false;
  cwi_first_begin(&worker->error, CW_OK);
  worker->failed = 0;
  if (worker->pool->options.survive) {
    cwi_surviving_work(worker);
    return;
  }
  cwi_worker_enter(worker);
  if (cwi_worker_drives(worker))
    cwi_accelerator_work(worker);
  else
    work_on_host(worker);
  cwi_worker_leave(worker);
}

/* --- The threads -------------------------------------------------------------------------------*/

static void phase_help(struct cwi_worker *worker)
{
  struct cwi_profiled_call call = {.thread = NULL};
  if (CWI_UNLIKELY(cwi_is_profiled()))
    cwi_call_help(&call, CW_CALL_TASK_PHASE, worker->pool->called_from);
  phase_work(worker);
  cwi_call_helped(&call);
}

static void *phase_serve(void *context)
{
  struct cwi_worker *worker = context;
  cw_tasks pool = worker->pool;
  uint32_t phase = 0;
  pthread_mutex_lock(&pool->threads_lock);
  while (!pool->ends) {
    if (pool->phase == phase) {
      pthread_cond_wait(&pool->begin, &pool->threads_lock);
      continue;
    }
    phase = pool->phase;
    pthread_mutex_unlock(&pool->threads_lock);
    phase_help(worker);
    pthread_mutex_lock(&pool->threads_lock);
    if (--pool->working == 0)
      pthread_cond_signal(&pool->end);
  }
  pthread_mutex_unlock(&pool->threads_lock);
  return NULL;
}

cw_error cwi_pool_threads_start(cw_tasks pool)
{
  const int others = pool->worker_count - 1;
  pthread_mutex_init(&pool->threads_lock, NULL);
  pthread_cond_init(&pool->begin, NULL);
  pthread_cond_init(&pool->end, NULL);
  pool->threads = malloc((size_t)pool->worker_count * sizeof *pool->threads);
  if (pool->threads == NULL)
    return cwi_outside("no memory for the %d threads of a pool", pool->worker_count);
  for (; pool->started < others; pool->started++)
    if (pthread_create(&pool->threads[pool->started], NULL, phase_serve,
                       &pool->workers[pool->started + 1]) != 0)
      return cwi_outside("thread %d of %d of the pool cannot be started", pool->started + 2,
                         others + 1);
  return CW_OK;
}

void cwi_pool_threads_stop(cw_tasks pool)
{
  pthread_mutex_lock(&pool->threads_lock);
  pool->ends = true;
  pthread_cond_broadcast(&pool->begin);
  pthread_mutex_unlock(&pool->threads_lock);
  for (int i = 0; i < pool->started; i++)
    pthread_join(pool->threads[i], NULL);
  free(pool->threads);
  pthread_cond_destroy(&pool->begin);
  pthread_cond_destroy(&pool->end);
  pthread_mutex_destroy(&pool->threads_lock);
}

/* --- A phase -----------------------------------------------------------------------------------*/

static cw_error phase_enter(cw_tasks pool)
{
  cwi_lock(&pool->lock);
  const bool was = pool->running;
  pool->running = true;
  cwi_unlock(&pool->lock);
  __atomic_fetch_add(&cwi_world.phases, !was, __ATOMIC_RELAXED);
  return was ? cwi_misuse("this process is already in a phase of this pool") : CW_OK;
}

static void phase_begin(cw_tasks pool)
{
  pthread_mutex_lock(&pool->threads_lock);
  cwi_lock(&pool->lock);
  pool->phase++;
  cwi_unlock(&pool->lock);
  if (pool->options.survive)
    cwi_surviving_phase_begin(pool);
  pool->called_from = CWI_UNLIKELY(cwi_is_profiled()) ? cwi_call_site_now() : NULL;
  pool->working = pool->worker_count - 1;
  if (pool->working > 0)
    pthread_cond_broadcast(&pool->begin);
  pthread_mutex_unlock(&pool->threads_lock);
}

static void end_threads(cw_tasks pool)
{
  if (pool->worker_count == 1)
    return;
  pthread_mutex_lock(&pool->threads_lock);
  while (pool->working > 0)
    pthread_cond_wait(&pool->end, &pool->threads_lock);
  pthread_mutex_unlock(&pool->threads_lock);
}

static void phase_leave(cw_tasks pool)
{
  cwi_lock(&pool->lock);
  pool->running = false;
  cwi_unlock(&pool->lock);
  __atomic_fetch_sub(&cwi_world.phases, 1, __ATOMIC_RELAXED);
}

/* Returns the first error of the tasks as an error of the phase, even if another call has already
 * returned it. */
static cw_error first_error(cw_tasks pool)
{
  const struct cwi_first_error *first = NULL;
  uint64_t failed = 0;
  for (int i = 0; i < pool->worker_count; i++) {
    failed += pool->workers[i].failed;
    if (first == NULL && pool->workers[i].failed > 0)
      first = &pool->workers[i].error;
  }
  if (first == NULL)
    return CW_OK;
  const cw_error error = cwi_failure(first->error, "%s", first->message);
  return failed == 1
             ? error
             : cwi_error_append(error, "and %llu more tasks that ran on this process failed",
                                (unsigned long long)failed - 1);
}

/* Compares the pools of all members. A task may run a phase of another pool, so the check that
 * tasks make no collective calls is off here. */
static cw_error phase_compare(cw_tasks pool)
{
  const struct cwi_task_engagement *engagement = cwi_engaged;
  cwi_engaged = NULL;
  const struct cwi_argument agreed[] = {cwi_argument_region("pool", pool->region),
                                        CWI_ARGUMENTS_END};
  const cw_error error = CWI_TOGETHER("cw_tasks_process", pool->team, agreed, CW_OK);
  cwi_engaged = engagement;
  return error;
}

static cw_error process(cw_tasks pool)
{
  CWI_TRY(cwi_check_tasks(pool));
  CWI_TRY(phase_enter(pool));
  /* A comparison would fail if a member has failed. */
  const cw_error error = !pool->options.survive ? phase_compare(pool) : CW_OK;
  if (error == CW_OK) {
    phase_begin(pool);
    phase_work(&pool->workers[0]);
    end_threads(pool);
    if (pool->options.survive)
      cwi_surviving_phase_end(pool);
    cwi_planning_phase_over(pool);
    pool->phases++;
  }
  phase_leave(pool);
  return error != CW_OK ? error : first_error(pool);
}

cw_error cw_tasks_process(cw_tasks pool)
{
  CWI_PROFILED(CW_CALL_TASK_PHASE);
  return cwi_in_call("cw_tasks_process", process(pool));
}
