/* Causeway's own threads, and properties of threads in the kernel. */
#pragma once

#include "base/error.h"

#include <pthread.h>

/* Returns an even address that identifies this thread while it lives: the address of one of its
 * thread-local variables. */
static inline const void *cwi_thread_name(void)
{
  return &cwi_error_messages;
}

/* Starts a thread that receives no signals, which are for the program's own threads. Returns the
 * result of pthread_create. */
int cwi_thread_start(pthread_t *thread, void *(*run)(void *argument), void *argument);

/* cwi_slack_narrow makes sleeps of this thread end on time, not up to 50 microseconds later. It
 * returns the value with which cwi_slack_restore undoes this. */
int cwi_slack_narrow(void);
void cwi_slack_restore(int slack);
