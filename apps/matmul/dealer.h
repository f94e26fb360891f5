/* Distributes numbered tasks to processes, in two ways. */
#ifndef MATMUL_DEALER_H
#define MATMUL_DEALER_H

#include <stdint.h>

typedef void (*task_function)(void *what, int64_t number);

/* Run tasks 0 to count - 1, each once, on any process. Collective. Other processes may still run
 * tasks when a call returns. */
void deal_by_counter(int64_t count, task_function run, void *what);
void deal_by_pool(int64_t count, task_function run, void *what);

#endif
