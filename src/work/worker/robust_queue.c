/* Queues of surviving pools: the owner's side, the thieves' side, recovery, the end of a phase.
 *
 * A process may fail between any two instructions. So the order of stores matters to a process that
 * recovers the queue, also the order in which the compiler leaves them: see step(). The order in
 * which other processors see them does not matter for that, because the kernel reports the failure
 * after all stores. */
#include "worker/robust_queue.h"

#include "base/size.h"
#include "number/atomic_update.h"
#include "route/direct/stripes.h"
#include "wait/failures.h"
#include "wait/waiter.h"

#include <sched.h>

enum { LINE = 64, LINE_MASK = LINE - 1 };

/* An entry of the log. The operand follows; for an accumulate, so does the result. */
struct effect {
  uint64_t to; /* offset in the zone */
  uint64_t bytes;
  int32_t type, reduction;
  uint32_t lock;
  uint32_t state;
};
enum { EFFECT_LOGGED = 0, EFFECT_COMPUTED = 1, EFFECT_APPLIED = 2 };

/* Keeps the compiler from moving stores across: what is before happens before what is after. */
static inline void step(void)
{
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
}

static inline char *robust_address(uint64_t word)
{
  return cwi_zone.base + (word & ~(uint64_t)LINE_MASK);
}

static inline uint64_t robust_size(uint64_t word)
{
  return (uint64_t)1 << (word & LINE_MASK);
}

static uint64_t robust_word(const char *address, uint64_t size)
{
  return (uint64_t)(address - cwi_zone.base) | (unsigned)__builtin_ctzll(size);
}

static char *body_of(struct cwi_robust_shared *shared, size_t slot_bytes, unsigned number)
{
  return (char *)(shared + 1) + (number - 1) * slot_bytes;
}

static size_t bodies_bytes(size_t slot_bytes)
{
  return cwi_round_up(2 * slot_bytes, LINE);
}

static inline char *robust_slot(const struct cwi_robust_queue *queue, uint64_t position)
{
  return queue->slots + (position & queue->mask) * queue->pool->slot_bytes;
}

static size_t slot_used(const char *slot)
{
  return sizeof(struct cwi_slot_head) + cwi_slot_read(slot).bytes;
}

static size_t effect_bytes(const struct effect *effect)
{
  const size_t copies = effect->reduction == CW_REPLACE ? 1 : 2;
  return sizeof *effect + copies * cwi_round_up(effect->bytes, 16);
}

/* --- Making ------------------------------------------------------------------------------------*/

size_t cwi_robust_bytes(size_t slots, size_t slot_bytes)
{
  return sizeof(struct cwi_robust_shared) + bodies_bytes(slot_bytes) +
         cwi_round_up(slots * slot_bytes, LINE) + CWI_ROBUST_LOG;
}

void cwi_robust_begin(struct cwi_robust_shared *memory, size_t slots, size_t slot_bytes)
{
  char *ring = (char *)(memory + 1) + bodies_bytes(slot_bytes);
  char *log = ring + cwi_round_up(slots * slot_bytes, LINE);
  *memory = (struct cwi_robust_shared){.first_ring = robust_word(ring, slots),
                                       .first_log = robust_word(log, CWI_ROBUST_LOG)};
  memory->ring = memory->first_ring;
  memory->log = memory->first_log;
}

static void use_ring(struct cwi_robust_queue *queue)
{
  queue->slots = robust_address(queue->shared->ring);
  queue->mask = robust_size(queue->shared->ring) - 1;
}

static void use_log(struct cwi_robust_queue *queue)
{
  queue->log = robust_address(queue->shared->log);
  queue->log_bytes = robust_size(queue->shared->log);
}

void cwi_robust_open(struct cwi_robust_queue *queue, struct cwi_robust_pool *pool, uint32_t number)
{
  *queue = (struct cwi_robust_queue){.pool = pool, .shared = pool->all[number], .number = number};
  use_ring(queue);
  use_log(queue);
}

/* Replaces a ring or a log, and frees the old one unless it is the one in the slice. */
static void replace(const struct cwi_robust_pool *pool, uint64_t *word, uint64_t first,
                    uint64_t next)
{
  const uint64_t old = __atomic_exchange_n(word, next, __ATOMIC_ACQ_REL);
  step();
  if (old != first)
    pool->give(robust_address(old));
}

