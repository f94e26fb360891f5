/* The calls that add tasks: to the queue of this process, or to the inbox of another. */
#include "base/size.h"
#include "team/world.h"
#include "wait/lock.h"
#include "worker/pool.h"

#include <stdlib.h>

/* Arguments of an addition: `count` tasks of one class, whose bodies are contiguous. */
struct addition {
  cw_tasks pool;
  struct cwi_worker *here; /* worker whose task makes the call; NULL if no task of the pool does */
  struct cwi_slot_head head;
  uint32_t phase; /* for an inbox: first phase in which the tasks may run */
  const char *bodies;
  size_t count;
  int rank; /* rank of the target in the pool's team */
};

/* --- To my own queue ---------------------------------------------------------------------------*/

/* Adds a task for a thread that is not a worker. Outside a phase it may use worker 0's queue.
 * During a phase only the owner may, so the task goes to pool->aside. It is counted before a worker
 * can take it. */
static bool add_one_aside(cw_tasks pool, struct cwi_slot_head head, const void *body)
{
  __atomic_fetch_add(&pool->added_aside, 1, __ATOMIC_RELEASE);
  if (pool->running ? cwi_overflow_push(&pool->aside, pool->slot_bytes, head, body)
                    : cwi_worker_keep(&pool->workers[0], head, body))
    return true;
  __atomic_fetch_sub(&pool->added_aside, 1, __ATOMIC_RELEASE);
  return false;
}

static cw_error add_aside(const struct addition *addition)
{
  cw_tasks pool = addition->pool;
  size_t i = 0;
  cwi_lock(&pool->lock);
  while (i < addition->count &&
         add_one_aside(pool, addition->head, addition->bodies + i * addition->head.bytes))
    i++;
  __atomic_store_n(&pool->aside_waits, pool->aside.count > 0, __ATOMIC_RELEASE);
  cwi_unlock(&pool->lock);
  return i == addition->count
             ? CW_OK
             : cwi_outside("the queue of this process is full with %zu tasks, and there is no "
                           "memory for more",
                           pool->options.slots);
}

static cw_error add_here(const struct addition *addition)
{
  if (addition->here == NULL)
    return add_aside(addition);
  for (size_t i = 0; i < addition->count; i++)
    cwi_worker_add(addition->here, addition->head, addition->bodies + i * addition->head.bytes);
  return CW_OK;
}

/* --- To an inbox -------------------------------------------------------------------------------*/

/* Writes tasks as slots, claims slots of the inbox and sends them. */
static cw_error send_batch(const struct addition *addition, char *slots, size_t first,
                           uint32_t count, bool *sent)
{
  cw_tasks pool = addition->pool;
  const size_t bytes = addition->head.bytes;
  for (uint32_t i = 0; i < count; i++) {
    char *slot = slots + i * pool->slot_bytes;
    cwi_slot_write(slot, cwi_inbox_tag_phase(addition->head, addition->phase),
                   addition->bodies + (first + i) * bytes);
  }
  /* Count them before a worker can take them. If the inbox was full, this is undone below. */
  uint64_t *added = addition->here != NULL ? &addition->here->added : &pool->added_aside;
  __atomic_fetch_add(added, count, __ATOMIC_RELEASE);
  const cw_error error =
      cwi_inbox_send(&pool->targets[addition->rank], (uint32_t)pool->options.inbox,
                     pool->slot_bytes, slots, count, sent);
  if (*sent)
    cwi_task_must(
        error); /* the claimed slots will stay empty, and the inbox would wait for them for ever */
  else
    __atomic_fetch_sub(added, count, __ATOMIC_RELEASE);
  return error;
}

/* Sends as many tasks as fit into the inbox, and halves the batch whenever it does not fit. */
static cw_error send_by(const struct addition *addition, char *slots, uint32_t most, size_t *sent)
{
  uint32_t batch = most;
  for (*sent = 0; *sent < addition->count && batch > 0;) {
    const size_t left = addition->count - *sent;
    const uint32_t count = left < batch ? (uint32_t)left : batch;
    bool taken = false;
    CWI_TRY(send_batch(addition, slots, *sent, count, &taken));
    if (taken)
      *sent += count;
    else
      batch = count / 2;
  }
  return CW_OK;
}

static cw_error send(const struct addition *addition, size_t *sent)
{
  enum { STACK_BYTES = 2048 };
  char few[STACK_BYTES] __attribute__((aligned(16)));
  cw_tasks pool = addition->pool;
  const size_t most_at_once = pool->options.inbox / 2;
  const size_t most = addition->count < most_at_once ? addition->count : most_at_once;
  const bool fits = most * pool->slot_bytes <= STACK_BYTES;
  char *slots = fits ? few : malloc(most * pool->slot_bytes);
  *sent = 0;
  if (slots == NULL)
    return CW_OK; /* the tasks go to this process's own queue */
  const cw_error error = send_by(addition, slots, (uint32_t)most, sent);
  if (!fits)
    free(slots);
  if (addition->here != NULL)
    addition->here->counts.sent += *sent;
  else
    __atomic_fetch_add(&pool->sent_aside, *sent, __ATOMIC_RELAXED);
  return error;
}

