/* Mutexes of other nodes, which their servers take and release. */
#pragma once

#include "base/error.h"
#include "wait/ticket_lock.h"

#include <stdbool.h>

/* Acquire, try to acquire and release the ticket lock at `lock`, an address in memory of the
 * process. */
CWI_CHECKED cw_error cwi_server_lock(int process, const struct cwi_ticket_lock *lock);
CWI_CHECKED cw_error cwi_server_trylock(int process, const struct cwi_ticket_lock *lock,
                                        bool *acquired);
CWI_CHECKED cw_error cwi_server_unlock(int process, const struct cwi_ticket_lock *lock);
