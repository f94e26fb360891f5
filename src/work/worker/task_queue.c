/* The queue of one worker: the owner's side and the thieves' side. Used by the workers of a
 * pool. */
#include "worker/task_queue.h"

#include "route/route.h"

#include <causeway/atomic.h>
#include <causeway/sync.h>
#include <causeway/transfer.h>

#include <string.h>

/* --- The control word --------------------------------------------------------------------------*/

enum { GENERATION_AT = 2 * CWI_QUEUE_BITS, PHASE_AT = GENERATION_AT + 2 };

static uint64_t make_word(uint32_t first, uint32_t count, unsigned generation, unsigned phase)
{
  return first | (uint64_t)count << CWI_QUEUE_BITS |
         (uint64_t)(generation % CWI_QUEUE_GENERATIONS) << GENERATION_AT |
         (uint64_t)(phase % CWI_QUEUE_PHASES) << PHASE_AT | CWI_QUEUE_VALID;
}

static uint32_t first_of(uint64_t word)
{
  return (uint32_t)(word & ((1u << CWI_QUEUE_BITS) - 1));
}

static uint32_t count_of(uint64_t word)
{
  return (uint32_t)(word >> CWI_QUEUE_BITS & ((1u << CWI_QUEUE_BITS) - 1));
}

static uint32_t attempts_of(uint64_t word)
{
  return (uint32_t)(word >> 40);
}

/* Returns how many of n tasks are left after this number of steals. */
static uint32_t left_after(uint32_t n, uint32_t attempts, bool one)
{
  if (one)
    return attempts < n ? n - attempts : 0;
  return attempts < 32 ? n >> attempts : 0;
}

/* Tasks of a publication that one thief has claimed. */
struct claimed_block {
  uint32_t first; /* slot */
  uint32_t count;
  unsigned generation;
  unsigned phase; /* modulo CWI_QUEUE_PHASES */
};

/* Computes the block that an attempt has claimed. `before` is the control word before the attempt.
 * Returns false if the attempt has claimed no task. */
static bool claimed(uint64_t before, bool one, struct claimed_block *claimed_block)
{
  if ((before & CWI_QUEUE_VALID) == 0)
    return false;
  const uint32_t n = count_of(before), attempts = attempts_of(before);
  const uint32_t left = left_after(n, attempts, one);
  claimed_block->first = first_of(before) + (n - left);
  claimed_block->count = left - left_after(n, attempts + 1, one);
  claimed_block->generation = before >> GENERATION_AT & (CWI_QUEUE_GENERATIONS - 1);
  claimed_block->phase = before >> PHASE_AT & (CWI_QUEUE_PHASES - 1);
  return claimed_block->count > 0;
}

/* --- The owner ---------------------------------------------------------------------------------*/

void cwi_queue_begin(struct cwi_queue *queue, void *memory, size_t slots, size_t slot_bytes)
{
  CWI_ASSERT(slots >= 2 && slots <= CWI_QUEUE_MOST && (slots & (slots - 1)) == 0);
  *queue = (struct cwi_queue){.shared = memory,
                              .slots = (char *)memory + sizeof(struct cwi_queue_shared),
                              .slot_bytes = slot_bytes,
                              .mask = (uint32_t)slots - 1,
                              .near = true};
  *queue->shared = (struct cwi_queue_shared){0};
}

static uint64_t queue_read_word(const struct cwi_queue *queue)
{
  return (uint64_t)__atomic_load_n(&queue->shared->control, __ATOMIC_ACQUIRE);
}

static cw_error queue_exchange(struct cwi_queue *queue, uint64_t word, uint64_t *before)
{
  int64_t old = 0;
  if (CWI_LIKELY(queue->near)) {
    *before =
        (uint64_t)__atomic_exchange_n(&queue->shared->control, (int64_t)word, __ATOMIC_ACQ_REL);
    return CW_OK;
  }
  __atomic_thread_fence(__ATOMIC_RELEASE);
  CWI_TRY(cw_swap_int64(&queue->shared->control, (int64_t)word, queue->process, &old));
  *before = (uint64_t)old;
  return CW_OK;
}

/* Frees the slots whose tasks have been copied, in the order of publication. */
static void reclaim(struct cwi_queue *queue)
{
  while (queue->oldest != queue->generation) {
    const unsigned number = queue->oldest % CWI_QUEUE_GENERATIONS;
    if (__atomic_load_n(&queue->shared->copied[number], __ATOMIC_ACQUIRE) !=
        queue->past[number].copied)
      return;
    queue->reclaimed = queue->past[number].end;
    queue->oldest++;
  }
}

