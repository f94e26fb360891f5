/* The server's turns: receive, execute, forward, complete.
 *
 * host.c           where it runs (thread, rank), start and stop
 * serve.c          its turns
 * doze.c           how it waits between turns
 * execute.c        one function for each operation
 * moves.c          the memory that requests name, and moving it
 * bulk_memory.c    memory for the data of long transfers on its way
 * landing.c        long updates that are on their way, and notifications behind them
 * standing.c       what agents of my node do, and requests that wait behind that
 * reply.c          answers, data of gets, refusals
 * grant.c          mutexes that processes of other nodes wait for
 * forward.c        parcels for other nodes
 * request_buffer.c request buffers and their credits
 * gathered.c       packets that processes of my node have left to the server
 * doubt.c          whether other servers live, when somebody waits long
 * async.c          MPI operations that are under way
 * cores.c          the cores of a server's thread
 *
 * One thread at a time takes a turn: the server's own, or a process that waits and has nothing else
 * to do. Nothing here takes a lock that a process may hold while it waits. A failure here ends the
 * job with a message: nobody else could be told. */
#ifndef CWI_SERVER_SERVE_H
#define CWI_SERVER_SERVE_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Receives that are posted; what else is under way waits inside MPI, and credits bound it. */
enum { CWI_POSTED = 16 };

void cwi_serve_start(void);

/* Wait until all my messages have arrived and been given back; then nothing is under way. */
void cwi_serve_stop(void);

/* Do what there is to do; false: nothing. */
bool cwi_serve_turn(void);

/* What the last turn left: the choice of how to sleep reads it with cwi_left_now. */
struct cwi_left {
  uint64_t messages; /* received, or given back: what waited for that comes next */
  uint32_t async;    /* MPI operations under way */
  uint32_t missions; /* of agents under way, which nothing tells of */
  uint32_t grants;   /* processes elsewhere that wait for a mutex of my node: 0 or 1 */
  uint32_t owes;     /* messages are to be given back in a moment: 0 or 1 */
};
struct cwi_left cwi_left_now(void);

#ifdef __cplusplus
}
#endif
#endif
