/* Surviving pools: their memory, and the calls that add tasks to them. Used by the public calls. */
#include "base/size.h"
#include "memory/zone.h"
#include "team/agreement.h"
#include "team/world.h"
#include "wait/failures.h"
#include "wait/lock.h"
#include "worker/pool.h"

#include <stdlib.h>

/* On one node, each member's slice has locks, of which those of rank 0 are used, the queues of its
 * workers, and one for tasks that other threads add. */
enum { LOCKS_BYTES = CWI_ROBUST_LOCKS * sizeof(uint32_t) };

static size_t robust_queue_bytes(const struct cwi_tasks *pool)
{
  return cwi_robust_bytes(pool->options.slots, pool->slot_bytes);
}

static uint32_t queues_of_each(const struct cwi_tasks *pool)
{
  return (uint32_t)pool->options.threads + 1;
}

size_t cwi_surviving_slice_bytes(const struct cwi_tasks *pool)
{
  if (pool->managed != NULL)
    return cwi_manager_pool_slice_bytes(pool);
  return LOCKS_BYTES + queues_of_each(pool) * robust_queue_bytes(pool);
}

cw_error cwi_surviving_check(cw_team team, const cw_tasks_options *options)
{
  if (!options->survive)
    return team->home == 0
               ? CW_OK
               : cwi_outside("with CW_FAILURES=survive a pool of tasks on several nodes "
                             "needs survive = true");
  if (options->device != NULL)
    return cwi_misuse("survive is true, but device is not NULL; a device's tasks do not survive");
  if (team->home != 0)
    return cwi_team_rank_of(team, 0) >= 0
               ? CW_OK
               : cwi_outside("process 0, which keeps the tasks of a pool on several nodes if "
                             "survive is true, is not a member of the team");
  for (int rank = 0; rank < team->size; rank++)
    if (!cwi_same_node(team->process[rank]))
      return cwi_misuse("survive is true, but process %d is on another node; such a pool needs "
                        "CW_FAILURES=survive",
                        team->process[rank]);
  return CW_OK;
}

static void *take_zone(size_t bytes)
{
  /* Memory of several granules can be freed by any process. */
  return cwi_heap_allocate(&cwi_zone.internal, bytes > CWI_GRANULE ? bytes : CWI_GRANULE, 0);
}

static void give_zone(void *memory)
{
  cwi_heap_free(&cwi_zone.internal, memory);
}

cw_error cwi_surviving_take_memory(cw_tasks pool)
{
  if (pool->team->home != 0)
    return cwi_manager_pool_take_memory(pool);
  const uint32_t count = queues_of_each(pool) * (uint32_t)pool->team->size;
  struct cwi_robust_pool *robust = calloc(1, sizeof *robust);
  pool->robust = robust;
  if (robust == NULL)
    return cwi_outside("no memory for a surviving pool");
  robust->all = calloc(count, sizeof(struct cwi_robust_shared *));
  robust->process = calloc(count, sizeof *robust->process);
  pool->robust_queues = calloc(queues_of_each(pool), sizeof *pool->robust_queues);
  if (robust->all == NULL || robust->process == NULL || pool->robust_queues == NULL)
    return cwi_outside("no memory for a surviving pool of %d processes", pool->team->size);
  robust->count = count;
  robust->slot_bytes = pool->slot_bytes;
  robust->one = pool->options.amount == CW_STEAL_ONE;
  robust->take = take_zone;
  robust->give = give_zone;
  return CW_OK;
}

void cwi_surviving_discard(cw_tasks pool)
{
  cwi_manager_pool_discard(pool);
  if (pool->robust == NULL)
    return;
  free(pool->robust->all);
  free(pool->robust->process);
  free(pool->robust);
  free(pool->robust_queues);
}

/* Returns the number of the first queue of a member. */
static uint32_t first_queue(const struct cwi_tasks *pool, int rank)
{
  return (uint32_t)rank * queues_of_each(pool);
}

static void list_queues(cw_tasks pool)
{
  struct cwi_robust_pool *robust = pool->robust;
  for (uint32_t i = 0; i < robust->count; i++) {
    const uint32_t rank = i / queues_of_each(pool), number = i % queues_of_each(pool);
    char *slice = pool->region->slices[rank].address;
    robust->process[i] = pool->team->process[rank];
    robust->all[i] = (struct cwi_robust_shared *)(void *)(slice + LOCKS_BYTES +
                                                          number * robust_queue_bytes(pool));
  }
  robust->locks = (uint32_t *)(void *)pool->region->slices[0].address;
}

static void set_up_queues(cw_tasks pool)
{
  const uint32_t first = first_queue(pool, pool->team->rank);
  list_queues(pool);
  memset(pool->region->slices[pool->team->rank].address, 0, LOCKS_BYTES);
  for (uint32_t i = 0; i < queues_of_each(pool); i++) {
    cwi_robust_begin(pool->robust->all[first + i], pool->options.slots, pool->slot_bytes);
    cwi_robust_open(&pool->robust_queues[i], pool->robust, first + i);
  }
}

