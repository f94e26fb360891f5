/* Server ranks (CW_SERVER=rank) between cw_finalize and the next cw_init, or MPI's end. */
#ifndef CWI_RUNTIME_SERVER_RANKS_H
#define CWI_RUNTIME_SERVER_RANKS_H

#include "base/error.h"

#include <mpi.h>
#include <stdbool.h>

/* The world that is about to stop may have server ranks: remember them. Collective over processes
 * and server ranks. */
CWI_CHECKED cw_error cwi_server_ranks_begin(void);

/* A process starts again. If there are server ranks, and *comm is that of the first start or has
 * its processes alone, they are called; *comm becomes that of all. *alone: the error is this
 * process's only: server ranks, which wait elsewhere, are in *comm. Errors: CW_MISUSE (another
 * communicator). */
CWI_CHECKED cw_error cwi_server_ranks_call(MPI_Comm *comm, bool *alone);

/* MPI ends: so do the server ranks. */
CWI_CHECKED cw_error cwi_server_ranks_end(void);

/* A server rank waits until its processes start again, on *comm, or MPI ends. */
CWI_CHECKED cw_error cwi_server_ranks_wait(MPI_Comm *comm, bool *again);
#endif
