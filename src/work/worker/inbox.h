/* The inbox of a process: a ring of slots into which other processes put tasks for it.
 *
 * The control word holds the number of slots claimed so far (low half) and the number that may be
 * claimed (high half). Both only grow. A process that adds tasks claims slots with a
 * compare-and-swap against the word that it saw last, puts its tasks there, and then notifies a
 * counter of the first slot. So the owner sees a batch only when it is complete. */
#pragma once

#include "worker/task_queue.h"

struct cwi_inbox_shared {
  int64_t control;
  int64_t padding[7];
  int64_t ready[]; /* [slots] total number of tasks in batches that began at this slot; the slots
                      follow */
};

static inline size_t cwi_inbox_bytes(size_t slots, size_t slot_bytes)
{
  return sizeof(struct cwi_inbox_shared) + slots * (sizeof(int64_t) + slot_bytes);
}

/* The upper half of a task's class number is the first phase in which the task may run. */
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

/* Returns true if the task may run in this phase. The process that added it is at most one phase
 * ahead. */
static inline bool cwi_inbox_is_due(struct cwi_slot_head head, uint32_t phase)
{
  return (uint16_t)(head.number >> 16) != (uint16_t)(phase + 1);
}

/* The owner's side. Only one thread at a time may use it. */
struct cwi_inbox {
  struct cwi_inbox_shared *shared;
  char *slots;
  size_t slot_bytes;
  uint32_t mask;
  uint32_t head;   /* next slot to take */
  uint32_t batch;  /* tasks left of the current batch */
  uint32_t behind; /* free slots that the control word does not show yet */
  bool near;       /* processor instructions may update the control word */
  int process;
  int64_t *seen; /* [slots] values of `ready` that have been seen */
};

/* Starts an empty inbox in `memory`, which has cwi_inbox_bytes bytes and is aligned to 64. `seen`
 * is an array of [slots] zeros, and `slots` is a power of two. */
void cwi_inbox_begin(struct cwi_inbox *inbox, void *memory, int64_t *seen, size_t slots,
                     size_t slot_bytes);

/* Returns the first task of the inbox, or NULL if it is empty. */
const struct cwi_slot_head *cwi_inbox_first(struct cwi_inbox *inbox);

/* Drops the first task. */
CWI_CHECKED cw_error cwi_inbox_drop(struct cwi_inbox *inbox);

/* Returns true if the inbox has tasks. Any thread may call this; it takes no lock. */
static inline bool cwi_inbox_has_tasks(const struct cwi_inbox *inbox)
{
  const uint32_t head = __atomic_load_n(&inbox->head, __ATOMIC_RELAXED) & inbox->mask;
  return __atomic_load_n(&inbox->batch, __ATOMIC_RELAXED) > 0 ||
         __atomic_load_n(&inbox->shared->ready[head], __ATOMIC_ACQUIRE) !=
             __atomic_load_n(&inbox->seen[head], __ATOMIC_RELAXED);
}

/* An inbox of another process, or mine as others see it. */
struct cwi_inbox_target {
  struct cwi_inbox_shared *shared; /* address in that process */
  int process;
  int64_t last; /* the control word as last seen */
};

/* Puts `count` slots, which are contiguous in `tasks`, into the inbox. Sets *sent to true if slots
 * for all of them could be claimed, otherwise to false. If an error is returned although *sent is
 * true, the owner waits for these slots for ever. Errors: CW_OUTSIDE. */
CWI_CHECKED cw_error cwi_inbox_send(struct cwi_inbox_target *target, uint32_t slots,
                                    size_t slot_bytes, const char *tasks, uint32_t count,
                                    bool *sent);
