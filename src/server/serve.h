/* The inside of a node's server.
 *
 * host.c     where it runs (thread, rank), start and stop
 * serve.c    its turns: receive, execute, forward, complete; sleeping
 * execute.c  one function for each operation
 * grant.c    mutexes that processes of other nodes wait for
 * forward.c  parcels for other nodes: queues, aggregation, credits
 * cores.c    the cores of a server's thread
 * async.c    MPI operations that are under way, and what to do at their end
 *
 * One thread at a time takes a turn: the server's own, or a process that waits and has nothing else
 * to do. Nothing here takes a lock that a process may hold while it waits. A failure here ends the
 * job with a sentence: nobody else could be told. */
#ifndef CWI_SERVER_SERVE_H
#define CWI_SERVER_SERVE_H

#include "base/check.h"
#include "link/wire.h"

#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* End the job if a call of the server fails. */
void cwi_server_must(cw_error error);

/* --- serve.c ---------------------------------------------------------------------------------- */

/* A received message. Its buffer is free, and its credit goes back, when all parts are. */
struct cwi_inbox {
  char *data;
  int link;       /* where it came from */
  unsigned parts; /* that are still to be sent on; plus one while it is being read */
  struct cwi_inbox *next;
};

/* Receives that are posted; what else is under way waits inside MPI, and credits bound it. */
enum { CWI_POSTED = 16 };

void cwi_serve_start(void);

/* Wait until all my messages have arrived and been given back; then nothing is under way. */
void cwi_serve_stop(void);

/* Do what there is to do; false: nothing. */
bool cwi_serve_turn(void);

/* What the last turn left, for who decides how to sleep: read with cwi_left_now. */
struct cwi_left {
  uint64_t messages; /* received so far */
  uint32_t async;    /* MPI operations under way */
  uint32_t grants;   /* processes elsewhere that wait for a mutex of my node: 0 or 1 */
};
struct cwi_left cwi_left_now(void);

void cwi_inbox_release(struct cwi_inbox *inbox);

/* Messages, forwards, requests executed, replies: since the start. */
struct cwi_served {
  uint64_t messages, requests, forwarded_messages, forwarded_parcels, credits, refused;
  uint64_t buffers; /* request buffers made */
};
extern struct cwi_served cwi_served;

/* --- execute.c -------------------------------------------------------------------------------- */

void cwi_execute_parcel(const struct cwi_parcel *parcel, size_t bytes);
void cwi_execute_stop(void);

/* Send an answer to an origin's process. */
void cwi_answer(int origin, uint32_t tag, int64_t value);

/* --- grant.c ---------------------------------------------------------------------------------- */

struct cwi_ticket_lock;
void cwi_grant_wait(struct cwi_ticket_lock *lock, int origin, uint32_t tag);
bool cwi_grants_turn(void);
bool cwi_grants_wait(void); /* somebody does */

/* --- forward.c -------------------------------------------------------------------------------- */

void cwi_forward_start(void);
void cwi_forward_stop(void);

/* Queue a parcel of a message for its next hop; `bytes` as it lies in inbox->data. */
void cwi_forward(struct cwi_inbox *inbox, struct cwi_parcel *parcel);
bool cwi_forward_turn(void);

/* --- cores.c ---------------------------------------------------------------------------------- */

/* Learn which CPUs the processes of this machine are bound to. Collective over those. */
CWI_CHECKED cw_error cwi_cores_start(void);

/* Move the calling thread, the server's, where nobody else is bound. */
void cwi_cores_take(void);

/* --- async.c ---------------------------------------------------------------------------------- */

/* Called when an MPI operation is complete. */
typedef void (*cwi_async_end)(void *context);
void cwi_async_add(MPI_Request request, cwi_async_end end, void *context);
bool cwi_async_turn(void);
int cwi_async_count(void);
void cwi_async_stop(void);

#ifdef __cplusplus
}
#endif
#endif
