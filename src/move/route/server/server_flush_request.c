/* Flush requests, for views. A fence follows the updates, in the same message if they are still in
 * the packet. A wait on the handle waits for the answer to the fence. */
#include "route/server/server_route.h"

#include "route/server/bulk_transfer.h"
#include "route/server/outbox.h"
#include "route/server/pending_request.h"
#include "route/server/server_fence.h"
#include "route/server/unfenced_updates.h"
#include "team/world.h"

/* Upper bound on outstanding flush requests. Beyond it, the call fences the node at once. */
enum { MOST_FLUSH_REQUESTS = 256 };

struct flush_request {
  struct cwi_pending_request pending_request; /* its query is sent only if updates are open */
  int process;
  uint64_t updates;    /* updates of the node before the query */
  unsigned long bulks; /* bulk transfers before the flush request */
  bool late; /* the query has not been sent yet: earlier bulk updates must arrive first, because the
                server knows their errors only then */
  bool is_checked;      /* a waiter has taken the result */
  uint64_t errors_seen; /* errors of the node that the creating thread had seen */
};

/* Sends the fence in the packet that holds the updates. If the caller does not wait, it may compute
 * next, so this waits until the message can leave without it. If the tag is not 0 after an error,
 * the fence has been sent nevertheless and will be answered. */
static cw_error flush_request_send(struct flush_request *flush_request, bool wait)
{
  struct cwi_server_query *query = &flush_request->pending_request.query;
  struct cwi_request request = {.operation = CWI_WIRE_FENCE};
  flush_request->updates = cwi_updates_count(query->node);
  cw_error error =
      cwi_server_query_send(query, query->node, &request, (struct cwi_operands){NULL, NULL});
  if (error != CW_OK)
    query->tag = 0;
  else if (!wait)
    error = cwi_outbox_send(query->node);
  return error;
}

/* Waits for the earlier bulk updates, or polls them. Once they have arrived, sends the fence if
 * updates of the node are open. A rejected bulk update has reopened the node's updates by then. */
static cw_error flush_request_ready(struct cwi_pending_request *pending_request, bool wait,
                                    bool *ready)
{
  struct flush_request *flush_request = (struct flush_request *)pending_request;
  if (!flush_request->late)
    return CW_OK;
  CWI_TRY(cwi_bulk_have_arrived(flush_request->process, flush_request->bulks, wait, ready));
  const bool needs_answer =
      *ready && flush_request->late && cwi_updates_open(pending_request->query.node);
  const cw_error error = needs_answer ? flush_request_send(flush_request, wait) : CW_OK;
  flush_request->late = !*ready || (error != CW_OK && pending_request->query.tag == 0);
  return error;
}

/* Returns the result once, to the first waiter that finds this request complete
 * (transfer/handle.h). Even if a fence of another thread has already reported the errors, the
 * creator of this request receives them. */
static cw_error flush_request_outcome(struct cwi_pending_request *pending_request)
{
  struct flush_request *flush_request = (struct flush_request *)pending_request;
  const struct cwi_server_query *query = &pending_request->query;
  if (flush_request->is_checked)
    return CW_OK;
  flush_request->is_checked = true;
  if (query->tag != 0) {
    CWI_TRY(cwi_server_fence_error(query));
    cwi_updates_answered(query->node, flush_request->updates, query->answer.error_batch);
  }
  return cwi_updates_error_since(query->node, flush_request->errors_seen);
}

static struct cwi_pending_requests flush_request_lists[CWI_ORIGINS];
static const struct cwi_pending_request_kind flush_request_kind = {
    .lists = flush_request_lists,
    .bytes = sizeof(struct flush_request),
    .most = MOST_FLUSH_REQUESTS,
    .ready = flush_request_ready,
    .outcome = flush_request_outcome};

void cwi_server_flush_requests_stop(void)
{
  cwi_pending_requests_stop(&flush_request_kind);
}

/* Makes a flush request. If too many are outstanding, or there is no memory, fences the node at
 * once. */
static cw_error flush_request_make(int process, cw_handle *handle)
{
  const int node = cwi_world.node_of[process];
  const bool many = cwi_pending_requests(&flush_request_kind)->outstanding >= MOST_FLUSH_REQUESTS;
  struct flush_request *flush_request =
      many ? NULL : cwi_pending_request_take(&flush_request_kind, node);
  struct cwi_waiters waiters = {NULL, NULL};
  bool ready = true;
  if (flush_request == NULL)
    return cwi_fence_node(node);
  flush_request->process = process;
  flush_request->bulks = cwi_bulk_count();
  flush_request->late = true;
  flush_request->is_checked = false;
  flush_request->errors_seen = cwi_updates_errors_seen(node);
  struct cwi_first_error first;
  cwi_first_begin(&first, flush_request_ready(&flush_request->pending_request, false, &ready));
  if (first.error != CW_OK && flush_request->pending_request.query.tag == 0) {
    cwi_pending_request_release(&flush_request->pending_request);
    return cwi_first_return(&first);
  }
  cwi_pending_request_begin(&flush_request->pending_request);
  cwi_first_note(&first, cwi_waiters_add(&waiters, &flush_request->pending_request, process));
  return cwi_waiters_leave(&waiters, cwi_first_return(&first), false, handle);
}

cw_error cwi_server_flush_request(int process, cw_handle *handle)
{
  if (cwi_same_node(process))
    return CW_OK;
  cwi_origin_lock();
  const cw_error error = flush_request_make(process, handle);
  cwi_origin_unlock();
  return error;
}