void cwi_robust_close(struct cwi_robust_pool *pool, uint32_t number)
{
  struct cwi_robust_shared *shared = pool->all[number];
  replace(pool, &shared->ring, shared->first_ring, shared->first_ring);
  replace(pool, &shared->log, shared->first_log, shared->first_log);
}

/* --- Locks -------------------------------------------------------------------------------------*/

static void robust_recover(const struct cwi_robust_pool *pool, uint32_t me, uint32_t number);

/* Acquires a lock for queue number `name`, which is the caller's, or one that the caller recovers.
 * In the second case the failed process may hold it already. `me` is a queue of the caller. */
static void robust_lock(const struct cwi_robust_pool *pool, uint32_t *word, uint32_t name,
                        uint32_t me)
{
  struct cwi_wait wait = {0};
  uint32_t seen = 0;
  while (!__atomic_compare_exchange_n(word, &seen, name + 1, false, __ATOMIC_ACQUIRE,
                                      __ATOMIC_RELAXED)) {
    if (seen == name + 1)
      return;
    if (seen != 0 && cwi_has_failed(pool->process[seen - 1])) {
      robust_recover(pool, me, seen - 1);
      continue; /* takes the lock over */
    }
    if (seen != 0 && !cwi_wait_unserved(&wait))
      sched_yield();
    seen = 0;
  }
}

static inline void robust_unlock(uint32_t *word)
{
  __atomic_store_n(word, 0, __ATOMIC_RELEASE);
}

/* --- The log -----------------------------------------------------------------------------------*/

/* Makes a log with space for `wanted` more bytes. */
static bool grow_log(struct cwi_robust_queue *queue, size_t wanted)
{
  struct cwi_robust_shared *shared = queue->shared;
  size_t bytes = queue->log_bytes;
  while (bytes - queue->logged < wanted)
    bytes *= 2;
  char *log = queue->pool->take(bytes);
  if (log == NULL)
    return false;
  memcpy(log, queue->log, queue->logged);
  replace(queue->pool, &shared->log, shared->first_log, robust_word(log, bytes));
  use_log(queue);
  return true;
}

/* Returns the number of bytes of an accumulate that one stripe guards; an element belongs to the
 * stripe of its first byte. */
static size_t under_one_stripe(const struct cwi_robust_effect *effect)
{
  const size_t element = cwi_type_bytes[effect->type], left = cwi_left_under_stripe(effect->to);
  const size_t under = left < element ? element : left / element * element;
  return effect->bytes < under ? effect->bytes : under;
}

static bool log_part(struct cwi_robust_queue *queue, const struct cwi_robust_effect *part)
{
  const struct effect effect = {
      .to = (uint64_t)(part->to - cwi_zone.base),
      .bytes = part->bytes,
      .type = (int32_t)part->type,
      .reduction = (int32_t)part->reduction,
      .lock =
          (uint32_t)((uint64_t)(part->to - cwi_zone.base) >> CWI_STRIPE_SHIFT) % CWI_ROBUST_LOCKS};
  const size_t bytes = effect_bytes(&effect);
  if (queue->log_bytes - queue->logged < bytes && !grow_log(queue, bytes))
    return false;
  char *entry = queue->log + queue->logged;
  memcpy(entry, &effect, sizeof effect);
  memcpy(entry + sizeof effect, part->from, part->bytes);
  queue->logged += bytes;
  return true;
}

bool cwi_robust_log(struct cwi_robust_queue *queue, const struct cwi_robust_effect *effect)
{
  const size_t before = queue->logged;
  struct cwi_robust_effect rest = *effect;
  while (rest.bytes > 0) {
    struct cwi_robust_effect part = rest;
    if (effect->reduction != CW_REPLACE)
      part.bytes = under_one_stripe(&rest);
    if (!log_part(queue, &part)) {
      queue->logged = before;
      return false;
    }
    rest.to += part.bytes;
    rest.from = (const char *)rest.from + part.bytes;
    rest.bytes -= part.bytes;
  }
  return true;
}