/* Returns the first phase in which a task that is sent now may run. */
static uint32_t phase_of(const struct addition *addition)
{
  cw_tasks pool = addition->pool;
  if (addition->here != NULL)
    return pool->phase;
  cwi_lock(&pool->lock);
  const uint32_t phase = pool->phase + !pool->running;
  cwi_unlock(&pool->lock);
  return phase;
}

/* Sends tasks to the inbox. Those that do not fit are added to this process's own queue. */
static cw_error add_there(struct addition *addition)
{
  size_t sent = 0;
  addition->phase = phase_of(addition);
  CWI_TRY(send(addition, &sent));
  addition->count -= sent;
  addition->bodies += sent * addition->head.bytes;
  return addition->count > 0 ? add_here(addition) : CW_OK;
}

/* --- The calls ---------------------------------------------------------------------------------*/

static cw_error check_class(cw_tasks pool, int number)
{
  if (CWI_LIKELY(number >= 0 && number < pool->classes.count))
    return CW_OK;
  if (pool->classes.count == 0)
    return cwi_misuse("number is %d, but the pool has no classes yet: cw_tasks_register makes them",
                      number);
  return cwi_misuse("number is %d; the pool has the classes 0 to %d", number,
                    pool->classes.count - 1);
}

static cw_error check_bodies(cw_tasks pool, size_t count, const void *bodies, size_t bytes)
{
  size_t all = 0; /* size of all tasks as slots; a slot has bytes even if the body has none */
  if (bytes > pool->options.body)
    return cwi_misuse("bytes is %zu; bodies of this pool have at most %zu", bytes,
                      pool->options.body);
  if (!cwi_multiply(count, pool->slot_bytes, &all) || all > PTRDIFF_MAX)
    return cwi_misuse("count is %zu; memory cannot hold that many tasks of %zu bytes", count,
                      bytes);
  return bytes > 0 && count > 0 ? cwi_check_not_null("body", bodies) : CW_OK;
}

static cw_error check_target(cw_tasks pool, int process, int *rank)
{
  CWI_TRY(cwi_check_process(process));
  *rank = cwi_team_rank_of(pool->team, process);
  return *rank >= 0
             ? CW_OK
             : cwi_misuse("process is %d, which is not a member of the pool's team", process);
}

static cw_error task_add(cw_tasks pool, int number, size_t count, const void *bodies, size_t bytes,
                         int process, int affinity)
{
  CWI_TRY(cwi_check_tasks(pool));
  struct addition addition = {.pool = pool, .bodies = bodies, .count = count};
  CWI_TRY(check_class(pool, number));
  CWI_TRY(check_bodies(pool, count, bodies, bytes));
  CWI_TRY(check_target(pool, process, &addition.rank));
  addition.here = cwi_worker_here(pool);
  addition.head = (struct cwi_slot_head){.number = (uint32_t)number,
                                         .affinity = affinity,
                                         .bytes = (uint32_t)bytes,
                                         .adder = cwi_world.process};
  if (pool->options.survive)
    return cwi_surviving_add(pool, addition.head, bodies, count);
  return process == cwi_world.process ? add_here(&addition) : add_there(&addition);
}

/* The first branch is the fast path: a task adds a task to its own worker's queue. */
cw_error cw_tasks_add(cw_tasks pool, int number, const void *body, size_t bytes)
{
  struct cwi_worker *here = cwi_worker_here(pool);
  if (CWI_LIKELY(here != NULL && number >= 0 && number < pool->classes.count &&
                 bytes <= pool->options.body && (body != NULL || bytes == 0))) {
    const struct cwi_slot_head head = {
        .number = (uint32_t)number, .bytes = (uint32_t)bytes, .adder = cwi_world.process};
    cwi_worker_add(here, head, body);
    return CW_OK;
  }
  return cwi_in_call("cw_tasks_add", task_add(pool, number, 1, body, bytes, cwi_world.process, 0));
}

cw_error cw_tasks_add_to(cw_tasks pool, int number, const void *body, size_t bytes, int process,
                         int affinity)
{
  return cwi_in_call("cw_tasks_add_to", task_add(pool, number, 1, body, bytes, process, affinity));
}

cw_error cw_tasks_add_many(cw_tasks pool, int number, size_t count, const void *bodies,
                           size_t bytes, int process, int affinity)
{
  return cwi_in_call("cw_tasks_add_many",
                     task_add(pool, number, count, bodies, bytes, process, affinity));
}
