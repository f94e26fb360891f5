/* Requests of MPI that threads wait for.
 *
 * Threads that look for their requests all at the same time fight for the locks inside MPI; some of
 * those are spinning locks, and the holder of one may have lost its core. So one thread at a time
 * polls, for all that wait; the others pass the time without MPI until it tells them. Below
 * MPI_THREAD_MULTIPLE there is nothing to share, and nothing of this costs anything. */
#ifndef CWI_MPI_POLL_H
#define CWI_MPI_POLL_H

#include "base/error.h"
#include "mpi/mpi_sleep.h"

#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>

/* A request, and what becomes of it. Several threads may wait for it. */
struct cwi_arrival {
  MPI_Request request;
  MPI_Status status; /* once it is here */
  int code;          /* of MPI's refusal, if there was one */
  uint32_t state;
  unsigned awaited; /* threads that wait or look */
  struct cwi_arrival *next;
};

static inline struct cwi_arrival cwi_arrival(MPI_Request request)
{
  return (struct cwi_arrival){.request = request, .code = MPI_SUCCESS};
}

/* Look once whether it is here. */
CWI_CHECKED cw_error cwi_arrival_poll(struct cwi_arrival *arrival, bool *here);

/* Wait for it. spins(context, polls): pass some time awake, without calling MPI unless this thread
 * polls; false: sleep instead, until MPI has something or the thread that polls does, or for a
 * while. sleep: as the thread has slept before; it ends. */
CWI_CHECKED cw_error cwi_arrival_wait(struct cwi_arrival *arrival, struct cwi_sleep *sleep,
                                      bool (*spins)(void *context, bool polls), void *context);

/* A server of this process waits for messages of its own. What one call of MPI takes in, a call
 * that looks for something else does not find: it would lie there while the server sleeps. So one
 * call looks for all that anybody waits for, and that is a serve of the server: threads take such
 * turns in place of looks of their own. NULL: there is no server here. */
void cwi_poll_set_server(void (*serve)(void));

/* Take such a serve, unless another thread looks; false: there is no server here. */
bool cwi_poll_serve(void);

/* In such a serve: what threads wait for, at most so many of them; returns how many there are. */
int cwi_poll_list(struct cwi_arrival **arrivals, MPI_Request *requests, int most);

/* One of them is here, with the code of MPI's refusal. */
void cwi_poll_found(struct cwi_arrival *arrival, const MPI_Status *status, int code);

/* MPI refuses to look for all of them at once: it is asked for each. */
void cwi_poll_singly(void);

/* Look for what has come, by MPI's own calls; false: another thread does, and would be in the way.
 */
bool cwi_poll_begin(void);
void cwi_poll_end(void);

/* Does a waiting thread poll now, and not sleep? Then nobody else needs to. */
bool cwi_is_polled(void);
#endif
