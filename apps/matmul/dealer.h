/* Who runs which task? Two ways to deal numbered tasks out to the processes. */
#ifndef MATMUL_DEALER_H
#define MATMUL_DEALER_H

#include <stdint.h>

typedef void (*task_function)(void *what, int64_t number);

/* Run tasks 0 to count - 1, each once, on some process. Collective; other processes may still run
 * tasks when it returns. */
void deal_by_counter(int64_t count, task_function run, void *what);
void deal_by_pool(int64_t count, task_function run, void *what);

#endif
