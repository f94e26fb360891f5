/* Refusals that are told later.
 *
 * An operation that completes others before its own does not return what was refused of those: its
 * caller would take its own work for undone. The thread's next fence or wait does. */
#ifndef CWI_ROUTE_DEFERRED_ERRORS_H
#define CWI_ROUTE_DEFERRED_ERRORS_H

#include "base/error.h"

/* Keep what the servers of a process's node (-1: of some node) have refused to this thread. MPI's
 * refusals are none: nothing may follow those. */
void cwi_deferred_error_add(int process, const struct cwi_first_error *earlier);

/* By a fence of the process, or a wait for what was started there; -1: of all. */
void cwi_deferred_errors_report(int process, struct cwi_first_error *first);

/* The end: what nobody has asked for is a warning. */
void cwi_deferred_errors_stop(void);
#endif
