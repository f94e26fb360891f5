/* Calling MPI: every return code is looked at, progress, who may call. */
#ifndef CWI_MPI_CALL_H
#define CWI_MPI_CALL_H

#include "base/check.h"

#include <mpi.h>
#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The error for a failed MPI call: its text and MPI's own sentence. */
CWI_CHECKED cw_error cwi_mpi_failed(const char *call, int code);

/* Is the last error of this thread that MPI refused a call? Then the members of a team do not know
 * of each other how far they came, and nothing that they do together may follow. */
bool cwi_mpi_refused(void);

static inline CWI_CHECKED cw_error cwi_mpi_result(const char *call, int code)
{
  return CWI_LIKELY(code == MPI_SUCCESS) ? CW_OK : cwi_mpi_failed(call, code);
}

/* CW_OK, or CW_OUTSIDE with a sentence: CWI_TRY(CWI_MPI(MPI_Barrier(comm))). */
#define CWI_MPI(call) cwi_mpi_result(#call, (call))

/* Learn MPI's thread level and library, and end jobs by MPI_Abort from now on.
 * Errors: CW_MISUSE when MPI is not up. */
CWI_CHECKED cw_error cwi_mpi_start(void);

/* My number in the world, for the last words of cw_abort; -1: not known. */
void cwi_mpi_process(int process);

/* Progress calls look at a copy of the communicator, on which nothing is ever sent: MPI may not let
 * progress who finds a message. Collective, as its end. */
CWI_CHECKED cw_error cwi_mpi_progress_on(MPI_Comm comm);
CWI_CHECKED cw_error cwi_mpi_progress_off(void);

/* Let MPI progress, if this thread may call MPI at all. */
void cwi_mpi_progress(void);

/* Wait for a request without keeping the core from others; serve and let MPI progress meanwhile. */
CWI_CHECKED cw_error cwi_mpi_wait(MPI_Request *request);

/* Wait in the same way for a message, which then is this thread's to receive. */
CWI_CHECKED cw_error cwi_mpi_await_message(int from, int tag, MPI_Comm comm, MPI_Message *message,
                                           MPI_Status *status);

/* Collectives in place. MPI's own spin until the last member has come: where processes outnumber
 * the cores of any machine of the job, they wait as above. */
CWI_CHECKED cw_error cwi_mpi_allreduce(void *data, int count, MPI_Datatype type, MPI_Op op,
                                       MPI_Comm comm);
CWI_CHECKED cw_error cwi_mpi_bcast(void *data, int count, MPI_Datatype type, int root,
                                   MPI_Comm comm);

/* Are cores short on a machine of the job? The same answer everywhere. Collective. */
CWI_CHECKED cw_error cwi_mpi_agree_on_cores(MPI_Comm comm, bool crowded);

/* May this thread call MPI? Errors: CW_MISUSE. For CW_CHECK; the server's thread is not asked. */
CWI_CHECKED cw_error cwi_mpi_check_thread(void);

/* A call begins and ends: at MPI_THREAD_SERIALIZED no other may be under way. */
CWI_CHECKED cw_error cwi_mpi_enter(void);
void cwi_mpi_leave(void);

/* The highest tag that a message may have. */
CWI_CHECKED cw_error cwi_mpi_highest_tag(int *tag);

/* Several threads may call us at once. */
bool cwi_mpi_threads(void);

/* One process-wide lock around bookkeeping; free of cost when there is only one thread. Nests. */
void cwi_threads_lock(void);
void cwi_threads_unlock(void);

const char *cwi_mpi_thread_level_name(void);

#ifdef __cplusplus
}
#endif
#endif
