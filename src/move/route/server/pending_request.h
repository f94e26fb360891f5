/* Pending requests: requests that servers will answer, and the operations that wait for the
 * answers.
 *
 * Each kind (bulk transfers, gets, fetching updates, flush requests) has a record of its own, which
 * begins with a struct cwi_pending_request, and code of its own for packing, sending and unpacking.
 * This module has what all kinds share: the list of each origin, references, waiting, handles.
 * Callers hold the lock of the current origin. A thread releases the lock while it waits, so that
 * other threads may find the answer. */
#pragma once

#include "base/free_list.h"
#include "mpi/origin.h"
#include "route/server/server_query.h"
#include "transfer/handle.h"

struct cwi_pending_request_kind;

/* A request that a server will answer. */
struct cwi_pending_request {
  struct cwi_pending_request *next, *previous; /* outstanding ones, in the order of their numbers */
  const struct cwi_pending_request_kind *kind;
  struct cwi_server_query query; /* its tag is 0 until the query has been sent */
  unsigned long number;
  int references; /* one for the list, one for each waiter, and one for each thread that waits */
  bool sends;     /* locally complete once `ready` reports true, because no data comes back */
  bool done;      /* nothing more arrives */
  bool lost; /* the request could not be sent or its answer could not be received; answer.message
                has the reason */
};

/* The outstanding requests of one kind and origin, and spare records. */
struct cwi_pending_requests {
  struct cwi_pending_request *oldest CWI_OF_ORIGIN;
  struct cwi_pending_request *newest;
  struct cwi_free_list *spare;
  unsigned long started;
  int outstanding;
};

/* Functions and limits of one kind of pending requests. */
struct cwi_pending_request_kind {
  struct cwi_pending_requests *lists; /* [CWI_ORIGINS] */
  size_t bytes;                       /* size of a record */
  int most;                           /* upper bound on outstanding ones */
  /* Sets *ready to true if everything that must precede the answer is done. If `wait`, waits for
   * that. NULL if nothing must precede it. */
  cw_error (*ready)(struct cwi_pending_request *pending_request, bool wait, bool *ready);
  /* Processes the answer, which has arrived. NULL if there is nothing to do. After an error the
   * request is lost. */
  cw_error (*arrived)(struct cwi_pending_request *pending_request);
  /* Returns the result to a waiter. NULL if the answer has the result. */
  cw_error (*outcome)(struct cwi_pending_request *pending_request);
  /* Frees what a spare record still owns. NULL if spare records own nothing. */
  void (*strip)(struct cwi_pending_request *pending_request);
};

/* Returns the current origin's requests of a kind. */
static inline struct cwi_pending_requests *
cwi_pending_requests(const struct cwi_pending_request_kind *kind)
{
  return &kind->lists[cwi_origin];
}

/* Returns a record with an initialised pending_request, or NULL if there is no memory. The rest of
 * the record is as its last user left it, or zero. Its one reference belongs to the caller until
 * cwi_pending_request_begin passes it to the list. */
static inline void *cwi_pending_request_take(const struct cwi_pending_request_kind *kind, int node)
{
  struct cwi_pending_request *pending_request = (struct cwi_pending_request *)cwi_free_list_take(
      &cwi_pending_requests(kind)->spare, kind->bytes);
  if (pending_request == NULL)
    return NULL;
  pending_request->kind = kind;
  pending_request->query.answer.rejected = 0;
  pending_request->query.longer = NULL;
  pending_request->query.reply = cwi_arrival(MPI_REQUEST_NULL);
  pending_request->query.tag = 0;
  pending_request->query.node = node;
  pending_request->references = 1;
  pending_request->sends = pending_request->done = pending_request->lost = false;
  return pending_request;
}

/* Releases a reference. The last one makes the record spare. */
static inline void cwi_pending_request_release(struct cwi_pending_request *pending_request)
{
  if (--pending_request->references == 0)
    cwi_free_list_give(&cwi_pending_requests(pending_request->kind)->spare, pending_request);
}

/* Appends a request that has been sent, or is in an open packet, to the list of its kind. */
static inline void cwi_pending_request_begin(struct cwi_pending_request *pending_request)
{
  struct cwi_pending_requests *list = cwi_pending_requests(pending_request->kind);
  pending_request->next = NULL;
  pending_request->previous = list->newest;
  *(list->newest != NULL ? &list->newest->next : &list->oldest) = pending_request;
  list->newest = pending_request;
  list->outstanding++;
  pending_request->number = ++list->started;
}

/* Ends a request for which nothing more arrives: returns its tag, and removes it from the list. */
void cwi_pending_request_end(struct cwi_pending_request *pending_request);

/* Ends a request that could not be sent, or whose answer could not be received. Keeps, for the
 * waiters, the error message that this thread has just recorded. */
void cwi_pending_request_lose(struct cwi_pending_request *pending_request);

/* Polls for the answer of a request that has begun, or waits for it if `wait`. The first thread
 * that finds the answer processes it. Sets *done to true if the request is done; the list's
 * reference has then been released. Returns only errors of MPI, because the result goes to the
 * waiters. */
CWI_CHECKED cw_error cwi_pending_request_finish(struct cwi_pending_request *pending_request,
                                                bool wait, bool *done);

/* Returns true if one more may begin. */
static inline bool cwi_pending_requests_have_space(const struct cwi_pending_request_kind *kind)
{
  return cwi_pending_requests(kind)->outstanding < kind->most;
}

/* cwi_pending_requests_reduce waits until fewer than `most` requests are outstanding,
 * cwi_pending_requests_make_space until one more may begin. */
static inline cw_error cwi_pending_requests_reduce(const struct cwi_pending_request_kind *kind,
                                                   int most)
{
  bool done = false;
  while (cwi_pending_requests(kind)->outstanding >= most)
    CWI_TRY(cwi_pending_request_finish(cwi_pending_requests(kind)->oldest, true, &done));
  return CW_OK;
}
static inline cw_error cwi_pending_requests_make_space(const struct cwi_pending_request_kind *kind)
{
  return cwi_pending_requests_reduce(kind, kind->most);
}

/* The pending requests of one call, in order; initially {NULL, NULL}. Several calls may wait for
 * the same request. */
struct cwi_waiter {
  struct cwi_pending pending;
  struct cwi_pending_request *pending_request;
  struct cwi_waiter *next;
};
struct cwi_waiters {
  struct cwi_waiter *first, *last;
};

/* Makes the call wait for a request that has begun. If there is no memory for a record, waits here.
 */
CWI_CHECKED cw_error cwi_waiters_add(struct cwi_waiters *waiters,
                                     struct cwi_pending_request *pending_request, int process);

/* Ends a call. If the call is `blocking` or has failed with `error`, waits for the local completion
 * of its requests. Otherwise attaches them to the handle. If a request cannot be attached, waits
 * for it; this is no error. Returns `error` or, if that is CW_OK, the first error of a request. */
CWI_CHECKED cw_error cwi_waiters_leave(const struct cwi_waiters *waiters, cw_error error,
                                       bool blocking, cw_handle *handle);

/* Free the spare records of a kind, and those of waiters, of the current origin. */
void cwi_pending_requests_stop(const struct cwi_pending_request_kind *kind);
void cwi_waiters_stop(void);
