/* The queue of one worker: a ring of slots in a region, from which other workers steal. Positions
 * only grow; a position modulo the number of slots gives the slot. The positions are ordered:
 * reclaimed <= start <= split <= head.
 *
 * The owner pushes and pops at head, without an atomic instruction: [split, head) is private.
 * [start, split) is published. One control word describes it, and a thief claims a block of it by
 * adding one attempt to that word. The previous value shows which block the thief got. Each steal
 * takes half of what is left, so n >> k tasks of n are left after k steals. The thief then copies
 * the block and adds its size to a counter of the publication's generation. The owner may reuse the
 * slots when all claimed tasks have been copied.
 *
 * After Cartier, Dinan, Larkins, "Optimizing work stealing communication with structured atomic
 * operations" (ICPP 2021). */
#pragma once

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* The control word, from the lowest bit: slot of the first published task (17 bits), number of
 * tasks (17), generation (2), phase (2), unused (1), valid (1), attempts to steal (24). The
 * attempts do not overflow, because a thief closes the word long before. */
enum {
  CWI_QUEUE_BITS = 17,
  CWI_QUEUE_GENERATIONS = 4,
  CWI_QUEUE_PHASES = 4,     /* members are at most one phase apart: this shows which one is ahead */
  CWI_QUEUE_MOST = 1 << 17, /* slots */
  CWI_QUEUE_MANY_ATTEMPTS = 1 << 22 /* a thief that sees this many closes the word */
};
#define CWI_QUEUE_ATTEMPT ((int64_t)1 << 40)
#define CWI_QUEUE_VALID ((uint64_t)1 << 39)

/* The part of a queue that other workers see, in the owner's slice. The control word, which thieves
 * change, has a cache line of its own, and so have the counters. */
struct cwi_queue_shared {
  int64_t control;
  int64_t padding[7];
  int64_t copied[CWI_QUEUE_GENERATIONS]; /* number of tasks that thieves have copied so far */
  int64_t padding2[4];
  /* The slots follow. */
};

/* A task in a slot; its body follows. These two words are passed in registers. (With 16-bit fields
 * the compiler would assemble them in memory, and reading them back there would stall.) */
struct cwi_slot_head {
  uint32_t number; /* class number; inbox.h adds the phase */
  int32_t affinity;
  uint32_t bytes;
  int32_t adder; /* process */
};

static inline size_t cwi_slot_bytes(size_t body)
{
  return (sizeof(struct cwi_slot_head) + body + 15) & ~(size_t)15;
}

static inline size_t cwi_queue_bytes(size_t slots, size_t slot_bytes)
{
  return sizeof(struct cwi_queue_shared) + slots * slot_bytes;
}

/* A publication that has ended, from which thieves may still be copying. */
struct cwi_queue_past {
  uint64_t end;   /* position after the last claimed task */
  int64_t copied; /* value that the counter will reach */
};

/* The owner's side. */
struct cwi_queue {
  struct cwi_queue_shared *shared;
  char *slots;
  size_t slot_bytes;
  uint32_t mask;
  uint64_t reclaimed, start, split, head;
  bool open; /* [start, split) is published */
  bool near; /* processor instructions may update the control word; otherwise cw_swap_int64 does */
  bool one;  /* a thief takes one task, not half of them */
  int process;
  unsigned generation, oldest; /* generation of the current publication, and of the oldest ended one
                                  that is not reclaimed; both only grow */
  struct cwi_queue_past past[CWI_QUEUE_GENERATIONS];
  int64_t claimed[CWI_QUEUE_GENERATIONS]; /* number of tasks claimed in each generation so far */
};

/* Starts an empty queue in `memory`, which has cwi_queue_bytes(slots, slot_bytes) bytes and is
 * aligned to 64. `slots` is a power of two. */
void cwi_queue_begin(struct cwi_queue *queue, void *memory, size_t slots, size_t slot_bytes);

static inline char *cwi_queue_slot(const struct cwi_queue *queue, uint64_t position)
{
  return queue->slots + (size_t)(position & queue->mask) * queue->slot_bytes;
}

static inline uint64_t cwi_queue_private(const struct cwi_queue *queue)
{
  return queue->head - queue->split;
}

/* Returns the number of slots that can be filled. Reclaims copied slots first if there are fewer
 * than `wanted`. */
uint64_t cwi_queue_space(struct cwi_queue *queue, uint64_t wanted);

/* Adds a task at the private end, beneath at most CWI_QUEUE_DEPTH tasks of greater affinity.
 * Returns false if the queue is full. */
