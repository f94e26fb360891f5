/* Mutexes of my node that processes elsewhere wait for. */
#ifndef CWI_SERVER_GRANT_H
#define CWI_SERVER_GRANT_H

#include "base/ticket.h"

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Stand in line for a process, and answer it when it holds the mutex. */
void cwi_grant_wait(struct cwi_ticket_lock *lock, int origin, uint32_t tag);
bool cwi_grants_turn(void);
bool cwi_grants_wait(void); /* somebody does */

#ifdef __cplusplus
}
#endif
#endif
