/* Errors that a later fence or wait returns.
 *
 * An operation that first completes earlier ones does not return their errors, because its caller
 * would think that the new operation had failed. The thread's next fence or wait returns them. */
#pragma once

#include "base/error.h"

/* Keeps an error that the server of `process`'s node (any node if -1) reported for this thread.
 * Ends the job if there is no memory. Errors from MPI do not belong here: no operation may follow
 * them. */
void cwi_deferred_error_add(int process, const struct cwi_first_error *earlier);

/* Moves the deferred errors of `process`'s node (of all nodes if -1) to `first`. Called by fences
 * and waits. */
void cwi_deferred_errors_report(int process, struct cwi_first_error *first);

/* Logs a warning for each error that no call has returned, and frees all. */
void cwi_deferred_errors_stop(void);
