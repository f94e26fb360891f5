/* Waiting for a server. */
#pragma once

#include "base/error.h"
#include "mpi/mpi_sleep.h"
#include "mpi/poll.h"
#include "wait/lock.h"
#include "wait/wait_report.h"

#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>

/* One wait in progress for the server of a node. */
struct cwi_server_wait {
  struct cwi_wait wait;
  struct cwi_sleep sleep;
  int node;
  struct cwi_arrival *arrival; /* what this thread waits for; NULL if it is no message */
  bool sends;                  /* `arrival` is of a send */
  struct cwi_waiting waiting;  /* used if the call has not announced the wait */
};

/* Begins a wait for the server of a node. */
static inline struct cwi_server_wait cwi_server_wait(int node)
{
  return (struct cwi_server_wait){.wait = {.sleeps = true}, .node = node};
}

/* Ends a wait. */
static inline void cwi_server_wait_end(const struct cwi_server_wait *await)
{
  if (CWI_UNLIKELY(await->waiting.shown))
    cwi_status_wait_end();
}

/* Makes one pass of a wait: spins, yields or sleeps. If this process is host to its node's server,
 * it serves meanwhile. An answer may take any time, because a mutex may be held or a device busy.
 * So a long wait does not end the job, but makes the servers check each other, as all long waits
 * do. Only a server that does not answer such a check ends the job (server/liveness_check.c). */
void cwi_server_wait_pass(struct cwi_server_wait *await);

/* Like cwi_server_wait_pass, for something that this node's server writes into shared memory;
 * another thread or process may run that server. Sleeps until `signal` differs from `value`. A host
 * receives the server's messages itself, and so sleeps until a message arrives. If `sends`,
 * messages of this thread may be in transit. They may progress only in its MPI calls, so it sleeps
 * only shortly. */
void cwi_server_wait_signal(struct cwi_server_wait *await, struct cwi_signal *signal,
                            uint32_t value, bool sends);

/* Wait for a message of a server, or to it. cwi_server_wait_send is for a send for which only this
 * thread waits, cwi_server_wait_arrival for a receive for which other threads may wait, too. They
 * return CW_FAILED if the node is lost: a send is then left to MPI with its buffer. */
CWI_CHECKED cw_error cwi_server_wait_send(MPI_Request *request, struct cwi_server_wait *await);
CWI_CHECKED cw_error cwi_server_wait_arrival(struct cwi_arrival *arrival,
                                             struct cwi_server_wait *await);

/* Like cwi_server_wait_arrival, but releases the current origin's lock meanwhile. Other threads
 * continue, and may complete the arrival. */
CWI_CHECKED cw_error cwi_server_wait_unlocked(struct cwi_arrival *arrival, int node);
