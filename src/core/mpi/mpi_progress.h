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
#ifndef CWI_MPI_MPI_PROGRESS_H
#define CWI_MPI_MPI_PROGRESS_H

#include "mpi/mpi_request.h"
#include "mpi/mpi_result.h"
#include "mpi/mpi_threads.h"

#include <mpi.h>
#include <stdbool.h>

/* Reads MPI's thread level. Errors: CW_MISUSE if MPI is not running or this is not the main thread.
 */
CWI_CHECKED cw_error cwi_mpi_start(void);

/* Sets a function that cw_abort calls before it ends the job, to print more; NULL for none. It
 * is set, because src/observe, which prints, is above. */
void cwi_mpi_set_abort_report(void (*function)(void));

/* Prints the last line of a process that ends, and waits until its launcher has read it. */
void cwi_mpi_report(const char *message);

/* Returns true if this process has begun to abort the job. MPI_Abort may call exit, and with it our
 * exit handlers. */
bool cwi_mpi_aborts(void);

/* Sets the process number that cw_abort prints; -1 if it is not known. */
void cwi_mpi_process(int process);

/* cwi_mpi_progress_on duplicates the communicator and starts a receive on it that never completes;
 * calls that let MPI progress test this receive. A call that finds a message may make no progress,
 * and a probe lets Open MPI poll windows only once in 100 times
 * (opal_common_ucx_progress_iterations). Both functions are collective. */
CWI_CHECKED cw_error cwi_mpi_progress_on(MPI_Comm comm);
CWI_CHECKED cw_error cwi_mpi_progress_off(void);

/* Cancels the receive after a start that failed. Its communicator is not freed, as that is
 * collective. Local. */
void cwi_mpi_progress_forget(void);

/* Lets MPI progress, if this thread may call MPI at all. */
void cwi_mpi_progress(void);

/* Sets a function that threads also call when they let MPI progress; NULL for none. It must neither
 * wait nor take a lock. It is set, because comparisons of arguments are in src/core/team, above. */
typedef void (*cwi_progress_function)(void);
void cwi_mpi_set_progress(cwi_progress_function function);

/* For calls that poll once and return without a result. Lets MPI progress; if the caller polls
 * repeatedly, also yields the core, as the thread that it waits for may need it. */
void cwi_mpi_progress_after_poll(void);

/* Returns the highest tag that a message may have. */
CWI_CHECKED cw_error cwi_mpi_highest_tag(int *tag);
#endif
