/* Start and stop, and the reports at the stop. The first function is for libraries that start
 * Causeway; the others are for runtime.c.
 *
 * crash_report.c  reports of processes that die
 * exit.c          reports which process has called exit while Causeway runs
 * leaks.c         what a program has not freed at cw_finalize (CW_CHECK=1)
 * runtime.c       starts and stops all modules in their order
 * server_ranks.c  server ranks from one world to the next
 * start_watch.c   ends the job when a process dies during the start (CW_FAILURES=survive)
 * statistics.c    cw_report, cw_setting, and the counters of CW_STATS */
#pragma once

#include "base/error.h"

#include <mpi.h>
#include <stdbool.h>

/* Returns true if the next cw_finalize stops Causeway, and false if other libraries have also
 * called cw_init. */
bool cwi_stops_next(void);

/* --- Deaths during the start: start_watch.c --------------------------------------------------- */

/* In a job that survives failures, cwi_start_watch_begin makes this process report when
 * cwi_start_watch_end has not been called after CW_WAIT_REPORT seconds. A failure is no error.
 * Local. */
void cwi_start_watch_begin(void);
void cwi_start_watch_end(void);

/* From now on the job ends with a message when another process of this machine dies before
 * cwi_start_watch_end. Collective over comm. Errors, on all processes: CW_OUTSIDE (memory, MPI). */
CWI_CHECKED cw_error cwi_start_watch_processes(MPI_Comm comm);

/* --- A job that dies: crash_report.c ---------------------------------------------------------- */

/* With CW_PROFILE or CW_TIMELINE, starts the crash reporter of this process: from now on the
 * counters and events of this process are written even if the job dies. Call this after the profile
 * and the timeline have begun. A failure is logged and is no error. Local. */
CWI_CHECKED cw_error cwi_crash_report_start(void);

/* Stops the crash reporter, because the job ends normally. Local. */
void cwi_crash_report_stop(void);

/* --- Reports: exit.c, leaks.c, statistics.c --------------------------------------------------- */

/* From now on a process that calls exit before cw_finalize prints a message. Without the message,
 * users would not learn why the other processes wait, or why the launcher has ended the job. */
void cwi_exit_watch(void);

/* Lists regions, mutex sets and teams that were not freed (on their lowest member), and mutexes
 * that this process holds and operations for which it has not waited. Local. */
void cwi_leaks_list(void);

/* With CW_STATS, adds up the counters of all processes; process 0 prints them. Collective over the
 * world. */
CWI_CHECKED cw_error cwi_statistics_report(void);

/* --- Server ranks (CW_SERVER=rank) between two worlds: server_ranks.c ------------------------- */

/* Keeps a communicator with the server ranks of the world that is about to stop, if it has any.
 * Collective over processes and server ranks. */
CWI_CHECKED cw_error cwi_server_ranks_begin(void);

/* Called when a process starts again. Wakes the server ranks of an earlier world, if there are any.
 * *comm must have the processes of the first start, with or without the server ranks; it becomes
 * the communicator of all of them. *alone is set if *comm contains server ranks: these do not take
 * part yet, so an error must be returned without an exchange. Errors: CW_MISUSE for another
 * communicator. */
CWI_CHECKED cw_error cwi_server_ranks_call(MPI_Comm *comm, bool *alone);

/* Ends the server ranks when MPI ends. */
CWI_CHECKED cw_error cwi_server_ranks_end(void);

/* Called by a server rank: waits until the processes start again, on *comm, or until MPI ends
 * (*again is false). */
CWI_CHECKED cw_error cwi_server_ranks_wait(MPI_Comm *comm, bool *again);
