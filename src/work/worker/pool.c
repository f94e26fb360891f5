/* The list of pools, and the calls that query one. */
#include "worker/pool.h"

#include "team/world.h"
#include "wait/object_table.h"

static bool pool_is_mine(const void *pool)
{
  return ((const struct cwi_tasks *)pool)->team->rank == 0;
}

static struct cwi_objects pools = {CWI_OBJECTS_OF(struct cwi_tasks), .name = "task pool",
                                   .is_mine = pool_is_mine,
                                   .null_text = ": there is no pool, cw_tasks_create makes one",
                                   .dead_text = "not an existing pool (was it freed?)"};

cw_tasks cwi_tasks_make(void)
{
  return cwi_object_make(&pools);
}

cw_tasks cwi_tasks_next(cw_tasks pool)
{
  return cwi_object_next(&pools, pool);
}

void cwi_tasks_end(cw_tasks pool)
{
  cwi_object_end(&pools, pool);
}

cw_error cwi_check_tasks(cw_tasks pool)
{
  return cwi_check_object(&pools, "pool", pool);
}

static cw_error granted(cw_tasks pool, cw_tasks_options *options)
{
  CWI_TRY(cwi_check_tasks(pool));
  CWI_TRY(cwi_check_not_null("options", options));
  *options = pool->options;
  return CW_OK;
}

cw_error cw_tasks_granted(cw_tasks pool, cw_tasks_options *options)
{
  return cwi_in_call("cw_tasks_granted", granted(pool, options));
}

/* Publishes waiting tasks, and returns true if there is nothing left for thieves. All waiting tasks
 * may be published, because the worker itself is running a task. */
static bool others_want(struct cwi_worker *worker)
{
  struct cwi_queue *queue = &worker->queue;
  if (cwi_queue_private(queue) == 0 && worker->overflow.count > 0)
    cwi_overflow_refill(&worker->overflow, queue);
  const uint64_t waiting = cwi_queue_private(queue);
  if (waiting > 0)
    cwi_worker_release(worker, (waiting + 1) / 2);
  return cwi_queue_private(queue) == 0 && worker->overflow.count == 0 && cwi_queue_exhausted(queue);
}

static cw_error wanted_here(cw_tasks pool, bool *wanted)
{
  CWI_TRY(cwi_check_tasks(pool));
  CWI_TRY(cwi_check_not_null("wanted, which receives the answer,", wanted));
  struct cwi_worker *worker =
      pool->options.survive ? cwi_surviving_here(pool) : cwi_worker_here(pool);
  *wanted = false;
  if (worker == NULL)
    return cwi_misuse("this thread runs no task of the pool");
  if (pool->options.survive) {
    *wanted = cwi_surviving_wanted(worker);
    return CW_OK;
  }
  cwi_worker_poll(worker);
  *wanted = pool->shares && others_want(worker);
  return CW_OK;
}

cw_error cw_tasks_wanted(cw_tasks pool, bool *wanted)
{
  return cwi_in_call("cw_tasks_wanted", wanted_here(pool, wanted));
}

static cw_error object_of(cw_tasks pool, int number, void **object)
{
  CWI_TRY(cwi_check_tasks(pool));
  CWI_TRY(cwi_check_not_null("object, which receives the pointer,", object));
  if (number < 0 || number >= pool->objects.count)
    return cwi_misuse("number is %d; the pool has %d common objects, numbered from 0", number,
                      pool->objects.count);
  *object = pool->objects.all[number].argument;
  return CW_OK;
}

cw_error cw_tasks_object(cw_tasks pool, int number, void **object)
{
  return cwi_in_call("cw_tasks_object", object_of(pool, number, object));
}

static void add_worker(cw_tasks_counts *sum, const struct cwi_worker *worker)
{
  const cw_tasks_counts *counts = &worker->counts;
  /* A task that a host worker leaves to the device is counted twice, so it is subtracted once. */
  sum->added +=
      __atomic_load_n(&worker->added, __ATOMIC_RELAXED) - worker->added_before - counts->handed;
  sum->executed +=
      __atomic_load_n(&worker->done, __ATOMIC_RELAXED) - worker->done_before - counts->handed;
  sum->inlined += counts->inlined;
  sum->deferred += counts->deferred;
  sum->sent += counts->sent;
  sum->received += counts->received;
  sum->near_steals += counts->near_steals;
  sum->far_steals += counts->far_steals;
  sum->near_stolen += counts->near_stolen;
  sum->far_stolen += counts->far_stolen;
  sum->near_failed += counts->near_failed;
  sum->far_failed += counts->far_failed;
  sum->releases += counts->releases;
  sum->reacquisitions += counts->reacquisitions;
  sum->searching += counts->searching;
  sum->on_host += counts->on_host;
  sum->on_device += counts->on_device;
  sum->handed += counts->handed;
  sum->returned += counts->returned;
  sum->fetched += counts->fetched;
  sum->stored += counts->stored;
  sum->to_device += counts->to_device;
  sum->from_device += counts->from_device;
  sum->hits += counts->hits;
  sum->misses += counts->misses;
  sum->evicted += counts->evicted;
  sum->device_idle += counts->device_idle;
}

static cw_error statistics(cw_tasks pool, cw_tasks_counts *counts)
{
  CWI_TRY(cwi_check_tasks(pool));
  CWI_TRY(cwi_check_not_null("counts", counts));
  *counts = (cw_tasks_counts){.waves = pool->waves,
                              .phases = pool->phases,
                              .added = pool->added_aside - pool->added_aside_before,
                              .sent = pool->sent_aside};
  for (int i = 0; i < pool->worker_count; i++)
    add_worker(counts, &pool->workers[i]);
  return CW_OK;
}

cw_error cw_tasks_statistics(cw_tasks pool, cw_tasks_counts *counts)
{
  return cwi_in_call("cw_tasks_statistics", statistics(pool, counts));
}