/* Computes and stores the result of an accumulate under the lock of its target. The zone's locks
 * make it atomic against other accumulates, too. */
static void robust_accumulate(struct effect *effect)
{
  const union cwi_scalar none = {.d = {0, 0}};
  const size_t bytes = effect->bytes;
  char *to = cwi_zone.base + effect->to, *operand = (char *)(effect + 1);
  char *result = operand + cwi_round_up(bytes, 16);
  struct cwi_holding holding = {NULL};
  struct cwi_across across = {NULL, NULL};
  const bool one = cwi_left_under_stripe(to) >= bytes;
  if (one)
    cwi_stripe_hold(&holding, cwi_zone_stripe(to));
  else
    across = cwi_lock_across(to, bytes);
  if (effect->state != EFFECT_COMPUTED) {
    memcpy(result, operand, bytes);
    cwi_update_kernel_after((cw_reduction)effect->reduction,
                            (cw_type)effect->type)(result, 0, to, 0, bytes, 1, &none);
    step();
    effect->state = EFFECT_COMPUTED;
    step();
  }
  memcpy(to, result, bytes);
  if (one)
    cwi_stripe_hold(&holding, NULL);
  else
    cwi_unlock_across(&across);
}

/* Applies the effects of a valid record, of queue number `name`. `held` is the lock that is held
 * for this queue already, or NULL. */
static void robust_apply(const struct cwi_robust_pool *pool, uint32_t name, uint32_t me,
                         uint32_t *held)
{
  const struct cwi_robust_shared *shared = pool->all[name];
  char *next = robust_address(shared->log), *const end = next + shared->logged;
  while (next < end) {
    struct effect *effect = (struct effect *)(void *)next;
    next += effect_bytes(effect);
    if (effect->state == EFFECT_APPLIED)
      continue;
    if (effect->reduction == CW_REPLACE) {
      memcpy(cwi_zone.base + effect->to, effect + 1, effect->bytes);
    } else {
      uint32_t *lock = &pool->locks[effect->lock];
      if (held != NULL && held != lock)
        robust_unlock(held);
      if (held != lock)
        robust_lock(pool, lock, name, me);
      held = lock;
      robust_accumulate(effect);
    }
    step();
    effect->state = EFFECT_APPLIED;
    step();
  }
  if (held != NULL)
    robust_unlock(held);
}

/* --- Records -----------------------------------------------------------------------------------*/

/* Completes a valid record. Every step may have been made already. A task counts as added before
 * any worker can take it. */
static void record_complete(const struct cwi_robust_pool *pool, uint32_t name, uint32_t me,
                            uint32_t *held)
{
  struct cwi_robust_shared *shared = pool->all[name];
  if (shared->record == CWI_RECORD_TASK) {
    if (CWI_UNLIKELY(shared->logged > 0))
      robust_apply(pool, name, me, held);
    __atomic_store_n(&shared->added, shared->next_added, __ATOMIC_RELEASE);
    __atomic_store_n(&shared->state, shared->next_state, __ATOMIC_RELEASE);
    __atomic_store_n(&shared->done, shared->next_done, __ATOMIC_RELEASE);
  } else {
    struct cwi_robust_shared *victim = pool->all[shared->victim];
    __atomic_store_n(&shared->state, shared->next_state, __ATOMIC_RELEASE);
    __atomic_store_n(&victim->start, shared->next_start, __ATOMIC_RELEASE);
  }
  step();
  __atomic_store_n(&shared->record, CWI_RECORD_NONE, __ATOMIC_RELEASE);
  step();
}

static uint64_t state_of(uint64_t head, unsigned body)
{
  return head << 2 | body;
}

/* Makes the transaction valid and completes it. `body` is the body in use afterwards. */
static void record_commit(struct cwi_robust_queue *queue, unsigned body)
{
  struct cwi_robust_shared *shared = queue->shared;
  queue->head += queue->pending;
  queue->added += queue->pending;
  queue->pending = 0;
  queue->body = body;
  shared->next_state = state_of(queue->head, body);
  shared->next_added = queue->added;
  shared->next_done = queue->done;
  shared->logged = queue->logged;
  queue->logged = 0;
  step();
  __atomic_store_n(&shared->record, CWI_RECORD_TASK, __ATOMIC_RELEASE);
  step();
  record_complete(queue->pool, queue->number, queue->number, NULL);
}

