/* The inbox of a process: a ring of slots into which others put tasks for it.
 *
 * One word holds the number of slots that are claimed (low half) and the number that may be (high
 * half), both counted up. An adder claims some by compare-and-swap with the word that it saw last,
 * puts its tasks there, and then notifies a counter of the first slot: the owner sees a batch only
 * when it is whole. */
#ifndef CWI_WORKER_INBOX_H
#define CWI_WORKER_INBOX_H

#include "worker/task_queue.h"

struct cwi_inbox_shared {
  int64_t control;
  int64_t padding[7];
  int64_t ready[]; /* [slots] tasks of batches that begin here, ever; then the slots */
};

static inline size_t cwi_inbox_bytes(size_t slots, size_t slot_bytes)
{
  return sizeof(struct cwi_inbox_shared) + slots * (sizeof(int64_t) + slot_bytes);
}

/* The upper half of a task's class number is the phase from which on it may run. */
static inline struct cwi_slot_head cwi_inbox_tag_phase(struct cwi_slot_head head, uint32_t phase)
{
  head.number |= phase << 16;
  return head;
}

static inline struct cwi_slot_head cwi_inbox_untag_phase(struct cwi_slot_head head)
{
  head.number &= 0xffff;
  return head;
}

/* May it run in this phase? An adder is at most one phase ahead. */
static inline bool cwi_inbox_is_due(struct cwi_slot_head head, uint32_t phase)
{
  return (uint16_t)(head.number >> 16) != (uint16_t)(phase + 1);
}

/* The owner's side: one thread at a time. */
struct cwi_inbox {
  struct cwi_inbox_shared *shared;
  char *slots;
  size_t slot_bytes;
  uint32_t mask;
  uint32_t head;   /* next to be taken */
  uint32_t batch;  /* so many of the batch at hand are left */
  uint32_t behind; /* slots that are free, but nobody knows yet */
  bool near;       /* the processor may update the control word */
  int process;
  int64_t *seen; /* [slots] of ready */
};

/* memory: cwi_inbox_bytes, aligned to 64. seen: [slots] zeros. slots: a power of two. */
void cwi_inbox_begin(struct cwi_inbox *inbox, void *memory, int64_t *seen, size_t slots,
                     size_t slot_bytes);

/* The first task that is here; NULL: none is. */
const struct cwi_slot_head *cwi_inbox_first(struct cwi_inbox *inbox);

/* It is done with. */
CWI_CHECKED cw_error cwi_inbox_drop(struct cwi_inbox *inbox);

/* Is something there? One load; any thread. */
static inline bool cwi_inbox_has_tasks(const struct cwi_inbox *inbox)
{
  const uint32_t head = __atomic_load_n(&inbox->head, __ATOMIC_RELAXED) & inbox->mask;
  return __atomic_load_n(&inbox->batch, __ATOMIC_RELAXED) > 0 ||
         __atomic_load_n(&inbox->shared->ready[head], __ATOMIC_ACQUIRE) !=
             __atomic_load_n(&inbox->seen[head], __ATOMIC_RELAXED);
}

/* An inbox of another process, or mine as others see it. */
struct cwi_inbox_target {
  struct cwi_inbox_shared *shared; /* as its process names it */
  int process;
  int64_t last; /* the control word as it was seen last */
};

/* Put `count` slots, which lie one after the other in `tasks`, into the inbox. sent: receives
 * whether it had room for all of them; after an error too: then the inbox waits for them. Errors:
 * CW_OUTSIDE. */
CWI_CHECKED cw_error cwi_inbox_send(struct cwi_inbox_target *target, uint32_t slots,
                                    size_t slot_bytes, const char *tasks, uint32_t count,
                                    bool *sent);
#endif
