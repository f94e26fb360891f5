/* Mutexes of other nodes, through their servers. */
#ifndef CWI_ROUTE_REMOTE_MUTEX_H
#define CWI_ROUTE_REMOTE_MUTEX_H

#include "base/check.h"
#include "base/ticket.h"

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Ticket locks at `lock`, an address in memory of the process. */
CWI_CHECKED cw_error cwi_server_lock(int process, const struct cwi_ticket_lock *lock);
CWI_CHECKED cw_error cwi_server_trylock(int process, const struct cwi_ticket_lock *lock,
                                        bool *acquired);
CWI_CHECKED cw_error cwi_server_unlock(int process, const struct cwi_ticket_lock *lock);

#ifdef __cplusplus
}
#endif
#endif
