/* The queue of one worker: a ring of slots in a region, of which others steal.
 *
 * Positions count up and name slots modulo the ring: reclaimed <= start <= split <= head. The owner
 * pushes and pops at head, without an atomic instruction: [split, head) is private. [start, split)
 * is published: one word describes it, and a thief claims a block of it by adding one attempt to
 * that word. The value before tells it which block: n tasks are given away by halves, so that n >>
 * k are left after k steals. Then it copies the block and adds its size to a counter of the
 * publication's generation: the owner may use the slots again when all that was claimed is copied.
 *
 * After Cartier, Dinan, Larkins, "Optimizing work stealing communication with structured atomic
 * operations" (ICPP 2021). */
#ifndef CWI_WORKER_TASK_QUEUE_H
#define CWI_WORKER_TASK_QUEUE_H

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* The control word, from the lowest bit: slot of the first published task (17 bits), number of
 * tasks (17), generation (2), phase (2), nothing (1), valid (1), attempts to steal (24): what
 * overflows is lost, and a thief closes the word long before. */
enum {
  CWI_QUEUE_BITS = 17,
  CWI_QUEUE_GENERATIONS = 4,
  CWI_QUEUE_PHASES = 4,             /* members are at most one apart: it shows who is ahead */
  CWI_QUEUE_MOST = 1 << 17,         /* slots */
  CWI_QUEUE_MANY_ATTEMPTS = 1 << 22 /* a thief that sees so many closes the word */
};
#define CWI_QUEUE_ATTEMPT ((int64_t)1 << 40)
#define CWI_QUEUE_VALID ((uint64_t)1 << 39)

/* What others see, in the owner's slice. The word that thieves change has a cache line of its own,
 * and so have the counters. */
struct cwi_queue_shared {
  int64_t control;
  int64_t padding[7];
  int64_t copied[CWI_QUEUE_GENERATIONS]; /* tasks that thieves have copied, ever */
  int64_t padding2[4];
  /* The slots follow. */
};

/* A task in a slot; its body follows. Two words, which functions pass in registers. (With parts of
 * 16 bits they are put together in memory, and reading them there waits for that.) */
struct cwi_slot_head {
  uint32_t number; /* of its class; in an inbox see inbox.h */
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

/* A publication that is over, and whose slots thieves may still be copying. */
struct cwi_queue_past {
  uint64_t end;   /* position behind the last claimed task */
  int64_t copied; /* what the counter will be */
};

/* The owner's side. */
struct cwi_queue {
  struct cwi_queue_shared *shared;
  char *slots;
  size_t slot_bytes;
  uint32_t mask;
  uint64_t reclaimed, start, split, head;
  bool open; /* [start, split) is published */
  bool near; /* the processor may update the control word; else cw_swap does */
  bool one;  /* thieves take one task each, not half */
  int process;
  unsigned generation, oldest; /* of the publication; of those that are over: count up */
  struct cwi_queue_past past[CWI_QUEUE_GENERATIONS];
  int64_t claimed[CWI_QUEUE_GENERATIONS]; /* tasks of each generation's number, ever */
};

/* memory: cwi_queue_bytes(slots, slot_bytes), aligned to 64. slots: a power of two. */
void cwi_queue_begin(struct cwi_queue *queue, void *memory, size_t slots, size_t slot_bytes);

static inline char *cwi_queue_slot(const struct cwi_queue *queue, uint64_t position)
{
  return queue->slots + (size_t)(position & queue->mask) * queue->slot_bytes;
}

static inline uint64_t cwi_queue_private(const struct cwi_queue *queue)
{
  return queue->head - queue->split;
}

/* Slots that can be filled; looks for what has been copied, if that is fewer than `wanted`. */
uint64_t cwi_queue_room(struct cwi_queue *queue, uint64_t wanted);

/* Add a task at the private end, but under those of greater affinity, up to CWI_QUEUE_DEPTH of
 * them. False: the queue is full. */
enum { CWI_QUEUE_DEPTH = 32 };
bool cwi_queue_push_slowly(struct cwi_queue *queue, struct cwi_slot_head head, const void *body);

void cwi_slot_copy_long(void *to, const void *from, size_t bytes);

/* A body, whose usual length is that of a few words. Short ones were written word by word just now:
 * a load of several words at once would wait until they have reached the cache. */
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

/* Take the task at the private end. body has room for any. False: there is none. */
static inline bool cwi_queue_pop(struct cwi_queue *queue, struct cwi_slot_head *head, void *body)
{
  if (queue->head == queue->split)
    return false;
  const char *slot = cwi_queue_slot(queue, --queue->head);
  *head = cwi_slot_read(slot);
  cwi_slot_copy(body, slot + sizeof *head, head->bytes);
  return true;
}

/* Is nothing published any more that others could steal? One load. */
bool cwi_queue_exhausted(const struct cwi_queue *queue);

/* Tasks that are its own, and those that nobody has claimed. */
uint64_t cwi_queue_waiting(const struct cwi_queue *queue);

/* Publish the `count` oldest private tasks, at most half of them, rounded up, if nothing is
 * published. `phase`: of the pool. published: receives whether it did. */
CWI_CHECKED cw_error cwi_queue_release(struct cwi_queue *queue, uint64_t count, unsigned phase,
                                       bool *published);

/* Make private again what nobody has claimed. */
CWI_CHECKED cw_error cwi_queue_reacquire(struct cwi_queue *queue);

/* --- The thief's side --------------------------------------------------------------------------*/

/* The largest block that a thief may get out of a queue with so many slots: it has room for it
 * before it tries. */
static inline uint64_t cwi_queue_largest(uint64_t slots)
{
  return slots < 8 ? 1 : slots / 4;
}

/* A queue of another worker. */
struct cwi_victim {
  struct cwi_queue_shared *shared; /* as its process names it */
  int process;
  bool loads; /* this process may load and store there */
  bool near;  /* and update the control word */
};

/* Try to steal into the private end of my queue, which has the room. count: receives the number of
 * tasks, 0: none. phase: the lowest bit of theirs. Errors: CW_OUTSIDE. */
CWI_CHECKED cw_error cwi_queue_steal(struct cwi_queue *mine, const struct cwi_victim *victim,
                                     uint64_t *count, unsigned *phase);
#endif
