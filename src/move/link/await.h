/* Waiting for a server. */
#ifndef CWI_LINK_AWAIT_H
#define CWI_LINK_AWAIT_H

#include "base/check.h"
#include "base/lock.h"
#include "mpi/poll.h"
#include "mpi/sleep.h"

#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* One wait in progress for the server of a node. */
struct cwi_await {
  struct cwi_wait wait;
  struct cwi_sleep sleep;
  int node;
  bool patient; /* the answer may take as long as it wants: a mutex that somebody holds */
  double until; /* 0: no look at the clock yet */
  double looked;
};

static inline struct cwi_await cwi_await(int node)
{
  return (struct cwi_await){.wait = {.sleeps = true}, .node = node};
}

/* Pass some time; if my process is host to its node's server, serve meanwhile. A server that has
 * not answered for CW_SERVER_TIMEOUT seconds ends the job: what it has been sent cannot be taken
 * back. */
void cwi_await_turn(struct cwi_await *await);

/* The server of the node has been silent for so long: end the job with a sentence that names its
 * host. */
CWI_NORETURN void cwi_await_give_up(int node);

/* Wait for what the server of a node is to bring: for a request this thread alone, for an arrival
 * others as well. */
CWI_CHECKED cw_error cwi_await_request(MPI_Request *request, struct cwi_await *await);
CWI_CHECKED cw_error cwi_await_arrival(struct cwi_arrival *arrival, struct cwi_await *await);

/* The same for an arrival, letting go of the present origin's lock: other threads go on meanwhile,
 * and may find that it is here. */
CWI_CHECKED cw_error cwi_await_unlocked(struct cwi_arrival *arrival, int node);

#ifdef __cplusplus
}
#endif
#endif
