/* Server ranks (CW_SERVER=rank) between cw_finalize and the next cw_init, or the end of MPI. */
#ifndef CWI_RUNTIME_SERVER_RANKS_H
#define CWI_RUNTIME_SERVER_RANKS_H

#include "base/error.h"

#include <mpi.h>
#include <stdbool.h>

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
#endif