void cwi_robust_finish(struct cwi_robust_queue *queue)
{
  queue->done++;
  record_commit(queue, 0);
}

void cwi_robust_continue(struct cwi_robust_queue *queue, const void *body, uint32_t bytes)
{
  const size_t slot_bytes = queue->pool->slot_bytes;
  const unsigned next = 3 - queue->body;
  struct cwi_slot_head head = cwi_slot_read(body_of(queue->shared, slot_bytes, queue->body));
  head.bytes = bytes;
  cwi_slot_write(body_of(queue->shared, slot_bytes, next), head, body);
  record_commit(queue, next);
}

void cwi_robust_publish(struct cwi_robust_queue *queue)
{
  record_commit(queue, 0);
  cwi_robust_release(queue, cwi_robust_private(queue));
}

/* --- The owner ---------------------------------------------------------------------------------*/

/* Moves the tasks to a ring twice as large. */
static bool grow_ring(struct cwi_robust_queue *queue)
{
  struct cwi_robust_shared *shared = queue->shared;
  const uint64_t slots = 2 * (queue->mask + 1);
  const size_t slot_bytes = queue->pool->slot_bytes;
  char *ring = queue->pool->take(slots * slot_bytes);
  if (ring == NULL)
    return false;
  robust_lock(queue->pool, &shared->lock, queue->number, queue->number);
  for (uint64_t at = shared->start; at < queue->head + queue->pending; at++) {
    const char *slot = robust_slot(queue, at);
    memcpy(ring + (at & (slots - 1)) * slot_bytes, slot, slot_used(slot));
  }
  step();
  replace(queue->pool, &shared->ring, shared->first_ring, robust_word(ring, slots));
  robust_unlock(&shared->lock);
  use_ring(queue);
  return true;
}

/* Returns true if there is a free slot. One slot is kept for the running task, which a process that
 * recovers the queue returns to it. */
static bool has_slot(struct cwi_robust_queue *queue)
{
  const uint64_t end = queue->head + queue->pending;
  if (CWI_LIKELY(end - queue->start < queue->mask))
    return true;
  queue->start = __atomic_load_n(&queue->shared->start, __ATOMIC_ACQUIRE);
  return end - queue->start < queue->mask || grow_ring(queue);
}

/* Only tasks of the same transaction are moved, because no other process sees these. */
bool cwi_robust_add(struct cwi_robust_queue *queue, struct cwi_slot_head head, const void *body)
{
  if (!has_slot(queue))
    return false;
  uint64_t place = queue->head + queue->pending;
  for (int depth = 0; depth < CWI_QUEUE_DEPTH && place > queue->head &&
                      cwi_slot_read(robust_slot(queue, place - 1)).affinity > head.affinity;
       depth++, place--)
    memcpy(robust_slot(queue, place), robust_slot(queue, place - 1),
           slot_used(robust_slot(queue, place - 1)));
  cwi_slot_write(robust_slot(queue, place), head, body);
  queue->pending++;
  return true;
}

/* Makes the newer half of the published tasks private. */
static bool reacquire(struct cwi_robust_queue *queue)
{
  struct cwi_robust_shared *shared = queue->shared;
  if (cwi_robust_exhausted(queue))
    return false;
  robust_lock(queue->pool, &shared->lock, queue->number, queue->number);
  queue->start = shared->start;
  queue->split = queue->start + (queue->split - queue->start) / 2;
  __atomic_store_n(&shared->split, queue->split, __ATOMIC_RELEASE);
  robust_unlock(&shared->lock);
  return queue->head > queue->split;
}

