/* Threads of ours. */
#ifndef CWI_BASE_THREAD_H
#define CWI_BASE_THREAD_H

#include <pthread.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Start a thread that takes no signals: they are for the program's own threads. Returns 0, or what
 * pthread_create says. */
int cwi_thread_start(pthread_t *thread, void *(*run)(void *argument), void *argument);

#ifdef __cplusplus
}
#endif
#endif
