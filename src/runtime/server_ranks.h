/* Server ranks (CW_SERVER=rank) between cw_finalize and the next cw_init, or the end of MPI. */
#ifndef CWI_RUNTIME_SERVER_RANKS_H
#define CWI_RUNTIME_SERVER_RANKS_H

#include "base/error.h"

#include <mpi.h>
#include <stdbool.h>

/* Stores the server ranks of the world that is about to stop, if it has some. Collective over
 * processes and server ranks. */
CWI_CHECKED cw_error cwi_server_ranks_begin(void);

/* Called when a process starts again. If there are server ranks, and *comm is the communicator of
 * the first start or has its processes without them, wakes them and sets *comm to the communicator
 * of all. *alone is set if *comm contains server ranks: these wait elsewhere, so an error must be
 * returned without an exchange. Errors: CW_MISUSE for another communicator. */
CWI_CHECKED cw_error cwi_server_ranks_call(MPI_Comm *comm, bool *alone);

/* Ends the server ranks when MPI ends. */
CWI_CHECKED cw_error cwi_server_ranks_end(void);

/* Called by a server rank: waits until the processes start again, on *comm, or until MPI ends
 * (*again is false). */
CWI_CHECKED cw_error cwi_server_ranks_wait(MPI_Comm *comm, bool *again);
#endif