bool cwi_robust_take(struct cwi_robust_queue *queue, struct cwi_slot_head *head, const void **body)
{
  if (cwi_robust_private(queue) == 0 && !reacquire(queue))
    return false;
  const char *slot = robust_slot(queue, queue->head - 1);
  char *copy = body_of(queue->shared, queue->pool->slot_bytes, 1);
  *head = cwi_slot_read(slot);
  cwi_slot_write(copy, *head, slot + sizeof *head);
  *body = copy + sizeof *head;
  queue->head--;
  queue->body = 1;
  step();
  __atomic_store_n(&queue->shared->state, state_of(queue->head, 1), __ATOMIC_RELEASE);
  step();
  return true;
}

uint64_t cwi_robust_clear(struct cwi_robust_queue *queue)
{
  struct cwi_robust_shared *shared = queue->shared;
  const uint64_t dropped = queue->head - shared->start;
  queue->start = queue->split = queue->head = shared->start;
  shared->split = queue->split;
  queue->done += dropped;
  cwi_robust_drop(queue);
  record_commit(queue, 0);
  return dropped;
}

/* --- Thieves -----------------------------------------------------------------------------------*/

/* Copies tasks of the victim beyond the head of mine. The thief holds the victim's lock. */
static void copy_tasks(struct cwi_robust_queue *mine, const struct cwi_robust_shared *victim,
                       uint64_t count)
{
  const char *slots = robust_address(victim->ring);
  const uint64_t mask = robust_size(victim->ring) - 1;
  for (uint64_t i = 0; i < count; i++) {
    const char *slot = slots + ((victim->start + i) & mask) * mine->pool->slot_bytes;
    memcpy(robust_slot(mine, mine->head + i), slot, slot_used(slot));
  }
}

/* Returns the number of tasks that the thief may take. */
static uint64_t share_of(const struct cwi_robust_queue *mine,
                         const struct cwi_robust_shared *victim)
{
  const uint64_t waiting = __atomic_load_n(&victim->split, __ATOMIC_ACQUIRE) - victim->start;
  const uint64_t space = mine->mask - (mine->head - mine->shared->start);
  const uint64_t wanted = mine->pool->one && waiting > 0 ? 1 : (waiting + 1) / 2;
  return wanted < space ? wanted : space;
}

static void move_tasks(struct cwi_robust_queue *mine, uint32_t victim, uint64_t count)
{
  struct cwi_robust_shared *shared = mine->shared;
  const struct cwi_robust_shared *from = mine->pool->all[victim];
  copy_tasks(mine, from, count);
  mine->head += count;
  shared->victim = victim;
  shared->next_start = from->start + count;
  shared->next_state = state_of(mine->head, 0);
  step();
  __atomic_store_n(&shared->record, CWI_RECORD_STEAL, __ATOMIC_RELEASE);
  step();
  record_complete(mine->pool, mine->number, mine->number, NULL);
}

static bool has_left(const struct cwi_robust_shared *shared, uint32_t phase)
{
  return (int32_t)(__atomic_load_n(&shared->over, __ATOMIC_ACQUIRE) - phase) >= 0;
}

uint64_t cwi_robust_steal(struct cwi_robust_queue *mine, uint32_t victim, uint32_t phase,
                          bool *over)
{
  struct cwi_robust_shared *shared = mine->pool->all[victim];
  if (__atomic_load_n(&shared->start, __ATOMIC_RELAXED) ==
      __atomic_load_n(&shared->split, __ATOMIC_RELAXED))
    return 0;
  robust_lock(mine->pool, &shared->lock, mine->number, mine->number);
  uint64_t count = share_of(mine, shared);
  if (count > 0 && has_left(shared, phase)) {
    *over = true;
    count = 0;
  }
  if (count > 0)
    move_tasks(mine, victim, count);
  robust_unlock(&shared->lock);
  return count;
}

/* --- Recovery ----------------------------------------------------------------------------------*/

/* Returns the lock of accumulates that is held for the queue, or NULL. */
static uint32_t *lock_held_for(const struct cwi_robust_pool *pool, uint32_t number)
{
  for (int i = 0; i < CWI_ROBUST_LOCKS; i++)
    if (__atomic_load_n(&pool->locks[i], __ATOMIC_RELAXED) == number + 1)
      return &pool->locks[i];
  return NULL;
}

