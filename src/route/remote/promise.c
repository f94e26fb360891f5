/* Requests for remote completion, for views: a fence travels behind the updates, in the same
 * message if they are still in the packet, and a handle waits for its answer. */
#include "route/remote/promise.h"

#include "base/spare.h"
#include "link/await.h"
#include "link/tags.h"
#include "mpi/origin.h"
#include "route/remote/ask.h"
#include "route/remote/bulk.h"
#include "route/remote/fence.h"
#include "route/remote/outbox.h"
#include "route/remote/updates.h"
#include "team/world.h"
#include "transfer/handle.h"

/* Questions that may be outstanding: who asks for more waits for a fence. */
enum { MOST_PROMISES = 256 };

struct promise {
  struct cwi_pending pending;
  struct cwi_question question;
  uint32_t updates;    /* of the node, before the question */
  unsigned long bulks; /* before it */
  bool late;           /* there are some: what becomes of them the node can tell only then */
  bool asked;          /* there is a question, and its answer has not been looked at */
  bool judged;         /* somebody has heard how it went */
  uint32_t heard;      /* of refusals of the node, by who has made this */
};

/* Of each origin; its lock guards this. */
static struct {
  struct cwi_spare *spare CWI_OF_ORIGIN;
  int outstanding;
} books[CWI_ORIGINS];

/* The first thread that finds the answer gives its tag back. */
static cw_error answered(struct promise *promise)
{
  const struct cwi_question *question = &promise->question;
  if (!promise->asked)
    return CW_OK;
  promise->asked = false;
  books[cwi_origin].outstanding--;
  cwi_tag_give(question->tag);
  CWI_TRY(cwi_fence_judge(question));
  cwi_updates_answered(question->node, promise->updates, question->answer.batch);
  return CW_OK;
}

/* What was refused may have been told to another thread's fence: whose promise this is hears of it
 * nevertheless. The first that finds this complete tells it (transfer/handle.h). */
static cw_error judge(struct promise *promise)
{
  if (promise->judged)
    return CW_OK;
  promise->judged = true;
  CWI_TRY(answered(promise));
  return cwi_updates_judge_since(promise->question.node, promise->heard);
}

static cw_error look_or_wait(struct promise *promise, bool wait, bool *come)
{
  if (!wait)
    return cwi_arrival_look(&promise->question.reply, come);
  const cw_error error = cwi_await_unlocked(&promise->question.reply, promise->question.node);
  *come = error == CW_OK;
  return error;
}

/* The packet that holds the updates takes it along. */
static cw_error ask(struct promise *promise, int node)
{
  struct cwi_request request = {.operation = CWI_WIRE_FENCE};
  promise->updates = cwi_updates_count(node);
  const cw_error error =
      cwi_question_send(&promise->question, node, &request, (struct cwi_operands){NULL, NULL});
  promise->asked = error == CW_OK;
  books[cwi_origin].outstanding += promise->asked;
  return error;
}

/* Bulk updates that were refused are open when they have come. */
static cw_error ask_late(struct promise *promise)
{
  const int node = promise->question.node;
  if (!promise->late)
    return CW_OK;
  if (cwi_updates_open(node))
    CWI_TRY(ask(promise, node));
  promise->late = false;
  return CW_OK;
}

/* Not done where MPI fails: it may still write into the question. */
static cw_error complete(struct cwi_pending *pending, bool wait, bool *done)
{
  struct promise *promise = (struct promise *)pending;
  bool come = false;
  *done = false;
  CWI_TRY(cwi_bulk_come(pending->process, promise->bulks, wait, &come));
  if (!come)
    return CW_OK;
  CWI_TRY(ask_late(promise));
  come = !promise->asked;
  if (!come)
    CWI_TRY(look_or_wait(promise, wait, &come));
  *done = come;
  return come ? judge(promise) : CW_OK;
}

static void release(struct cwi_pending *pending)
{
  cwi_spare_give(&books[cwi_origin].spare, pending);
}

/* A handle without room: wait here. */
static cw_error attach(struct promise *promise, cw_handle *handle)
{
  bool done = false;
  if (cwi_handle_attach(handle, &promise->pending) == CW_OK)
    return CW_OK;
  const cw_error error = complete(&promise->pending, true, &done);
  if (done)
    release(&promise->pending);
  return error;
}

static cw_error make(int process, cw_handle *handle)
{
  const int node = cwi_world.node_of[process];
  const bool many = books[cwi_origin].outstanding >= MOST_PROMISES;
  struct promise *promise = many ? NULL : cwi_spare_take(&books[cwi_origin].spare, sizeof *promise);
  if (promise == NULL)
    return cwi_fence_node(node);
  *promise =
      (struct promise){.pending = {.process = process, .complete = complete, .release = release},
                       .question = {.node = node},
                       .bulks = cwi_bulk_count(),
                       .heard = cwi_updates_heard(node)};
  bool come = true;
  cw_error error = cwi_bulk_come(process, promise->bulks, false, &come);
  promise->late = !come;
  if (error == CW_OK && !promise->late && cwi_updates_open(node))
    error = ask(promise, node);
  if (error != CW_OK) {
    release(&promise->pending);
    return error;
  }
  return attach(promise, handle);
}

cw_error cwi_server_promise(int process, cw_handle *handle)
{
  if (cwi_same_node(process))
    return CW_OK;
  cwi_origin_lock();
  const cw_error error = make(process, handle);
  cwi_origin_unlock();
  return error;
}

void cwi_promises_stop(void)
{
  cwi_spare_free(&books[cwi_origin].spare);
}
