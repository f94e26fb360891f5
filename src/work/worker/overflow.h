/* Tasks that do not fit into a worker's queue. The worker keeps them in its own memory, last in,
 * first out.
 *
 * If the queue is full, a new task runs at once, inside the task that adds it. With many tasks,
 * that would need a stack as deep as the tree of tasks. Therefore new tasks go to this list from
 * some depth on, and also outside phases. Thieves cannot steal from it; its tasks move to the queue
 * when the queue has run empty. */
#pragma once

#include "worker/task_queue.h"

struct cwi_overflow {
  char *slots;
  size_t count, capacity; /* in tasks */
};

/* Adds a task. Returns false if there is no memory. */
bool cwi_overflow_push(struct cwi_overflow *overflow, size_t slot_bytes, struct cwi_slot_head head,
                       const void *body);

/* Moves the newest tasks into the queue. Moves at most as many as half of the queue's slots, so
 * that more tasks can be added. */
void cwi_overflow_refill(struct cwi_overflow *overflow, struct cwi_queue *queue);

/* Takes the newest task. Returns false if there is none. */
bool cwi_overflow_pop(struct cwi_overflow *overflow, size_t slot_bytes, struct cwi_slot_head *head,
                      void *body);

/* Frees the memory. Tasks that are still here are lost. */
void cwi_overflow_free(struct cwi_overflow *overflow);
