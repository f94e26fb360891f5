/* Mutexes of my node that processes elsewhere wait for. */
#ifndef CWI_EXECUTION_MUTEX_GRANT_H
#define CWI_EXECUTION_MUTEX_GRANT_H

#include "wait/ticket_lock.h"

#include <stdbool.h>
#include <stdint.h>

/* Stand in line for a process, and answer it when it holds the mutex. */
void cwi_mutex_grant_wait(struct cwi_ticket_lock *lock, int origin, uint32_t tag);
bool cwi_grants_progress(void);
bool cwi_grants_wait(void); /* somebody does */

/* A lock of my node was given on: if a process elsewhere is next, the server must look. */
void cwi_mutex_grant_notify(void);
#endif
