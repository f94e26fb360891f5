/* The rma route: MPI one-sided operations. Needs no shared memory and no agent at the target. */
#include "route/rma/rma.h"

#include "route/rma/dynamic_window.h"
#include "route/rma/pack_buffer.h"

static cw_error rma_locate(int process, const void *address, size_t bytes,
                           struct cwi_location *place)
{
  if (CWI_UNLIKELY(place->memory != NULL))
    return cwi_memory_handle_holds(place->memory, address, bytes);
  return CWI_LIKELY(cwi_slice_index_find(process, address, bytes, place))
             ? CW_OK
             : cwi_address_misuse(process, address, bytes);
}

static cw_error rma_notify(const struct cwi_update *add)
{
  CWI_TRY(cwi_targets_fence(add->process));
  return cwi_rma_update(add, true, NULL);
}

cw_error cwi_rma_start(bool handles)
{
  CWI_TRY(cwi_targets_start());
  return handles ? cwi_dynamic_start() : CW_OK;
}

cw_error cwi_rma_stop(void)
{
  return cwi_dynamic_stop();
}

void cwi_rma_forget(void)
{
  cwi_rma_flush_requests_stop();
  cwi_dynamic_forget();
  cwi_started_stop();
  cwi_buffers_stop();
  cwi_targets_forget();
}

const struct cwi_route cwi_route_rma = {.name = "rma",
                                        .where = CWI_BY_RMA,
                                        .locate = rma_locate,
                                        .start = cwi_rma_transfer,
                                        .update = cwi_rma_update,
                                        .notify = rma_notify,
                                        .fence = cwi_targets_fence,
                                        .fence_all = cwi_targets_fence_all,
                                        .flush_request = cwi_rma_flush_request};
