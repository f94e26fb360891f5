/* Threads of ours, and properties of threads in the kernel. */
#ifndef CWI_WAIT_THREAD_H
#define CWI_WAIT_THREAD_H

#include "base/error.h"

#include <pthread.h>

/* Returns an address that identifies the thread while it lives: that of a variable of its own. It
 * is even. */
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
#endif