enum { CWI_QUEUE_DEPTH = 32 };
bool cwi_queue_push_slowly(struct cwi_queue *queue, struct cwi_slot_head head, const void *body);

void cwi_slot_copy_long(void *to, const void *from, size_t bytes);

/* Copies a body, which is usually a few words long. Short bodies are copied word by word because
 * they have just been written that way: a wider load would stall until those stores have reached
 * the cache. */
static inline void cwi_slot_copy(void *to_slot, const void *from_slot, size_t bytes)
{
  enum { SHORT = 48, FEW = 256 };
  char *to = (char *)to_slot;
  const char *from = (const char *)from_slot;
  if (CWI_UNLIKELY(bytes > FEW)) {
    cwi_slot_copy_long(to, from, bytes);
    return;
  }
  for (; bytes > SHORT; bytes -= 16, to += 16, from += 16)
    memcpy(to, from, 16);
  for (; bytes >= 4; bytes -= 4, to += 4, from += 4)
    memcpy(to, from, 4);
  for (; bytes > 0; bytes--)
    *to++ = *from++;
}

static inline void cwi_slot_write(char *slot, struct cwi_slot_head head, const void *body)
{
  memcpy(slot, &head, sizeof head);
  cwi_slot_copy(slot + sizeof head, body, head.bytes);
}

static inline struct cwi_slot_head cwi_slot_read(const char *slot)
{
  struct cwi_slot_head head;
  memcpy(&head, slot, sizeof head);
  return head;
}

static inline int32_t cwi_queue_affinity_at(const struct cwi_queue *queue, uint64_t position)
{
  return cwi_slot_read(cwi_queue_slot(queue, position)).affinity;
}

static inline bool cwi_queue_push(struct cwi_queue *queue, struct cwi_slot_head head,
                                  const void *body)
{
  const uint64_t place = queue->head;
  if (CWI_UNLIKELY(place - queue->reclaimed > queue->mask) ||
      CWI_UNLIKELY(place > queue->split && cwi_queue_affinity_at(queue, place - 1) > head.affinity))
    return cwi_queue_push_slowly(queue, head, body);
  cwi_slot_write(cwi_queue_slot(queue, place), head, body);
  queue->head = place + 1;
  return true;
}

/* Takes the task at the private end. `body` has space for the longest body. Returns false if there
 * is none. */
static inline bool cwi_queue_pop(struct cwi_queue *queue, struct cwi_slot_head *head, void *body)
{
  if (queue->head == queue->split)
    return false;
  const char *slot = cwi_queue_slot(queue, --queue->head);
  *head = cwi_slot_read(slot);
  cwi_slot_copy(body, slot + sizeof *head, head->bytes);
  return true;
}

/* Returns true if no published task is left that a thief could steal. Costs one load. */
bool cwi_queue_exhausted(const struct cwi_queue *queue);

/* Returns the number of private tasks and of published tasks that no thief has claimed. */
uint64_t cwi_queue_waiting(const struct cwi_queue *queue);

/* Publishes the `count` oldest private tasks if nothing is published. `count` is at most half of
 * the private tasks, rounded up; `phase` is the pool's. Sets *published to true if it did so,
 * otherwise to false. */
CWI_CHECKED cw_error cwi_queue_release(struct cwi_queue *queue, uint64_t count, unsigned phase,
                                       bool *published);

/* Makes the published tasks that no thief has claimed private again. */
CWI_CHECKED cw_error cwi_queue_reacquire(struct cwi_queue *queue);

/* --- The thief's side --------------------------------------------------------------------------*/

/* Returns the size of the largest block that a thief may get from a queue of `slots` slots. The
 * thief makes sure that it has space for it before it tries. */
static inline uint64_t cwi_queue_largest(uint64_t slots)
{
  return slots < 8 ? 1 : slots / 4;
}

/* A queue of another worker. */
struct cwi_victim {
  struct cwi_queue_shared *shared; /* address in that process */
  int process;
  bool loads; /* plain loads and stores reach it */
  bool near;  /* processor instructions may update its control word */
};

/* Tries to steal tasks into the private end of `mine`, which must have space for cwi_queue_largest
 * tasks. `count` receives the number of stolen tasks, which may be 0; `phase` receives the two
 * lowest bits of their phase. Errors: CW_OUTSIDE. */
CWI_CHECKED cw_error cwi_queue_steal(struct cwi_queue *mine, const struct cwi_victim *victim,
                                     uint64_t *count, unsigned *phase);
