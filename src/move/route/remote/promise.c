/* Requests for remote completion, for views: a fence travels behind the updates, in the same
 * message if they are still in the packet, and a handle waits for its answer. */
#include "route/remote/promise.h"

#include "route/remote/bulk.h"
#include "route/remote/errand.h"
#include "route/remote/fence.h"
#include "route/remote/outbox.h"
#include "route/remote/updates.h"
#include "team/world.h"

/* Questions that may be outstanding: who asks for more waits for a fence. */
enum { MOST_PROMISES = 256 };

struct promise {
  struct cwi_errand errand; /* asks, if anything is open */
  int process;
  uint64_t updates;    /* of the node, before the question */
  unsigned long bulks; /* before it */
  bool late;           /* there are some: what becomes of them the node can tell only then */
  bool judged;         /* somebody has heard how it went */
  uint64_t heard;      /* of refusals of the node, by who has made this */
};

/* The packet that holds the updates takes it along. Who does not wait may compute next. After an
 * error with a tag it has been asked all the same, and will be answered. */
static cw_error promise_ask(struct promise *promise, bool wait)
{
  struct cwi_question *question = &promise->errand.question;
  struct cwi_request request = {.operation = CWI_WIRE_FENCE};
  promise->updates = cwi_updates_count(question->node);
  cw_error error =
      cwi_question_send(question, question->node, &request, (struct cwi_operands){NULL, NULL});
  if (error != CW_OK)
    question->tag = 0;
  else if (!wait)
    error = cwi_outbox_send(question->node);
  return error;
}

/* Bulk updates that were refused are open when they have come. */
static cw_error promise_ready(struct cwi_errand *errand, bool wait, bool *ready)
{
  struct promise *promise = (struct promise *)errand;
  if (!promise->late)
    return CW_OK;
  CWI_TRY(cwi_bulk_come(promise->process, promise->bulks, wait, ready));
  const bool asks = *ready && promise->late && cwi_updates_open(errand->question.node);
  const cw_error error = asks ? promise_ask(promise, wait) : CW_OK;
  promise->late = !*ready || (error != CW_OK && errand->question.tag == 0);
  return error;
}

/* What was refused may have been told to another thread's fence: whose promise this is hears of it
 * nevertheless. The first that finds this complete tells it (transfer/handle.h). */
static cw_error promise_outcome(struct cwi_errand *errand)
{
  struct promise *promise = (struct promise *)errand;
  const struct cwi_question *question = &errand->question;
  if (promise->judged)
    return CW_OK;
  promise->judged = true;
  if (question->tag != 0) {
    CWI_TRY(cwi_fence_judge(question));
    cwi_updates_answered(question->node, promise->updates, question->answer.batch);
  }
  return cwi_updates_judge_since(question->node, promise->heard);
}

static struct cwi_errands promise_books[CWI_ORIGINS];
static const struct cwi_errand_kind promise_kind = {.books = promise_books,
                                                    .bytes = sizeof(struct promise),
                                                    .most = MOST_PROMISES,
                                                    .ready = promise_ready,
                                                    .outcome = promise_outcome};

void cwi_promises_stop(void)
{
  cwi_errands_stop(&promise_kind);
}

static cw_error promise_make(int process, cw_handle *handle)
{
  const int node = cwi_world.node_of[process];
  const bool many = cwi_errands(&promise_kind)->outstanding >= MOST_PROMISES;
  struct promise *promise = many ? NULL : cwi_errand_take(&promise_kind, node);
  struct cwi_waiters waiters = {NULL, NULL};
  bool ready = true;
  if (promise == NULL)
    return cwi_fence_node(node);
  promise->process = process;
  promise->bulks = cwi_bulk_count();
  promise->late = true;
  promise->judged = false;
  promise->heard = cwi_updates_heard(node);
  struct cwi_first_error first;
  cwi_first_begin(&first, promise_ready(&promise->errand, false, &ready));
  if (first.error != CW_OK && promise->errand.question.tag == 0) {
    cwi_errand_release(&promise->errand);
    return cwi_first_return(&first);
  }
  cwi_errand_begin(&promise->errand);
  cwi_first_note(&first, cwi_waiters_add(&waiters, &promise->errand, process));
  return cwi_waiters_leave(&waiters, cwi_first_return(&first), false, handle);
}

cw_error cwi_server_promise(int process, cw_handle *handle)
{
  if (cwi_same_node(process))
    return CW_OK;
  cwi_origin_lock();
  const cw_error error = promise_make(process, handle);
  cwi_origin_unlock();
  return error;
}
