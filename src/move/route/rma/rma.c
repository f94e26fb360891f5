/* The rma route: MPI one-sided operations. Needs no shared memory and no agent at the target. */
#include "route/rma/rma.h"

#include "mpi/origin.h"
#include "region/slice_index.h"
#include "route/rma/dynamic_window.h"
#include "route/rma/pack_buffer.h"
#include "route/rma/rma_probe.h"

static struct cwi_probe probe;

const struct cwi_probe *cwi_probe_result(void)
{
  return &probe;
}

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

/* Without servers, the route is used if there are several nodes. With servers and CW_ROUTE=auto, it
 * is used if MPI's one-sided operations progress without the target. With CW_ROUTE=rma it is always
 * used. */
static cw_error rma_open(bool *used)
{
  *used = cwi_settings.route == CWI_ROUTE_RMA || (cwi_world.nodes > 1 && !cwi_ready.served);
  if (cwi_ready.served && cwi_settings.route == CWI_ROUTE_AUTO) {
    CWI_TRY(cwi_probe_progress(&probe));
    *used = probe.progresses;
  }
  if (!*used)
    return CW_OK;
  cwi_ready.atomics = cwi_ready.served;
  CWI_TRY(cwi_targets_start());
  return cwi_ready.served ? CW_OK : cwi_dynamic_start();
}

static void rma_forget(void)
{
  cwi_rma_flush_requests_stop();
  cwi_dynamic_forget();
  cwi_started_stop();
  cwi_buffers_stop();
  cwi_targets_forget();
}

/* If nodes have servers, MPI moves contiguous transfers; servers execute updates and everything
 * that has to be packed. */
static enum cwi_route_reach rma_reaches(int process, enum cwi_route_use use)
{
  if (cwi_ready.served)
    return use == CWI_HOST_TRANSFER ? CWI_REACH_SOME : CWI_REACH_NONE;
  if (use >= CWI_DEVICE_TRANSFER ||
      (use == CWI_HANDLE_TRANSFER && cwi_route_direct_reaches(process)))
    return CWI_REACH_NONE;
  return CWI_REACH_ALL;
}

/* Returns true if MPI can move the transfer: one contiguous run, in a region that has a window
 * here. Regions of teams that I am not a member of have none. MPI's flushes cover the whole
 * process, so threads with origins of their own use the servers. */
static bool rma_carries(int process, const void *remote, const cw_transfer *transfer,
                        struct cwi_location *place)
{
  return cwi_origin == 0 && transfer->vectors == NULL && transfer->levels == 0 &&
         cwi_slice_index_at(process, remote, place) && place->slice->chunk != NULL;
}

const struct cwi_route cwi_route_rma = {.name = "rma",
                                        .where = CWI_BY_RMA,
                                        .open = rma_open,
                                        .close = cwi_dynamic_stop,
                                        .forget = rma_forget,
                                        .reaches = rma_reaches,
                                        .carries = rma_carries,
                                        .locate = rma_locate,
                                        .start = cwi_rma_transfer,
                                        .update = cwi_rma_update,
                                        .notify = rma_notify,
                                        .fence = cwi_targets_fence,
                                        .flush_request = cwi_rma_flush_request};
