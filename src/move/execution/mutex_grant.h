/* Mutexes of my node that processes of other nodes wait for. */
#ifndef CWI_EXECUTION_MUTEX_GRANT_H
#define CWI_EXECUTION_MUTEX_GRANT_H

#include "wait/ticket_lock.h"

#include <stdbool.h>
#include <stdint.h>

/* Takes a ticket for a process of another node, and answers it when it holds the mutex. */
void cwi_mutex_grant_wait(struct cwi_ticket_lock *lock, int origin, uint32_t tag);
bool cwi_grants_progress(void);
bool cwi_grants_wait(void); /* true if a process waits */

/* Wakes the server after a lock of my node was passed on: the next holder may be on another node.
 */
void cwi_mutex_grant_notify(void);
#endif
