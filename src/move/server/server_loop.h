/* The server's turns: receive, execute, forward, complete.
 *
 *
 * One thread at a time takes a turn: the server's own, or a process that waits and has nothing else
 * to do. Nothing here takes a lock that a process may hold while it waits. A failure here ends the
 * job with a message: nobody else could be told.
 *
 * forward.c             parcels for other nodes
 * liveness_check.c      whether other servers live, when somebody waits long
 * server_cores.c        the cores of a server's thread
 * server_idle.c         how it waits between turns
 * server_loop.c         its turns
 * server_start.c        where it runs (thread, rank), start and stop
 * shared_packet_send.c  packets that processes of my node have left to the server */
#ifndef CWI_SERVER_SERVER_LOOP_H
#define CWI_SERVER_SERVER_LOOP_H

#include <stdbool.h>
#include <stdint.h>

/* Receives that are posted; what else is under way waits inside MPI, and credits bound it. */
enum { CWI_POSTED = 16 };

void cwi_server_loop_start(void);

/* Wait until all my messages have arrived and been given back; then nothing is under way. */
void cwi_server_loop_stop(void);

/* Do what there is to do; false: nothing. */
bool cwi_server_loop_pass(void);

/* What the last turn left: the choice of how to sleep reads it with cwi_left_now. */
struct cwi_left {
  uint64_t messages;         /* received, or given back: what waited for that comes next */
  uint32_t async;            /* MPI operations under way */
  uint32_t agent_operations; /* of agents under way, which nothing tells of */
  uint32_t grants;           /* processes elsewhere that wait for a mutex of my node: 0 or 1 */
  uint32_t owes;             /* messages are to be given back in a moment: 0 or 1 */
};
struct cwi_left cwi_left_now(void);
#endif