uint64_t cwi_queue_space(struct cwi_queue *queue, uint64_t wanted)
{
  const uint64_t slots = (uint64_t)queue->mask + 1;
  if (slots - (queue->head - queue->reclaimed) < wanted)
    reclaim(queue);
  return slots - (queue->head - queue->reclaimed);
}

void cwi_slot_copy_long(void *to, const void *from, size_t bytes)
{
  memcpy(to, from, bytes);
}

/* Returns the position for a task of this affinity. Moves tasks of greater affinity up by one. */
static uint64_t make_place(struct cwi_queue *queue, int32_t affinity)
{
  uint64_t place = queue->head;
  for (int depth = 0; depth < CWI_QUEUE_DEPTH && place > queue->split &&
                      cwi_queue_affinity_at(queue, place - 1) > affinity;
       depth++, place--)
    memcpy(cwi_queue_slot(queue, place), cwi_queue_slot(queue, place - 1), queue->slot_bytes);
  return place;
}

bool cwi_queue_push_slowly(struct cwi_queue *queue, struct cwi_slot_head head, const void *body)
{
  if (cwi_queue_space(queue, 1) == 0)
    return false;
  cwi_slot_write(cwi_queue_slot(queue, make_place(queue, head.affinity)), head, body);
  queue->head++;
  return true;
}

/* Returns the number of attempts after which all n tasks of a publication are claimed. */
static uint32_t attempts_to_end(uint32_t n, bool one)
{
  return one ? n : 32 - (uint32_t)__builtin_clz(n);
}

bool cwi_queue_exhausted(const struct cwi_queue *queue)
{
  if (!queue->open)
    return true;
  const uint64_t word = queue_read_word(queue);
  /* A thief closes the word only when all tasks are claimed. */
  return (word & CWI_QUEUE_VALID) == 0 ||
         attempts_of(word) >= attempts_to_end((uint32_t)(queue->split - queue->start), queue->one);
}

uint64_t cwi_queue_waiting(const struct cwi_queue *queue)
{
  uint64_t offered = 0;
  if (queue->open) {
    const uint64_t word = queue_read_word(queue);
    if ((word & CWI_QUEUE_VALID) != 0)
      offered = left_after(count_of(word), attempts_of(word), queue->one);
  }
  return cwi_queue_private(queue) + offered;
}

/* Ends the publication, of which thieves own the first `claimed` tasks. */
static void end_publication(struct cwi_queue *queue, uint64_t claimed)
{
  const unsigned number = queue->generation % CWI_QUEUE_GENERATIONS;
  queue->open = false;
  queue->claimed[number] += (int64_t)claimed;
  queue->past[number] = (struct cwi_queue_past){queue->start + claimed, queue->claimed[number]};
  queue->split = queue->start + claimed;
  queue->generation++;
}

cw_error cwi_queue_release(struct cwi_queue *queue, uint64_t count, unsigned phase, bool *published)
{
  uint64_t before = 0;
  *published = false;
  CWI_ASSERT(count <= (cwi_queue_private(queue) + 1) / 2);
  if (count == 0 || !cwi_queue_exhausted(queue))
    return CW_OK;
  if (queue->open)
    end_publication(queue, queue->split - queue->start);
  if (queue->generation - queue->oldest == CWI_QUEUE_GENERATIONS) {
    reclaim(queue);
    if (queue->generation - queue->oldest == CWI_QUEUE_GENERATIONS)
      return CW_OK; /* thieves are still copying; try again later */
  }
  queue->start = queue->split;
  queue->split += count;
  queue->open = true;
  *published = true;
  return queue_exchange(
      queue,
      make_word((uint32_t)(queue->start & queue->mask), (uint32_t)count, queue->generation, phase),
      &before);
}

cw_error cwi_queue_reacquire(struct cwi_queue *queue)
{
  uint64_t before = 0;
  if (!queue->open)
    return CW_OK;
  const uint32_t count = (uint32_t)(queue->split - queue->start);
  if (cwi_queue_exhausted(queue)) {
    end_publication(queue, count);
    return CW_OK;
  }
  CWI_TRY(queue_exchange(queue, 0, &before));
  const bool closed = (before & CWI_QUEUE_VALID) == 0;
  end_publication(queue,
                  closed ? count : count - left_after(count, attempts_of(before), queue->one));
  return CW_OK;
}

/* --- Thieves -----------------------------------------------------------------------------------*/

/* Closes the word after many failed attempts, long before their number overflows. All tasks have
 * been claimed by now. */
