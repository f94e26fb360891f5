/* MPI operations of the server that are in progress, and the functions that are called at their
 * end. An MPI failure in the server ends the job with a message, because no caller could return it.
 */
#pragma once

#include "base/error.h"

#include <mpi.h>
#include <stdbool.h>

/* Ends the job if a call of the server has failed. */
void cwi_server_must(cw_error error);

/* Called when an MPI operation is complete. `status` is valid for receives. */
typedef void (*cwi_async_end)(void *context, const MPI_Status *status);
/* Adds an operation. `end` is called with `context` when the operation is complete. */
void cwi_async_add(MPI_Request request, cwi_async_end end, void *context);
/* Returns the number of operations in progress. */
int cwi_async_count(void);

/* Like cwi_async_add, for the send of a short message. If MPI has already completed the send, `end`
 * is called at once. */
void cwi_async_start(MPI_Request request, cwi_async_end end, void *context);

/* Receives that are polled together with the operations but are not counted by cwi_async_count.
 * cwi_async_watched returns the request of a watched receive to its owner. */
enum cwi_receive { CWI_RECEIVE_REQUEST, CWI_RECEIVE_CREDIT, CWI_RECEIVES };
void cwi_async_watch(enum cwi_receive which, MPI_Request request);
MPI_Request cwi_async_watched(enum cwi_receive which);

/* The watched receives that a poll has found complete. */
struct cwi_seen {
  bool here[CWI_RECEIVES]; /* receives that are complete */
  MPI_Status request;      /* status of the receive of a request message, if that is complete */
};

/* Polls MPI once for all operations, for the watched receives, and for all requests that threads of
 * this process wait for (mpi/poll.h). One poll for all of them finds everything that MPI receives
 * in it. Returns true if an operation is complete. `seen` receives the state of the watched
 * receives. */
bool cwi_async_progress(struct cwi_seen *seen);
void cwi_async_stop(void);
