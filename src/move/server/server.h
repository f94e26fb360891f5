/* The node server: its interface for other modules. */
#ifndef CWI_SERVER_SERVER_H
#define CWI_SERVER_SERVER_H

#include "base/error.h"

#include <stdbool.h>

/* Chooses whether this job has servers, and where. Collective over the processes and server ranks
 * of the world, with one outcome for all. Errors: CW_MISUSE (settings that this job cannot
 * satisfy). */
CWI_CHECKED cw_error cwi_servers_choose(void);

/* Allocates what processes and servers share. Collective like the choice, after the zone. */
CWI_CHECKED cw_error cwi_servers_start(void);

/* Starts my node's server if it is a thread of mine: after the probe of MPI's progress, which it
 * would disturb. */
CWI_CHECKED cw_error cwi_server_thread_start(void);

/* Ends the liveness checks, before a last barrier: a later query might arrive after its server has
 * stopped. Local. */
void cwi_servers_stop_queries(void);

/* Stops the servers after the last operation of all processes. Collective like the start. */
CWI_CHECKED cw_error cwi_servers_stop(void);

/* Frees everything after a start that failed. Local. */
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
#endif
