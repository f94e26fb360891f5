/* Errands: what servers were asked for, and who waits for it.
 *
 * Each kind (long transfers, gets, fetching updates, promises) has a record of its own, which
 * begins with a struct cwi_errand, and does what is special: it packs, asks, unpacks. Here is what
 * all have in common: the book of each origin, references, waiting, handles. Whoever calls has the
 * lock of the present origin; a thread lets go of it while it waits, so that others may find the
 * answer. */
#ifndef CWI_ROUTE_REMOTE_ERRAND_H
#define CWI_ROUTE_REMOTE_ERRAND_H

#include "base/spare.h"
#include "mpi/origin.h"
#include "route/remote/ask.h"
#include "transfer/handle.h"

#ifdef __cplusplus
extern "C" {
#endif

struct cwi_errand_kind;

struct cwi_errand {
  struct cwi_errand *next, *previous; /* those under way, in the order of their numbers */
  const struct cwi_errand_kind *kind;
  struct cwi_question question; /* its tag is 0 while nothing has been asked */
  unsigned long number;
  int references; /* the list's, one for each waiter, and for threads that wait */
  bool sends;     /* locally complete when it is ready: it brings nothing back */
  bool done;      /* nothing more comes */
  bool lost;      /* it could not be sent, or its answer received: a sentence there tells why */
};

/* What one origin has under way of a kind, and records to use again. */
struct cwi_errands {
  struct cwi_errand *oldest CWI_OF_ORIGIN;
  struct cwi_errand *newest;
  struct cwi_spare *spare;
  unsigned long started;
  int outstanding;
};

struct cwi_errand_kind {
  struct cwi_errands *books; /* CWI_ORIGINS of them */
  size_t bytes;              /* of a record */
  int most;                  /* that may be outstanding */
  /* Is everything done without which no answer comes? wait: until it is. NULL: it always is. */
  cw_error (*ready)(struct cwi_errand *errand, bool wait, bool *ready);
  /* The answer is here: take in what it brings. NULL: nothing. After an error it is lost. */
  cw_error (*arrived)(struct cwi_errand *errand);
  /* How it went, for who waits for it. NULL: the answer tells. */
  cw_error (*outcome)(struct cwi_errand *errand);
  /* Free what a record keeps while it is spare. NULL: nothing. */
  void (*strip)(struct cwi_errand *errand);
};

static inline struct cwi_errands *cwi_errands(const struct cwi_errand_kind *kind)
{
  return &kind->books[cwi_origin];
}

/* A record whose errand is new; the rest is as its last user left it, at first all zero. Its one
 * reference is the caller's, and the list's once it has begun. NULL: no memory. */
static inline void *cwi_errand_take(const struct cwi_errand_kind *kind, int node)
{
  struct cwi_errand *errand =
      (struct cwi_errand *)cwi_spare_take(&cwi_errands(kind)->spare, kind->bytes);
  if (errand == NULL)
    return NULL;
  errand->kind = kind;
  errand->question.answer.refused = 0;
  errand->question.longer = NULL;
  errand->question.reply = cwi_arrival(MPI_REQUEST_NULL);
  errand->question.tag = 0;
  errand->question.node = node;
  errand->references = 1;
  errand->sends = errand->done = errand->lost = false;
  return errand;
}

static inline void cwi_errand_release(struct cwi_errand *errand)
{
  if (--errand->references == 0)
    cwi_spare_give(&cwi_errands(errand->kind)->spare, errand);
}

/* It is under way: put it into the list. */
static inline void cwi_errand_begin(struct cwi_errand *errand)
{
  struct cwi_errands *book = cwi_errands(errand->kind);
  errand->next = NULL;
  errand->previous = book->newest;
  *(book->newest != NULL ? &book->newest->next : &book->oldest) = errand;
  book->newest = errand;
  book->outstanding++;
  errand->number = ++book->started;
}

/* Nothing more comes: give its tag back, and take it from the list. */
void cwi_errand_end(struct cwi_errand *errand);

/* The same for one that could not be sent, or whose answer could not be received; the sentence that
 * this thread has just recorded tells why. */
void cwi_errand_lose(struct cwi_errand *errand);

/* Look whether the answer of one that has begun is here, or wait; the first thread that finds it
 * takes it in. *done: it is; the list's reference is then gone. Errors are those of MPI: how it
 * went its waiters are told. */
CWI_CHECKED cw_error cwi_errand_finish(struct cwi_errand *errand, bool wait, bool *done);

/* May one more begin? */
static inline bool cwi_errands_have_room(const struct cwi_errand_kind *kind)
{
  return cwi_errands(kind)->outstanding < kind->most;
}

/* Wait until fewer than `most` are outstanding, or until one more may begin. */
static inline cw_error cwi_errands_leave(const struct cwi_errand_kind *kind, int most)
{
  bool done = false;
  while (cwi_errands(kind)->outstanding >= most)
    CWI_TRY(cwi_errand_finish(cwi_errands(kind)->oldest, true, &done));
  return CW_OK;
}
static inline cw_error cwi_errands_make_room(const struct cwi_errand_kind *kind)
{
  return cwi_errands_leave(kind, kind->most);
}

/* The errands of one call, in their order; begins as {NULL, NULL}. Several calls may wait for the
 * same errand. */
struct cwi_waiter {
  struct cwi_pending pending;
  struct cwi_errand *errand;
  struct cwi_waiter *next;
};
struct cwi_waiters {
  struct cwi_waiter *first, *last;
};

/* The call waits for this errand, which has begun, too. Without memory it does so here. */
CWI_CHECKED cw_error cwi_waiters_add(struct cwi_waiters *waiters, struct cwi_errand *errand,
                                     int process);

/* At the end of a call: wait for the local completion of its errands; if it neither blocks nor has
 * failed, attach them to the handle instead. What a handle has no room for is waited for, too: that
 * is no error. The first error counts, `error` before all. */
CWI_CHECKED cw_error cwi_waiters_leave(const struct cwi_waiters *waiters, cw_error error,
                                       bool blocking, cw_handle *handle);

/* Free the records of a kind, and those of waiters, that the present origin keeps. */
void cwi_errands_stop(const struct cwi_errand_kind *kind);
void cwi_waiters_stop(void);

#ifdef __cplusplus
}
#endif
#endif
