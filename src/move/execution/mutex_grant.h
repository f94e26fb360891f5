/* Mutexes of my node that processes of other nodes wait for. */
#pragma once

#include "wait/ticket_lock.h"

#include <stdbool.h>
#include <stdint.h>

/* cwi_mutex_grant_wait takes a ticket for a process of another node. That process gets an answer
 * when it holds the mutex. cwi_grants_progress sends the answers that have become possible since
 * its last call, and returns true if it sent any. */
void cwi_mutex_grant_wait(struct cwi_ticket_lock *lock, int origin, uint32_t tag);
bool cwi_grants_progress(void);
bool cwi_grants_wait(void); /* returns true if a process of another node waits */

/* Wakes the server after a lock of my node was passed to the next ticket. Its holder may be on
 * another node. */
void cwi_mutex_grant_notify(void);
