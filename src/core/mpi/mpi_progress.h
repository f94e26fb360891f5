/* Calling MPI, and the differences between its libraries.
 *
 * mpi_progress.c      start, progress, the end of a job
 * mpi_request.c       waits for requests and messages
 * collective_yield.c  collective calls that yield the core while they wait
 * mpi_result.c        return codes as errors
 * mpi_threads.c       the thread level, and which thread may call MPI
 * origin.c            threads as origins of operations
 * poll.c              one thread polls MPI for all that wait
 * mpi_sleep.c         sleeps on the descriptors of MPI
 * launcher.c          finds out whether another MPI's launcher has started this process
 * mpi_library.c       which MPI this is, and the UCX below it
 * workaround.c        the table of MPI's bugs and of the work-arounds
 * ucx_disconnect.c    replaces UCX's function that closes connections
 * machine_claim.c     names that one process of a machine has at a time */
#pragma once

#include "mpi/mpi_request.h"
#include "mpi/mpi_result.h"
#include "mpi/mpi_threads.h"

#include <mpi.h>
#include <stdbool.h>

/* Reads MPI's thread level. Errors: CW_MISUSE if MPI is not running or this is not the main thread.
 */
CWI_CHECKED cw_error cwi_mpi_start(void);

/* Sets a function that cw_abort calls before it ends the job, to print more; NULL for none. It is
 * set by a pointer, because src/observe, which prints, is a higher layer. */
void cwi_mpi_set_abort_report(void (*function)(void));

/* Sets a function that cw_abort calls just before MPI_Abort, to end the other processes of the
 * node; NULL for none. In a job that survives failures Open MPI 4.1's MPI_Abort ends only its
 * caller. */
void cwi_mpi_set_abort_peers(void (*function)(void));

/* Prints the last line of a process that ends, and waits until its launcher has read it. */
void cwi_mpi_report(const char *message);

/* Returns true if this process has begun to abort the job. Our exit handlers check this, because
 * MPI_Abort may call exit. */
bool cwi_mpi_aborts(void);

/* Sets the process number that cw_abort prints; -1 if it is not known. */
void cwi_mpi_process(int process);

/* cwi_mpi_progress_on duplicates the communicator and starts a receive on it that never completes;
 * calls that let MPI progress test this receive. It must not complete, because a call that finds a
 * message may make no progress. It is not a probe, because Open MPI polls windows only in one of
 * 100 probes (opal_common_ucx_progress_iterations). Both functions are collective. */
CWI_CHECKED cw_error cwi_mpi_progress_on(MPI_Comm comm);
CWI_CHECKED cw_error cwi_mpi_progress_off(void);

/* Cancels the receive after a start that failed. Its communicator is not freed, as that is
 * collective. Local. */
void cwi_mpi_progress_forget(void);

/* Lets MPI progress, if this thread may call MPI at all. */
void cwi_mpi_progress(void);

/* Sets a function that threads also call when they let MPI progress; NULL for none. The function
 * must neither wait nor take a lock. It is set by a pointer, because comparisons of arguments are
 * in src/core/team, a higher module. */
typedef void (*cwi_progress_function)(void);
void cwi_mpi_set_progress(cwi_progress_function function);

/* Lets MPI progress, for calls that poll once and have found nothing. If the caller polls
 * repeatedly, also yields the core, because the thread that it waits for may need it. */
void cwi_mpi_progress_after_poll(void);

/* Returns the highest tag that a message may have. */
CWI_CHECKED cw_error cwi_mpi_highest_tag(int *tag);
