/* Threads of ours, and what threads ask of the kernel. */
#ifndef CWI_WAIT_THREAD_H
#define CWI_WAIT_THREAD_H

#include <pthread.h>
#include <stdint.h>

/* Its address is the thread's name while the thread lives; even. */
extern __thread uint64_t cwi_thread_name __attribute__((tls_model("initial-exec")));

/* Start a thread that takes no signals: they are for the program's own threads. Returns 0, or what
 * pthread_create says. */
int cwi_thread_start(pthread_t *thread, void *(*run)(void *argument), void *argument);

/* From here on sleeps of this thread end when they should, not up to 50 microseconds later. Returns
 * what makes it as before. */
int cwi_slack_narrow(void);
void cwi_slack_restore(int slack);
#endif
