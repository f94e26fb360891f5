/* Pending requests: lists, waiting and handles for requests that servers answer. */
#include "route/server/pending_request.h"

#include "link/reply_tags.h"
#include "link/server_wait.h"
#include "mpi/mpi_progress.h"
#include "team/world.h"

#include <stdio.h>

/* Spare waiters of each origin, guarded by its lock. */
static struct {
  struct cwi_free_list *spare CWI_OF_ORIGIN;
} waiters_of[CWI_ORIGINS];

void cwi_pending_requests_stop(const struct cwi_pending_request_kind *kind)
{
  struct cwi_pending_request *pending_request = NULL;
  while ((pending_request = cwi_free_list_pop(&cwi_pending_requests(kind)->spare)) != NULL) {
    if (kind->strip != NULL)
      kind->strip(pending_request);
    free(pending_request);
  }
}

void cwi_waiters_stop(void)
{
  cwi_free_list_free(&waiters_of[cwi_origin].spare);
}

/* --- One request ------------------------------------------------------------------------------ */

void cwi_pending_request_end(struct cwi_pending_request *pending_request)
{
  struct cwi_pending_requests *list = cwi_pending_requests(pending_request->kind);
  struct cwi_pending_request *next = pending_request->next, *previous = pending_request->previous;
  pending_request->done = true;
  if (pending_request->query.tag != 0)
    cwi_tag_give(pending_request->query.tag);
  *(previous != NULL ? &previous->next : &list->oldest) = next;
  *(next != NULL ? &next->previous : &list->newest) = previous;
  list->outstanding--;
  cwi_pending_request_release(pending_request);
}

void cwi_pending_request_lose(struct cwi_pending_request *pending_request)
{
  char *message = pending_request->query.answer.message;
  snprintf(message, sizeof pending_request->query.answer.message, "%s", cwi_error_message());
  cwi_mpi_drop(&pending_request->query.reply.request);
  pending_request->lost = true;
  cwi_pending_request_end(pending_request);
}

static inline cw_error pending_request_ready(struct cwi_pending_request *pending_request, bool wait,
                                             bool *ready)
{
  *ready = true;
  return pending_request->kind->ready != NULL
             ? pending_request->kind->ready(pending_request, wait, ready)
             : CW_OK;
}

/* Polls for an answer, which does not come if the node is lost. */
static cw_error poll_answer(struct cwi_server_query *query, bool *here)
{
  if (CWI_UNLIKELY(cwi_node_is_lost(query->node)))
    cwi_arrival_leave(&query->reply, true);
  return cwi_arrival_poll(&query->reply, here);
}

/* Polls or waits for the answer of a request that is ready. The request may be done already, or
 * need no answer (its tag is 0). */
static inline cw_error pending_request_answer(struct cwi_pending_request *pending_request,
                                              bool wait)
{
  struct cwi_server_query *query = &pending_request->query;
  bool here = true;
  cw_error error = CW_OK;
  if (!pending_request->done && query->tag != 0)
    error = wait ? cwi_server_wait_unlocked(&query->reply, query->node) : poll_answer(query, &here);
  if (CWI_UNLIKELY(error == CW_FAILED) && !pending_request->done) {
    cwi_pending_request_lose(pending_request);
    return CW_OK;
  }
  if (error != CW_FAILED)
    CWI_TRY(error);
  if (pending_request->done || !here) /* another thread was first, or there is no answer yet */
    return CW_OK;
  if (pending_request->kind->arrived != NULL &&
      pending_request->kind->arrived(pending_request) != CW_OK) {
    query->tag = 0; /* more messages may arrive with this tag: do not reuse it */
    cwi_pending_request_lose(pending_request);
    return CW_OK;
  }
  cwi_pending_request_end(pending_request);
  return CW_OK;
}

cw_error cwi_pending_request_finish(struct cwi_pending_request *pending_request, bool wait,
                                    bool *done)
{
  bool ready = false;
  *done = pending_request->done;
  if (pending_request->done)
    return CW_OK;
  pending_request->references++;
  cw_error error = pending_request_ready(pending_request, wait, &ready);
  if (error == CW_OK && ready)
    error = pending_request_answer(pending_request, wait);
  *done = pending_request->done;
  cwi_pending_request_release(pending_request);
  return error;
}

/* Returns the result to a waiter, which need not be the thread that has found the answer. */
static inline cw_error pending_request_outcome(struct cwi_pending_request *pending_request)
{
  if (CWI_UNLIKELY(pending_request->lost) && cwi_node_is_lost(pending_request->query.node))
    return cwi_node_lost(pending_request->query.node);
  if (CWI_UNLIKELY(pending_request->lost))
    return cwi_outside("a request or its reply was lost: %s",
                       pending_request->query.answer.message);
  return pending_request->kind->outcome != NULL ? pending_request->kind->outcome(pending_request)
                                                : cwi_server_query_error(&pending_request->query);
}

/* Polls or waits for local completion. After an MPI error the request is not done: MPI may still
 * use the program's memory. */
static inline cw_error pending_request_complete(struct cwi_pending_request *pending_request,
                                                bool wait, bool *done)
{
  bool complete = false;
  *done = false;
  CWI_TRY(pending_request->sends ? pending_request_ready(pending_request, wait, &complete)
                                 : cwi_pending_request_finish(pending_request, wait, &complete));
  *done = complete;
  return complete && !pending_request->sends ? pending_request_outcome(pending_request) : CW_OK;
}

/* --- Waiters ---------------------------------------------------------------------------------- */

static cw_error waiter_complete(struct cwi_pending *pending, bool wait, bool *done)
{
  return pending_request_complete(((struct cwi_waiter *)pending)->pending_request, wait, done);
}

static void waiter_release(struct cwi_pending *pending)
{
  struct cwi_waiter *waiter = (struct cwi_waiter *)pending;
  cwi_pending_request_release(waiter->pending_request);
  cwi_free_list_give(&waiters_of[cwi_origin].spare, waiter);
}

cw_error cwi_waiters_add(struct cwi_waiters *waiters, struct cwi_pending_request *pending_request,
                         int process)
{
  struct cwi_waiter *waiter = cwi_free_list_take(&waiters_of[cwi_origin].spare, sizeof *waiter);
  if (waiter == NULL) {
    bool done = false;
    pending_request->references++;
    const cw_error error = pending_request_complete(pending_request, true, &done);
    cwi_pending_request_release(pending_request);
    return error;
  }
  waiter->pending.apart = false; /* cwi_handle_attach fills in the other fields */
  waiter->pending.process = process;
  waiter->pending.complete = waiter_complete;
  waiter->pending.release = waiter_release;
  waiter->pending_request = pending_request;
  waiter->next = NULL;
  pending_request->references++;
  *(waiters->last != NULL ? &waiters->last->next : &waiters->first) = waiter;
  waiters->last = waiter;
  return CW_OK;
}

/* Waits for all requests even after an error, because MPI still uses the program's memory. */
cw_error cwi_waiters_leave(const struct cwi_waiters *waiters, cw_error error, bool blocking,
                           cw_handle *handle)
{
  const bool wait = blocking || error != CW_OK;
  struct cwi_first_error first;
  cwi_first_begin(&first, error);
  for (struct cwi_waiter *waiter = waiters->first; waiter != NULL;) {
    struct cwi_waiter *next = waiter->next;
    bool done = false;
    if (wait || cwi_handle_attach(handle, &waiter->pending) != CW_OK) {
      cwi_first_note(&first, pending_request_complete(waiter->pending_request, true, &done));
      waiter_release(&waiter->pending);
    }
    waiter = next;
  }
  return cwi_first_return(&first);
}