static void return_running_task(const struct cwi_robust_pool *pool,
                                struct cwi_robust_shared *shared)
{
  const uint64_t head = shared->state >> 2;
  const char *body = body_of(shared, pool->slot_bytes, (unsigned)(shared->state & 3));
  char *slots = robust_address(shared->ring);
  memcpy(slots + (head & (robust_size(shared->ring) - 1)) * pool->slot_bytes, body,
         slot_used(body));
  step();
  __atomic_store_n(&shared->state, state_of(head + 1, 0), __ATOMIC_RELEASE);
  step();
}

/* Recovers a queue that the caller has claimed. A process that has begun this before and failed
 * need not be recovered first, because this queue has the whole state of the recovery. If the lock
 * of a victim is still held for this queue, the next process that needs it takes it over. */
static void robust_recover_claimed(const struct cwi_robust_pool *pool, uint32_t me, uint32_t number)
{
  struct cwi_robust_shared *shared = pool->all[number];
  if (shared->record != CWI_RECORD_NONE)
    record_complete(pool, number, me, lock_held_for(pool, number));
  if ((shared->state & 3) != 0)
    return_running_task(pool, shared);
  __atomic_store_n(&shared->split, shared->state >> 2, __ATOMIC_RELEASE);
  __atomic_store_n(&shared->settled, shared->done, __ATOMIC_RELEASE);
  __atomic_store_n(&shared->recovered, 1, __ATOMIC_RELEASE);
}

/* Recovers the queue of a failed process on behalf of queue number `me`, or waits until another
 * process has done so. */
static void robust_recover(const struct cwi_robust_pool *pool, uint32_t me, uint32_t number)
{
  struct cwi_robust_shared *shared = pool->all[number];
  struct cwi_wait wait = {0};
  while (__atomic_load_n(&shared->recovered, __ATOMIC_ACQUIRE) == 0) {
    uint32_t by = __atomic_load_n(&shared->recoverer, __ATOMIC_ACQUIRE);
    if (by != 0 && !cwi_has_failed(pool->process[by - 1])) {
      if (!cwi_wait_unserved(&wait))
        sched_yield();
      continue;
    }
    if (__atomic_compare_exchange_n(&shared->recoverer, &by, me + 1, false, __ATOMIC_ACQ_REL,
                                    __ATOMIC_RELAXED))
      robust_recover_claimed(pool, me, number);
  }
}

void cwi_robust_recover_all(const struct cwi_robust_pool *pool, uint32_t me)
{
  for (uint32_t i = 0; i < pool->count; i++)
    if (cwi_has_failed(pool->process[i]))
      robust_recover(pool, me, i);
}

/* --- The end of a phase ------------------------------------------------------------------------*/

static bool all_have_entered(const struct cwi_robust_pool *pool, uint32_t phase)
{
  for (uint32_t i = 0; i < pool->count; i++) {
    const struct cwi_robust_shared *shared = pool->all[i];
    const uint32_t entered = __atomic_load_n(&shared->entered, __ATOMIC_ACQUIRE);
    if ((int32_t)(entered - phase) < 0 &&
        __atomic_load_n(&shared->recovered, __ATOMIC_ACQUIRE) == 0)
      return false;
  }
  return true;
}

/* Both counters only grow, and a task is added before it is done. All `settled` are read before all
 * `added`. If the sums are equal, every task that had been added in between was done. If they were
 * not, they stay unequal as long as the first one stays the same. */
static bool no_task_is_left(const struct cwi_robust_pool *pool, uint64_t *before)
{
  uint64_t settled = 0, added = 0;
  for (uint32_t i = 0; i < pool->count; i++)
    settled += __atomic_load_n(&pool->all[i]->settled, __ATOMIC_ACQUIRE);
  if (settled > 0 && settled == *before)
    return false;
  for (uint32_t i = 0; i < pool->count; i++)
    added += __atomic_load_n(&pool->all[i]->added, __ATOMIC_ACQUIRE);
  *before = settled;
  return settled == added;
}

bool cwi_robust_is_over(const struct cwi_robust_pool *pool, uint32_t phase, uint64_t *settled)
{
  for (uint32_t i = 0; i < pool->count; i++)
    if (has_left(pool->all[i], phase))
      return true;
  return all_have_entered(pool, phase) && no_task_is_left(pool, settled);
}
