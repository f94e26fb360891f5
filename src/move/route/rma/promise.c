/* Requests for remote completion, for views: MPI has no such request, so that who asks for it
 * flushes. */
#include "base/spare.h"
#include "mpi/call.h"
#include "route/rma/rma.h"

static struct cwi_spare *spare;

/* As for local completion: a flush cannot be tested for. */
static cw_error rma_promise_complete(struct cwi_pending *pending, bool wait, bool *done)
{
  (void)wait;
  *done = true;
  return cwi_targets_fence(pending->process);
}

static void rma_promise_release(struct cwi_pending *pending)
{
  cwi_spare_give(&spare, pending);
}

static cw_error rma_promise_attach(int process, cw_handle *handle)
{
  struct cwi_pending *pending = cwi_spare_take(&spare, sizeof *pending);
  if (pending == NULL)
    return cwi_targets_fence(process);
  *pending = (struct cwi_pending){
      .process = process, .complete = rma_promise_complete, .release = rma_promise_release};
  if (cwi_handle_attach(handle, pending) == CW_OK)
    return CW_OK;
  rma_promise_release(pending);
  return cwi_targets_fence(process);
}

cw_error cwi_rma_promise(int process, cw_handle *handle)
{
  cwi_threads_lock();
  const cw_error error = rma_promise_attach(process, handle);
  cwi_threads_unlock();
  return error;
}

void cwi_promised_stop(void)
{
  cwi_spare_free(&spare);
}
