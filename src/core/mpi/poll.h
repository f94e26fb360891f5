/* MPI requests that several threads may wait for.
 *
 * If all threads tested their own requests at the same time, they would contend for the locks
 * inside MPI. Some of those are spin locks, and the holder may have lost its core. So one thread at
 * a time polls for all; the others wait without MPI until the polling thread wakes them. Below
 * MPI_THREAD_MULTIPLE there is nothing to share, and all this costs nothing. */
#pragma once

#include "base/error.h"
#include "mpi/mpi_sleep.h"

#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>

/* A request and its result. Several threads may wait for it. */
struct cwi_arrival {
  MPI_Request request;
  MPI_Status status; /* valid when the request is complete */
  int code;          /* MPI_SUCCESS, or MPI's error code */
  uint32_t state;
  unsigned awaited; /* number of threads that wait for it or test it */
  struct cwi_arrival *next;
};

static inline struct cwi_arrival cwi_arrival(MPI_Request request)
{
  return (struct cwi_arrival){.request = request, .code = MPI_SUCCESS};
}

/* Ends the waits of all threads for a request that may never complete, because the other side has
 * failed; they return CW_FAILED. A receive is cancelled, so that its buffer can be reused. A send
 * is left to MPI: its buffer must never be used again. Does nothing if the request is complete. */
void cwi_arrival_leave(struct cwi_arrival *arrival, bool receives);

/* Polls once. Sets *here to true if the request is complete, else to false. */
CWI_CHECKED cw_error cwi_arrival_poll(struct cwi_arrival *arrival, bool *here);

/* Waits until the request is complete. The function `spins(context, polls)` spins or yields. It may
 * call MPI only if `polls` is true, which means that this thread polls. If it returns false, the
 * thread sleeps until MPI or the polling thread has something, or for a limited time. `sleep` is
 * the state of the thread's sleeps in this wait; it is {0} at first. */
CWI_CHECKED cw_error cwi_arrival_wait(struct cwi_arrival *arrival, struct cwi_sleep *sleep,
                                      bool (*spins)(void *context, bool polls), void *context);

/* Sets the function `serve`, which then polls in place of tests of single requests. It is NULL if
 * this process has no server. A server also waits for messages. While MPI tests some requests, it
 * may receive a message for another request, but it does not report that. The message would wait
 * inside MPI while the server sleeps. So `serve` tests the server's requests and those of all
 * waiting threads in one call. It is set by a pointer, because the server is in a higher module. */
void cwi_poll_set_server(void (*serve)(void));

/* Calls the function of cwi_poll_set_server, unless another thread polls. Returns false if there is
 * no server here. */
bool cwi_poll_serve(void);

/* Stores up to `most` arrivals that threads wait for, with their requests. Returns the number of
 * all such arrivals, which may exceed `most`. Called by the server's function only. */
int cwi_poll_list(struct cwi_arrival **arrivals, MPI_Request *requests, int most);

/* Completes an arrival of cwi_poll_list, with MPI's status and return code. */
void cwi_poll_found(struct cwi_arrival *arrival, const MPI_Status *status, int code);

/* Tests each request by a call of its own. Used when MPI has failed to test all of them at once. */
void cwi_poll_singly(void);

/* cwi_poll_begin must precede a poll. It returns false if another thread is polling; this thread
 * then must not poll. cwi_poll_end follows the poll. */
bool cwi_poll_begin(void);
void cwi_poll_end(void);

/* Returns true if a waiting thread polls at present and does not sleep. No other thread needs to
 * poll then. */
bool cwi_is_polled(void);