/* Ends the manager of a pool that the program has not freed. The region of a pool without a manager
 * may have been freed already. */
static void slice_ends(char *address)
{
  for (cw_tasks pool = cwi_tasks_next(NULL); pool != NULL; pool = cwi_tasks_next(pool))
    if (pool->managed != NULL && pool->managed->manager != NULL &&
        (char *)cwi_manager_hungry(pool) == address)
      cwi_manager_pool_stop(pool);
}

cw_error cwi_surviving_set_up(cw_tasks pool)
{
  for (int i = 0; i < pool->worker_count; i++) {
    struct cwi_worker *worker = &pool->workers[i];
    worker->pool = pool;
    worker->number = i;
    worker->random = ((uint64_t)cwi_world.process << 32) + (uint64_t)i * 7919 + 1;
  }
  pool->shares =
      pool->team->size * pool->options.threads > 1 && pool->options.order != CW_STEAL_NOTHING;
  if (pool->managed != NULL) {
    pool->region->release = slice_ends;
    return cwi_manager_pool_set_up(pool);
  }
  set_up_queues(pool);
  return CW_OK;
}

void cwi_surviving_stop(cw_tasks pool)
{
  if (pool->managed != NULL)
    cwi_manager_pool_stop(pool);
}

/* The manager ends when no member sends requests any more. */
static void release_managed(cw_tasks pool)
{
  const cw_error met = cwi_team_agree(pool->team, CW_OK);
  (void)met; /* the release of the region returns such an error, too */
  cwi_manager_pool_stop(pool);
}

void cwi_surviving_release(cw_tasks pool)
{
  struct cwi_robust_pool *robust = pool->robust;
  if (pool->managed != NULL) {
    release_managed(pool);
    return;
  }
  cwi_robust_recover_all(robust, first_queue(pool, pool->team->rank));
  for (uint32_t i = 0; i < robust->count; i++)
    if (robust->process[i] == cwi_world.process || cwi_has_failed(robust->process[i]))
      cwi_robust_close(robust, i);
}

uint64_t cwi_surviving_clear(cw_tasks pool)
{
  uint64_t dropped = 0;
  if (pool->managed != NULL)
    return cwi_manager_clear(&pool->managed->clients[pool->options.threads]);
  for (uint32_t i = 0; i < queues_of_each(pool); i++) {
    dropped += cwi_robust_clear(&pool->robust_queues[i]);
    cwi_robust_note_settled(&pool->robust_queues[i]);
  }
  return dropped;
}

void cwi_surviving_phase_begin(cw_tasks pool)
{
  for (uint32_t i = 0; pool->robust != NULL && i < queues_of_each(pool); i++)
    cwi_robust_note_entered(&pool->robust_queues[i], pool->phase);
}

void cwi_surviving_phase_end(cw_tasks pool)
{
  for (uint32_t i = 0; pool->robust != NULL && i < queues_of_each(pool); i++)
    cwi_robust_note_over(&pool->robust_queues[i], pool->phase);
}

/* --- Adding tasks ------------------------------------------------------------------------------*/

/* Adds tasks to the transaction of a worker, or of the threads that run no task. */
static size_t add_to(cw_tasks pool, int number, struct cwi_slot_head head, const char *bodies,
                     size_t count)
{
  size_t i = 0;
  for (; i < count; i++)
    if (!(pool->managed != NULL
              ? cwi_manager_add(&pool->managed->clients[number], head, bodies + i * head.bytes)
              : cwi_robust_add(&pool->robust_queues[number], head, bodies + i * head.bytes)))
      break;
  return i;
}

/* Threads that run no task of the pool share a queue, from which workers steal. */
static size_t add_outside(cw_tasks pool, struct cwi_slot_head head, const char *bodies,
                          size_t count)
{
  const int number = pool->options.threads;
  cwi_lock(&pool->lock);
  const size_t added = add_to(pool, number, head, bodies, count);
  if (pool->managed != NULL)
    cwi_manager_publish(&pool->managed->clients[number]);
  else
    cwi_robust_publish(&pool->robust_queues[number]);
  pool->added_aside += added;
  cwi_unlock(&pool->lock);
  return added;
}

cw_error cwi_surviving_add(cw_tasks pool, struct cwi_slot_head head, const void *bodies,
                           size_t count)
{
  const struct cwi_worker *here = cwi_surviving_here(pool);
  const size_t added = here == NULL ? add_outside(pool, head, bodies, count)
                                    : add_to(pool, here->number, head, bodies, count);
  return CWI_LIKELY(added == count)
             ? CW_OK
             : cwi_outside("there is no memory for %zu more tasks", count - added);
}
