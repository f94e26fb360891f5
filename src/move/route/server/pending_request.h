/* Errands: what servers were asked for, and who waits for it.
 *
 * Each kind (long transfers, gets, fetching updates, promises) has a record of its own, which
 * begins with a struct cwi_pending_request, and does what is special: it packs, asks, unpacks. Here
 * is what all have in common: the list of each origin, references, waiting, handles. Whoever calls
 * has the lock of the present origin; a thread lets go of it while it waits, so that others may
 * find the answer. */
#ifndef CWI_ROUTE_SERVER_PENDING_REQUEST_H
#define CWI_ROUTE_SERVER_PENDING_REQUEST_H

#include "base/free_list.h"
#include "mpi/origin.h"
#include "route/server/server_query.h"
#include "transfer/handle.h"

struct cwi_pending_request_kind;

struct cwi_pending_request {
  struct cwi_pending_request *next, *previous; /* those under way, in the order of their numbers */
  const struct cwi_pending_request_kind *kind;
  struct cwi_server_query query; /* its tag is 0 while nothing has been asked */
  unsigned long number;
  int references; /* the list's, one for each waiter, and for threads that wait */
  bool sends;     /* locally complete when it is ready: it brings nothing back */
  bool done;      /* nothing more comes */
  bool lost;      /* it could not be sent, or its answer received: a sentence there tells why */
};

/* What one origin has under way of a kind, and records to use again. */
struct cwi_pending_requests {
  struct cwi_pending_request *oldest CWI_OF_ORIGIN;
  struct cwi_pending_request *newest;
  struct cwi_free_list *spare;
  unsigned long started;
  int outstanding;
};

struct cwi_pending_request_kind {
  struct cwi_pending_requests *lists; /* CWI_ORIGINS of them */
  size_t bytes;                       /* of a record */
  int most;                           /* that may be outstanding */
  /* Is everything done without which no answer comes? wait: until it is. NULL: it always is. */
  cw_error (*ready)(struct cwi_pending_request *pending_request, bool wait, bool *ready);
  /* The answer is here: take in what it brings. NULL: nothing. After an error it is lost. */
  cw_error (*arrived)(struct cwi_pending_request *pending_request);
  /* How it went, for who waits for it. NULL: the answer tells. */
  cw_error (*outcome)(struct cwi_pending_request *pending_request);
  /* Free what a record keeps while it is spare. NULL: nothing. */
  void (*strip)(struct cwi_pending_request *pending_request);
};

static inline struct cwi_pending_requests *
cwi_pending_requests(const struct cwi_pending_request_kind *kind)
{
  return &kind->lists[cwi_origin];
}

/* A record whose pending_request is new; the rest is as its last user left it, at first all zero.
 * Its one reference is the caller's, and the list's once it has begun. NULL: no memory. */
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

static inline void cwi_pending_request_release(struct cwi_pending_request *pending_request)
{
  if (--pending_request->references == 0)
    cwi_free_list_give(&cwi_pending_requests(pending_request->kind)->spare, pending_request);
}

/* It is under way: put it into the list. */
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

/* Nothing more comes: give its tag back, and take it from the list. */
void cwi_pending_request_end(struct cwi_pending_request *pending_request);

/* The same for one that could not be sent, or whose answer could not be received; the sentence that
 * this thread has just recorded tells why. */
void cwi_pending_request_lose(struct cwi_pending_request *pending_request);

/* Look whether the answer of one that has begun is here, or wait; the first thread that finds it
 * takes it in. *done: it is; the list's reference is then gone. Errors are those of MPI: how it
 * went its waiters are told. */
CWI_CHECKED cw_error cwi_pending_request_finish(struct cwi_pending_request *pending_request,
                                                bool wait, bool *done);

/* May one more begin? */
static inline bool cwi_pending_requests_have_space(const struct cwi_pending_request_kind *kind)
{
  return cwi_pending_requests(kind)->outstanding < kind->most;
}

/* Wait until fewer than `most` are outstanding, or until one more may begin. */
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

/* The errands of one call, in their order; begins as {NULL, NULL}. Several calls may wait for the
 * same pending_request. */
struct cwi_waiter {
  struct cwi_pending pending;
  struct cwi_pending_request *pending_request;
  struct cwi_waiter *next;
};
struct cwi_waiters {
  struct cwi_waiter *first, *last;
};

/* The call waits for this pending_request, which has begun, too. Without memory it does so here. */
CWI_CHECKED cw_error cwi_waiters_add(struct cwi_waiters *waiters,
                                     struct cwi_pending_request *pending_request, int process);

/* At the end of a call: wait for the local completion of its errands; if it neither blocks nor has
 * failed, attach them to the handle instead. What a handle has no room for is waited for, too: that
 * is no error. The first error counts, `error` before all. */
CWI_CHECKED cw_error cwi_waiters_leave(const struct cwi_waiters *waiters, cw_error error,
                                       bool blocking, cw_handle *handle);

/* Free the records of a kind, and those of waiters, that the present origin keeps. */
void cwi_pending_requests_stop(const struct cwi_pending_request_kind *kind);
void cwi_waiters_stop(void);
#endif
