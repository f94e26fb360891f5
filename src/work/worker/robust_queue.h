/* The queue of a worker of a surviving pool. All of its state lies in shared memory, so that
 * another process can complete what the owner has begun if the owner's process fails, at whatever
 * instruction. Positions only grow; they are ordered: start <= split <= head.
 *
 * [split, head) is private: the owner pushes and pops at head without an atomic instruction.
 * [start, split) is published: a thief takes half of it under the queue's lock, and the owner takes
 * it back under the same lock. The task that runs has been copied to one of the queue's two bodies,
 * and the word `state` has both head and the body in use, so one store takes a task.
 *
 * A task is a transaction. Tasks that it adds are written beyond head, and its effects (puts and
 * accumulates) into a redo log; no other process sees them. A commit writes the values that head
 * and the counters will have into a record and then marks the record as valid, which is one store.
 * From then on the commit cannot be undone: the owner applies it, or the process that recovers the
 * queue. All steps of applying can be repeated. An accumulate first stores its result in the log,
 * under a lock whose word names the queue, and then copies it to its target. A steal is such a
 * record, too, of the thief.
 *
 * When a process has failed, another one claims its queue, completes a valid record, returns the
 * running task to the queue and publishes all tasks. If that process fails, the next one claims the
 * queue. Lock words contain the number of the queue for which they are held. A lock of a failed
 * process can be taken over when its queue has been recovered. */
#pragma once

#include "worker/task_queue.h"

#include <causeway/transfer.h>

enum cwi_robust_record {
  CWI_RECORD_NONE = 0,
  CWI_RECORD_TASK = 1, /* a commit of a task, or tasks that were added outside tasks */
  CWI_RECORD_STEAL = 2
};

enum { CWI_ROBUST_LOCKS = 256, CWI_ROBUST_LOG = 1024 /* bytes of a log at first */ };

/* The part of a queue in the owner's slice. Rings and logs are written as offset in the zone |
 * binary logarithm of their size (slots, or bytes); they begin at multiples of 64 bytes. */
struct cwi_robust_shared {
  uint32_t lock; /* number of the queue + 1 for which it is held, or 0; guards start and ring, and
                    split against a decrease */
  uint32_t padding;
  uint64_t start, split;
  uint64_t ring;
  uint64_t padding1[4];
  /* The owner's line. */
  uint64_t state; /* head << 2 | number of the body of the running task, or 0 */
  uint64_t added, done;
  uint64_t logged; /* bytes of the log that belong to the record */
  uint32_t record; /* enum cwi_robust_record; the other fields of the record are valid unless it is
                      CWI_RECORD_NONE */
  uint32_t victim;
  uint64_t next_state, next_added, next_done;
  /* The line that changes rarely. */
  uint64_t next_start;            /* of the victim */
  uint64_t log;                   /* the redo log */
  uint64_t settled;               /* tasks done whose operations are complete at their targets */
  uint64_t first_ring, first_log; /* those in the slice; larger ones are allocated when needed */
  uint32_t entered, over; /* phases that the owner has entered, and that it knows to be over */
  uint32_t recoverer;     /* number of the queue + 1 whose owner recovers this one, or 0 */
  uint32_t recovered;     /* 1 if that is complete */
  uint64_t padding2;
  /* Two bodies, the ring and the log follow. */
};

/* The queues of a pool, as this process sees them. */
struct cwi_robust_pool {
  uint32_t count;
  struct cwi_robust_shared **all; /* [count] */
  int *process;                   /* [count] process of the owner */
  uint32_t *locks; /* [CWI_ROBUST_LOCKS] guard the targets of accumulates, one for each of the
                      zone's stripes, modulo their number */
  size_t slot_bytes;
  bool one;                    /* a thief takes one task, not half of them */
  void *(*take)(size_t bytes); /* allocates memory of the zone, or returns NULL */
  void (*give)(void *memory);
};

/* The owner's side. */
struct cwi_robust_queue {
  struct cwi_robust_pool *pool;
  struct cwi_robust_shared *shared;
  uint32_t number;
  unsigned body; /* of the running task: 1 or 2, or 0 */
  uint64_t head, split;
  uint64_t start;   /* the last value that was read; thieves only increase it */
  uint64_t pending; /* tasks that were added since the last commit */
  uint64_t added, done;
  char *slots;
  uint64_t mask;
  char *log;
  size_t log_bytes, logged;
};

/* A put or an accumulate of a task. */
struct cwi_robust_effect {
  char *to;
  const void *from;
  size_t bytes;
  cw_type type;
  cw_reduction reduction; /* CW_REPLACE for a put */
};

