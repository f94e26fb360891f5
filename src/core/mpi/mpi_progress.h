/* What depends on MPI: calling it, and what its libraries do differently.
 *
 * mpi_progress.c        start, progress, the end of a job
 * mpi_request.c     waiting for requests and messages
 * collective_yield.c       collective calls whose processes yield the core to each other
 * mpi_result.c      return codes as errors
 * mpi_threads.c     thread level, and which thread may call
 * origin.c      threads as origins of operations
 * poll.c        one thread polls for all that wait
 * mpi_sleep.c       the descriptors by which MPI hears of messages
 * launcher.c    whether another MPI's launcher has started this process
 * mpi_library.c     which MPI this is, and the UCX below it
 * workaround.c  the table of MPI's bugs, and of the work-arounds
 * ucx_disconnect.c  the end of UCX's connections, in place of UCX's own
 * machine_claim.c       names that one process of a machine has at a time */
#ifndef CWI_MPI_MPI_PROGRESS_H
#define CWI_MPI_MPI_PROGRESS_H

#include "mpi/mpi_request.h"
#include "mpi/mpi_result.h"
#include "mpi/mpi_threads.h"

#include <mpi.h>
#include <stdbool.h>

/* Learn MPI's thread level and library, and end jobs by MPI_Abort from now on.
 * Errors: CW_MISUSE when MPI is not up. */
CWI_CHECKED cw_error cwi_mpi_start(void);

/* What cw_abort calls before it ends the job, to say more; NULL: nothing. */
void cwi_mpi_set_abort_report(void (*function)(void));

/* A last line of a process that ends, which its launcher has read on return. */
void cwi_mpi_report(const char *message);

/* Has this process begun to abort the job? MPI's abort may call exit. */
bool cwi_mpi_aborts(void);

/* My number in the world, for the last words of cw_abort; -1: not known. */
void cwi_mpi_process(int process);

/* Progress calls test a receive on a copy of the communicator, on which nothing is ever sent: a
 * call that finds a message may make no progress, and a probe lets Open MPI look at windows only
 * once in 100 times (opal_common_ucx_progress_iterations). Collective, as its end. */
CWI_CHECKED cw_error cwi_mpi_progress_on(MPI_Comm comm);
CWI_CHECKED cw_error cwi_mpi_progress_off(void);

/* After a start that failed: the receive ends, its communicator stays with MPI. Local. */
void cwi_mpi_progress_forget(void);

/* Let MPI progress, if this thread may call MPI at all. */
void cwi_mpi_progress(void);

/* What else a thread does that lets MPI progress: it neither waits nor takes a lock. NULL: nothing.
 */
typedef void (*cwi_progress_function)(void);
void cwi_mpi_set_progress(cwi_progress_function function);

/* For calls that look once and return without what they looked for: let MPI progress, and, where
 * the caller looks again and again, another thread have the core: it may be the one that it waits
 * for. */
void cwi_mpi_progress_after_poll(void);

/* The highest tag that a message may have. */
CWI_CHECKED cw_error cwi_mpi_highest_tag(int *tag);
#endif
