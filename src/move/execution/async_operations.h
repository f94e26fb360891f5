/* MPI operations of the server that are under way, and what to do at their end. A failure of MPI
 * there ends the job with a sentence: nobody else could be told. */
#ifndef CWI_EXECUTION_ASYNC_OPERATIONS_H
#define CWI_EXECUTION_ASYNC_OPERATIONS_H

#include "base/error.h"

#include <mpi.h>
#include <stdbool.h>

/* End the job if a call of the server fails. */
void cwi_server_must(cw_error error);

/* Called when an MPI operation is complete. status: of a receive. */
typedef void (*cwi_async_end)(void *context, const MPI_Status *status);
void cwi_async_add(MPI_Request request, cwi_async_end end, void *context);
int cwi_async_count(void);

/* The same for a short message, which MPI may have sent by now. */
void cwi_async_start(MPI_Request request, cwi_async_end end, void *context);

/* Receives that are looked at together with them, and not counted. Their owner takes them back. */
enum cwi_receive { CWI_RECEIVE_REQUEST, CWI_RECEIVE_CREDIT, CWI_RECEIVES };
void cwi_async_watch(enum cwi_receive which, MPI_Request request);
MPI_Request cwi_async_watched(enum cwi_receive which);

struct cwi_seen {
  bool here[CWI_RECEIVES]; /* of those receives */
  MPI_Status request;      /* of the first */
};

/* One look at MPI for all of them, and for all that threads of this process wait for (mpi/poll.h):
 * nothing that it takes in stays unseen. False: none is complete, but perhaps what is watched. */
bool cwi_async_progress(struct cwi_seen *seen);
void cwi_async_stop(void);
#endif