static cw_error close_word(const struct cwi_victim *victim, uint64_t word)
{
  int64_t seen = 0;
  return cw_compare_swap_int64(&victim->shared->control, (int64_t)word, 0, victim->process, &seen);
}

/* Returns true if a plain load shows that there is nothing to steal. A load costs less than a
 * failed attempt. */
static bool appears_empty(const struct cwi_victim *victim, bool one)
{
  struct claimed_block claimed_block;
  return victim->loads &&
         !claimed((uint64_t)__atomic_load_n(&victim->shared->control, __ATOMIC_RELAXED), one,
                  &claimed_block);
}

static cw_error attempt(const struct cwi_victim *victim, uint64_t *before)
{
  int64_t old = 0;
  if (victim->near) {
    *before =
        (uint64_t)__atomic_fetch_add(&victim->shared->control, CWI_QUEUE_ATTEMPT, __ATOMIC_ACQ_REL);
    return CW_OK;
  }
  CWI_TRY(cw_fetch_add_int64(&victim->shared->control, CWI_QUEUE_ATTEMPT, victim->process, &old));
  __atomic_thread_fence(__ATOMIC_ACQUIRE); /* before loads of the tasks */
  *before = (uint64_t)old;
  return attempts_of(*before) < CWI_QUEUE_MANY_ATTEMPTS
             ? CW_OK
             : close_word(victim, *before + (uint64_t)CWI_QUEUE_ATTEMPT);
}

static cw_error copy_run(char *to, const char *from, size_t bytes, const struct cwi_victim *victim,
                         cw_handle *gets)
{
  if (!victim->loads) {
    const cw_transfer get =
        cw_contiguous(CW_GET, to, (void *)(uintptr_t)from, bytes, victim->process);
    return cw_transfer_start(&get, gets);
  }
  memcpy(to, from, bytes);
  return CW_OK;
}

/* Copies the block in pieces that wrap around neither ring. `gets` receives the gets in flight. */
static cw_error copy_block(struct cwi_queue *mine, const struct cwi_victim *victim,
                           struct claimed_block claimed_block, cw_handle *gets)
{
  const uint32_t slots = mine->mask + 1;
  const char *from = (const char *)victim->shared + sizeof(struct cwi_queue_shared);
  uint32_t to = (uint32_t)(mine->head & mine->mask), first = claimed_block.first & mine->mask;
  for (uint32_t left = claimed_block.count; left > 0;) {
    const uint32_t end = slots - (to > first ? to : first);
    const uint32_t run = left < end ? left : end;
    CWI_TRY(copy_run(mine->slots + to * mine->slot_bytes, from + first * mine->slot_bytes,
                     run * mine->slot_bytes, victim, gets));
    to = (to + run) & mine->mask;
    first = (first + run) & mine->mask;
    left -= run;
  }
  return CW_OK;
}

/* Copies the block, then increments the counter. A server executes both in order, so one message
 * can carry both. */
static cw_error bring_block(struct cwi_queue *mine, const struct cwi_victim *victim,
                            struct claimed_block claimed_block)
{
  cw_handle gets = {0};
  int64_t *copied = &victim->shared->copied[claimed_block.generation];
  if (!victim->loads)
    CWI_TRY(cw_handle_set_aggregate(&gets, true));
  CWI_TRY(copy_block(mine, victim, claimed_block, &gets));
  if (victim->near) {
    __atomic_fetch_add(copied, (int64_t)claimed_block.count, __ATOMIC_RELEASE);
    return CW_OK;
  }
  CWI_TRY(cwi_routes_order(victim->process, CW_ACCUMULATE));
  __atomic_thread_fence(
      __ATOMIC_RELEASE); /* the loads of the copied block precede the notification */
  CWI_TRY(cw_notify(copied, (int64_t)claimed_block.count, victim->process));
  return cw_wait(&gets);
}

cw_error cwi_queue_steal(struct cwi_queue *mine, const struct cwi_victim *victim, uint64_t *count,
                         unsigned *phase)
{
  uint64_t before = 0;
  struct claimed_block claimed_block = {0};
  *count = 0;
  if (appears_empty(victim, mine->one))
    return CW_OK;
  CWI_TRY(attempt(victim, &before));
  if (!claimed(before, mine->one, &claimed_block))
    return CW_OK;
  CWI_TRY(bring_block(mine, victim, claimed_block));
  mine->head += claimed_block.count;
  *count = claimed_block.count;
  *phase = claimed_block.phase;
  return CW_OK;
}
