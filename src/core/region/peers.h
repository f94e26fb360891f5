/* The other processes of my machine: their PIDs, and whether they have ended. */
#pragma once

#include "base/error.h"

/* Exchanges the PIDs of the processes of the machine. `mine` is the result of this process's
 * earlier steps. Collective over the machine; an error of one process is returned on all. */
CWI_CHECKED cw_error cwi_peers_start(cw_error mine);

/* Forgets the peers. Local. */
void cwi_peers_stop(void);

/* Prepares a job that survives failures. After cwi_peers_survive_begin the failure of a process of
 * the node is recorded in wait/failures.h, also if it came between the two calls, and does not end
 * the job. The second call does nothing in other jobs. It starts a thread that reads the memory of
 * the world team and the node's zone, so that these must exist. Errors: CW_MISUSE (the job cannot
 * survive failures), CW_OUTSIDE. Local. */
CWI_CHECKED cw_error cwi_peers_survive(void);
CWI_CHECKED cw_error cwi_peers_survive_begin(void);

/* The end of a process is no failure any more: it may have stopped. Local. */
void cwi_peers_watch_ends(void);

/* Ends this process of a job that survives failures, because its node is lost. Does not abort the
 * job: the launcher would end the processes of other nodes, too. */
CWI_NORETURN void cwi_peers_end_with_node(const char *reason);

/* Sets a function that reports to another node that process `failed`, which ran this node's server,
 * has ended; NULL for none. This process calls it before it ends itself. It is set by a pointer,
 * because the servers are in src/move, a higher layer. */
typedef void (*cwi_last_report)(int failed);
void cwi_peers_set_last_report(cwi_last_report function);

/* Called before this process stops Causeway: from now on the end of a process is still recorded,
 * but not reported, because it may have stopped before. Local. */
void cwi_peers_expect_ends(void);

/* Called before the memory is freed that has the reports of failures (wait/failures.h): the watcher
 * reads it no longer. Local. */
void cwi_peers_leave_reports(void);

/* Returns the PID of a rank of my node, or 0 if that process is in another PID namespace.
 * `node_rank` is the index of a process among those of the node, or that of the server rank. */
long cwi_peer_pid(int node_rank);

/* Checks whether a process of my machine has died. If so, ends the job with a message that names
 * it, unless the job survives failures. */
void cwi_peers_watch(void);
