/* Tasks for which a worker's queue has no room, in memory of the worker alone: the newest first.
 *
 * A task that finds the queue full runs at once, within the one that adds it. That would need a
 * stack as deep as the tree of tasks is: so from some depth on, and outside phases, it waits here.
 * Nobody steals from here; what is here moves to the queue when that has run empty. */
#ifndef CWI_WORKER_OVERFLOW_H
#define CWI_WORKER_OVERFLOW_H

#include "worker/task_queue.h"

struct cwi_overflow {
  char *slots;
  uint64_t count, room; /* tasks */
};

/* False: no memory. */
bool cwi_overflow_push(struct cwi_overflow *overflow, size_t slot_bytes, struct cwi_slot_head head,
                       const void *body);

/* Move the newest tasks into the queue, whose private part is empty: so many that there is room to
 * add more. */
void cwi_overflow_refill(struct cwi_overflow *overflow, struct cwi_queue *queue);

/* Take the newest. False: there is none. */
bool cwi_overflow_pop(struct cwi_overflow *overflow, size_t slot_bytes, struct cwi_slot_head *head,
                      void *body);

/* Give the memory back; tasks that are there are forgotten. */
void cwi_overflow_free(struct cwi_overflow *overflow);
#endif
