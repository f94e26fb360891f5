/* The server's passes: receive, execute, forward, complete.
 *
 * One thread at a time makes a pass: the server's own, or that of a process that waits and has
 * nothing else to do. Nothing here takes a lock that a process may hold while it waits. A failure
 * here ends the job with a message, because no caller could return it.
 *
 * failure_news.c        exchange of the failures that nodes know
 * forward.c             forwarding of batches to other nodes
 * liveness_check.c      checks of other servers while a process waits for a long time
 * server_cores.c        the cores of a server's thread
 * server_idle.c         waiting between passes
 * server_loop.c         the passes
 * server_start.c        place of the server (thread or rank), start and stop
 * shared_packet_send.c  sending packets that processes of my node have left to the server */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* Number of posted receives. Other messages wait inside MPI; credits bound their number. */
enum { CWI_POSTED = 16 };

/* Starts all parts of the server, and posts its receives. */
void cwi_server_loop_start(void);

/* Waits until nothing is in progress and the neighbours have returned the credits of all my
 * messages. Then frees everything. */
void cwi_server_loop_stop(void);

/* Makes one pass. Returns false if there was nothing to do. */
bool cwi_server_loop_pass(void);

/* Work that the last pass has left. A server or process reads it with cwi_left_now before it
 * chooses how to sleep. */
struct cwi_left {
  uint64_t messages; /* messages and credits received so far; a change means that more may follow */
  uint32_t async;    /* MPI operations in progress */
  uint32_t agent_operations; /* agent operations in progress; no event reports their end */
  uint32_t grants;           /* 1 if processes of other nodes wait for a mutex of my node, else 0 */
  uint32_t owes;             /* 1 if the server should return credits soon, else 0 */
};
struct cwi_left cwi_left_now(void);