/* Returns the bytes that a queue of `slots` slots needs. `slots` is a power of two. */
size_t cwi_robust_bytes(size_t slots, size_t slot_bytes);

/* Starts an empty queue in `memory`, which is aligned to 64 and lies in the zone. */
void cwi_robust_begin(struct cwi_robust_shared *memory, size_t slots, size_t slot_bytes);

/* Prepares the owner's side of the queue with this number. */
void cwi_robust_open(struct cwi_robust_queue *queue, struct cwi_robust_pool *pool, uint32_t number);

/* Frees the memory that a queue has allocated. The queue is used no more. Several processes may
 * call this for the queue of a failed process. */
void cwi_robust_close(struct cwi_robust_pool *pool, uint32_t number);

/* Adds a task, or an effect, to the present transaction. Returns false if there is no memory. An
 * effect is split at the boundaries of the zone's stripes. */
bool cwi_robust_add(struct cwi_robust_queue *queue, struct cwi_slot_head head, const void *body);
bool cwi_robust_log(struct cwi_robust_queue *queue, const struct cwi_robust_effect *effect);

/* Commits the present transaction. cwi_robust_finish also ends the running task.
 * cwi_robust_continue replaces its body: if the process fails later, the task runs again with this
 * one. cwi_robust_publish commits tasks that were added while no task runs, and publishes all. */
void cwi_robust_finish(struct cwi_robust_queue *queue);
void cwi_robust_continue(struct cwi_robust_queue *queue, const void *body, uint32_t bytes);
void cwi_robust_publish(struct cwi_robust_queue *queue);

/* Drops what belongs to the present transaction. */
static inline void cwi_robust_drop(struct cwi_robust_queue *queue)
{
  queue->pending = 0;
  queue->logged = 0;
}

static inline uint64_t cwi_robust_private(const struct cwi_robust_queue *queue)
{
  return queue->head - queue->split;
}

/* Returns true if no published task is left. */
static inline bool cwi_robust_exhausted(const struct cwi_robust_queue *queue)
{
  return __atomic_load_n(&queue->shared->start, __ATOMIC_RELAXED) == queue->split;
}

/* Publishes the `count` oldest private tasks. */
static inline void cwi_robust_release(struct cwi_robust_queue *queue, uint64_t count)
{
  queue->split += count;
  __atomic_store_n(&queue->shared->split, queue->split, __ATOMIC_RELEASE);
}

/* Takes the newest of the queue's tasks, as the one that runs. `body` receives the address of its
 * body, which is valid until the second call of cwi_robust_continue. Returns false if there is
 * none. */
bool cwi_robust_take(struct cwi_robust_queue *queue, struct cwi_slot_head *head, const void **body);

/* Drops all tasks of the queue, which then count as done, and returns their number. No thief may be
 * active. */
uint64_t cwi_robust_clear(struct cwi_robust_queue *queue);

/* Tries to steal from a queue of another worker, which may have failed and been recovered. Returns
 * the number of tasks that `mine` has got. Sets *over to true if the victim's owner knows that
 * `phase` is over; its tasks then belong to the next phase. */
uint64_t cwi_robust_steal(struct cwi_robust_queue *mine, uint32_t victim, uint32_t phase,
                          bool *over);

/* Recovers all queues of failed processes on behalf of queue number `me`. */
void cwi_robust_recover_all(const struct cwi_robust_pool *pool, uint32_t me);

/* Returns true if the phase is over: a member knows it, or all members have entered it, or have
 * failed and been recovered, and no task is left. *settled is 0 at first; it receives the number of
 * settled tasks for which tasks were left, so that an idle worker does not read the lines of busy
 * ones again as long as no worker becomes idle. */
bool cwi_robust_is_over(const struct cwi_robust_pool *pool, uint32_t phase, uint64_t *settled);

/* The owner reports that it has entered a phase, knows it to be over, or has completed the
 * operations of all tasks that it has done. */
static inline void cwi_robust_note_entered(struct cwi_robust_queue *queue, uint32_t phase)
{
  __atomic_store_n(&queue->shared->entered, phase, __ATOMIC_RELEASE);
}

static inline void cwi_robust_note_over(struct cwi_robust_queue *queue, uint32_t phase)
{
  __atomic_store_n(&queue->shared->over, phase, __ATOMIC_RELEASE);
}

static inline void cwi_robust_note_settled(struct cwi_robust_queue *queue)
{
  __atomic_store_n(&queue->shared->settled, queue->done, __ATOMIC_RELEASE);
}
