/* Distributes numbered tasks to processes, in two ways. */
#pragma once

#include <stdint.h>

typedef void (*task_function)(void *what, int64_t number);

/* Run tasks 0 to count - 1, each once, on any process. Collective. Other processes may still run
 * tasks when a call returns. */
void distribute_by_counter(int64_t count, task_function run, void *what);
void distribute_by_pool(int64_t count, task_function run, void *what);
