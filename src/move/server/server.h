/* The node server: its interface for other modules. */
#pragma once

#include "base/error.h"

#include <stdbool.h>

/* Decides whether this job has servers, and whether they are threads or ranks. Collective over the
 * processes and server ranks of the world; all get the same result. Errors: CW_MISUSE (settings
 * that this job cannot satisfy). */
CWI_CHECKED cw_error cwi_servers_choose(void);

/* Allocates the memory that processes and servers share. Called after the zone has been started.
 * Collective like cwi_servers_choose. */
CWI_CHECKED cw_error cwi_servers_start(void);

/* Starts my node's server if it is a thread of this process. Called after the probe of MPI's
 * progress, which a running server would disturb. */
CWI_CHECKED cw_error cwi_server_thread_start(void);

/* Ends the liveness checks. Called before the last barrier, because a later query might arrive
 * after the queried server has stopped. Local. */
void cwi_servers_stop_queries(void);

/* Stops the servers after the last operation of all processes. Collective like cwi_servers_start.
 */
CWI_CHECKED cw_error cwi_servers_stop(void);

/* Ends my node's server after a failure, without waiting for other servers. Local. */
void cwi_servers_stop_serving(void);

/* Frees everything if the start has failed. Local. */
void cwi_servers_forget(void);

/* Returns true if this job has servers. */
bool cwi_servers_run(void);

/* Runs the server on a server rank until all processes have stopped. */
CWI_CHECKED cw_error cwi_server_rank_run(void);

/* Copies the statistics of my node's server to *use. Returns false if this job has no servers. */
struct cwi_server_use;
bool cwi_server_use_now(struct cwi_server_use *use);

/* Returns one sentence for cw-info. */
const char *cwi_servers_describe(void);
