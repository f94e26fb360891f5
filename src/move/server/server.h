/* The node server, as other rooms see it. */
#ifndef CWI_SERVER_SERVER_H
#define CWI_SERVER_SERVER_H

#include "base/error.h"

#include <stdbool.h>

/* Choose whether this job has servers, and where. Collective over the processes and server ranks of
 * the world, with one outcome for all. Errors: CW_MISUSE (settings that no job of this kind can
 * follow). */
CWI_CHECKED cw_error cwi_servers_choose(void);

/* What processes and servers share. Collective like the choice, after the zone. */
CWI_CHECKED cw_error cwi_servers_start(void);

/* Start my node's, if it is a thread of mine: after the probe of MPI's progress, which it would
 * disturb. */
CWI_CHECKED cw_error cwi_server_thread_start(void);

/* No questions any more, of which a server would hear after its end: before a last barrier. Local.
 */
void cwi_servers_stop_queries(void);

/* After the last operation of all processes. Collective as the start. */
CWI_CHECKED cw_error cwi_servers_stop(void);

/* After a start that failed: there are no servers. Local. */
void cwi_servers_forget(void);

/* Servers answer for other nodes in this job. */
bool cwi_servers_run(void);

/* A server rank: serve until all processes have stopped. */
CWI_CHECKED cw_error cwi_server_rank_run(void);

/* What my node's server has done; false: this job has none. */
struct cwi_server_use;
bool cwi_server_use_now(struct cwi_server_use *use);

/* One sentence for cw-info. */
const char *cwi_servers_describe(void);
#endif
