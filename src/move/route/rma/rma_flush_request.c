/* Flush requests, for views. MPI has no such request, so the thread that waits or tests flushes. */
#include "base/free_list.h"
#include "mpi/mpi_progress.h"
#include "route/rma/rma.h"

static struct cwi_free_list *spare;

/* Flushes even if called by a test: MPI has no test for a flush. */
static cw_error rma_flush_request_complete(struct cwi_pending *pending, bool wait, bool *done)
{
  (void)wait;
  *done = true;
  return cwi_targets_fence(pending->process);
}

static void rma_flush_request_release(struct cwi_pending *pending)
{
  cwi_free_list_give(&spare, pending);
}

static cw_error rma_flush_request_attach(int process, cw_handle *handle)
{
  struct cwi_pending *pending = cwi_free_list_take(&spare, sizeof *pending);
  if (pending == NULL)
    return cwi_targets_fence(process);
  *pending = (struct cwi_pending){.process = process,
                                  .complete = rma_flush_request_complete,
                                  .release = rma_flush_request_release};
  if (cwi_handle_attach(handle, pending) == CW_OK)
    return CW_OK;
  rma_flush_request_release(pending);
  return cwi_targets_fence(process);
}

cw_error cwi_rma_flush_request(int process, cw_handle *handle)
{
  cwi_threads_lock();
  const cw_error error = rma_flush_request_attach(process, handle);
  cwi_threads_unlock();
  return error;
}

void cwi_rma_flush_requests_stop(void)
{
  cwi_free_list_free(&spare);
}
