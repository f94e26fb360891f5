/* Processes that have failed, in a job that continues without them (CW_FAILURES=survive). A failure
 * is permanent, so the list only grows. Waiting loops of any module read it; the watcher of
 * src/core/region writes it. */
#pragma once

#include "base/error.h"

#include <stdbool.h>

/* Returns true if the job continues when a process fails. */
bool cwi_survives(void);

/* Returns true if a process of the world is known to have failed. Its stores before the failure are
 * visible to the caller. */
bool cwi_has_failed(int process);

/* Returns the number of processes that are known to have failed. A loop that waits compares it with
 * an earlier value to find out whether it has to look at the processes that it waits for. */
unsigned cwi_failures_count(void);

/* Records a failure; does nothing if it is known. */
void cwi_failures_note(int process);

/* Reports of failures on other machines. The server of each node stores them in memory that the
 * processes of the node share, and their watchers record the processes as failed. */
enum cwi_report { CWI_NOT_REPORTED, CWI_REPORTED_FAILED, CWI_REPORTED_SILENT };

/* From now on known[process] is 1 for each failed process, and reports[process] is the report of
 * the node's server. The caller has set both to 0. NULL for none. Local. */
void cwi_failures_share(unsigned char *known, unsigned char *reports);

/* Stores a report, if the process has none. Returns false if the node has no memory for it now. */
bool cwi_failure_report(int process, enum cwi_report report);
enum cwi_report cwi_failure_reported(int process);

/* Returns CW_FAILED with a message that names the process. */
CWI_CHECKED cw_error cwi_process_failed(int process);

/* Returns true if the job also survives failures on other nodes. It then uses messages of MPI after
 * a failure, too. cwi_failures_use_messages sets it. */
bool cwi_survives_by_messages(void);
void cwi_failures_use_messages(void);

/* Returns the failed process with the lowest number, or -1. */
int cwi_failures_first(void);

/* Start and stop of the list. After cwi_failures_survive the job continues when a process fails.
 * Local. Errors: CW_OUTSIDE (memory). */
CWI_CHECKED cw_error cwi_failures_start(int processes);
void cwi_failures_survive(void);
void cwi_failures_stop(void);

/* cwi_failures_handle sets the program's handler. cwi_failures_call_handler calls it for each
 * failed process that it has not been called for; threads of the program call it where they may run
 * its code. */
typedef void (*cwi_failure_function)(int process, void *context);
void cwi_failures_handle(cwi_failure_function function, void *context);
void cwi_failures_call_handler(void);

/* From now on this thread does not call the handler: it is one of Causeway's own. */
void cwi_failures_without_handler(void);
