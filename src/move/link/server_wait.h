/* Waiting for a server. */
#ifndef CWI_LINK_SERVER_WAIT_H
#define CWI_LINK_SERVER_WAIT_H

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
  struct cwi_waiting waiting; /* where the call does not say that it waits */
};

static inline struct cwi_server_wait cwi_server_wait(int node)
{
  return (struct cwi_server_wait){.wait = {.sleeps = true}, .node = node};
}

/* It is over. */
static inline void cwi_server_wait_end(const struct cwi_server_wait *await)
{
  if (CWI_UNLIKELY(await->waiting.shown))
    cwi_status_wait_end();
}

/* Pass some time; if my process is host to its node's server, serve meanwhile. The answer may take
 * as long as it wants: somebody holds a mutex, or a device is busy. So a long wait asks whether the
 * servers live, as all waits do, and only one that is silent to that ends the job
 * (server/liveness_check.c). */
void cwi_server_wait_pass(struct cwi_server_wait *await);

/* The same for what my node's server writes into shared memory, perhaps when another thread or
 * process has taken in the message that tells of it: sleeps until the signal changes from `value`;
 * a host, which takes such messages in itself, until one comes. sends: what I have sent may be on
 * its way, and not arrive unless I call MPI: sleeps shortly. */
void cwi_server_wait_signal(struct cwi_server_wait *await, struct cwi_signal *signal,
                            uint32_t value, bool sends);

/* Wait for what the server of a node is to bring: for a request this thread alone, for an arrival
 * others as well. */
CWI_CHECKED cw_error cwi_server_wait_request(MPI_Request *request, struct cwi_server_wait *await);
CWI_CHECKED cw_error cwi_server_wait_arrival(struct cwi_arrival *arrival,
                                             struct cwi_server_wait *await);

/* The same for an arrival, letting go of the present origin's lock: other threads go on meanwhile,
 * and may find that it is here. */
CWI_CHECKED cw_error cwi_server_wait_unlocked(struct cwi_arrival *arrival, int node);
#endif
