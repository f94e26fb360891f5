/* Transfers through views, and their completion. */
#include "base/memory_order.h"
#include "base/operation_counts.h"
#include "base/size.h"
#include "profile/profile.h"
#include "route/memory_handle_calls.h"
#include "route/route.h"
#include "view/view.h"

/* Returns the number of vectors of a list. Returns 0 if no memory could hold that many; the
 * transfer is rejected later in that case. */
static size_t readable_vectors(const cw_transfer *transfer)
{
  return cwi_is_possible(transfer->vector_count, sizeof *transfer->vectors) ? transfer->vector_count
                                                                            : 0;
}

/* Checks that each segment of a list is inside the view's memory. */
static cw_error check_vectors(cw_view view, const cw_transfer *transfer)
{
  for (size_t v = 0; v < readable_vectors(transfer); v++) {
    const cw_vector *vector = &transfer->vectors[v];
    if (vector->bytes == 0 || vector->remote == NULL ||
        !cwi_is_possible(vector->count, sizeof *vector->remote))
      continue;
    for (size_t i = 0; i < vector->count; i++)
      CWI_TRY(cwi_view_holds(view, transfer->process, vector->remote[i], vector->bytes));
  }
  return CW_OK;
}

static bool is_empty(const cw_transfer *transfer)
{
  bool empty = transfer->bytes == 0;
  const bool is_strided = transfer->counts != NULL && transfer->levels <= CW_MAX_LEVELS;
  for (int level = 0; is_strided && level < transfer->levels; level++)
    empty = empty || transfer->counts[level] == 0;
  return empty;
}

/* Checks that a transfer is inside the view's memory. Of a strided transfer, only the first run is
 * checked here. If another run is outside the slice, the route rejects the transfer later. */
static cw_error check_place(cw_view view, const cw_transfer *transfer)
{
  CWI_TRY(cwi_check_not_null("transfer", transfer));
  CWI_TRY(cwi_check_process(transfer->process));
  if (transfer->vectors != NULL)
    return check_vectors(view, transfer);
  return is_empty(transfer)
             ? CW_OK
             : cwi_view_holds(view, transfer->process, transfer->remote, transfer->bytes);
}

/* Starts the transfer on the view's memory. All transfers of views pass through here. If the
 * program has asserted the view's operations, accumulates are lock-free: each element is updated by
 * an atomic instruction. */
static cw_error start_on(cw_view view, const cw_transfer *given, cw_handle *handle)
{
  if (view->named != NULL)
    return cwi_memory_handle_start(&view->named->memory, given, false, handle);
  if (CWI_LIKELY(given->operation != CW_ACCUMULATE || view->intrinsic == 0))
    return cwi_start_transfer(given, false, handle);
  cw_transfer transfer = *given;
  transfer.lock_free = true;
  return cwi_start_transfer(&transfer, false, handle);
}

/* Checks an accumulate against what the program has asserted about the view. For a list, checks
 * each vector. */
static cw_error check_asserted(cw_view view, const cw_transfer *transfer)
{
  const int operation = (int)transfer->reduction;
  if (CWI_LIKELY(!view->checked || transfer->operation != CW_ACCUMULATE))
    return CW_OK;
  CWI_TRY(cwi_update_check(operation, transfer->type));
  const size_t element = cwi_type_bytes[transfer->type];
  if (transfer->vectors == NULL)
    return cwi_view_allows(view, operation, transfer->type, transfer->bytes / element);
  for (size_t v = 0; v < readable_vectors(transfer); v++)
    CWI_TRY(cwi_view_allows(view, operation, transfer->type, transfer->vectors[v].bytes / element));
  return CW_OK;
}

/* Starts an operation whose handle waits for remote completion. The operation is aggregated, so
 * that the flush request is sent in the same packet. */
static cw_error start_remotely(cw_view view, const cw_transfer *transfer, cw_handle *handle)
{
  const bool aggregates = cwi_handle_aggregates(handle);
  CWI_TRY(cw_handle_set_aggregate(handle, true));
  const cw_error error = start_on(view, transfer, handle);
  CWI_TRY(cw_handle_set_aggregate(handle, aggregates));
  return error != CW_OK ? error : cwi_routes_flush_request(transfer->process, handle);
}

static cw_error start_here(cw_view view, const cw_transfer *transfer, enum cwi_completion until,
                           cw_handle *handle)
{
  CWI_TRY(cwi_handle_claim(handle));
  if (view->ordered)
    CWI_TRY(cwi_routes_order(transfer->process, transfer->operation));
  return until == CWI_REMOTELY ? start_remotely(view, transfer, handle)
                               : start_on(view, transfer, handle);
}

cw_error cwi_view_start(cw_view view, const cw_transfer *transfer, enum cwi_completion until,
                        cw_handle *handle)
{
  CWI_PROFILED(cwi_class_of_transfer(transfer));
  uint32_t before = 0;
  CWI_TRY(cwi_view_check(view));
  CWI_TRY(check_place(view, transfer));
  CWI_TRY(check_asserted(view, transfer));
  CWI_TRY(cwi_view_enter(view, &before));
  const cw_error error = start_here(view, transfer, until, handle);
  cwi_origin_enter(before);
  return error;
}

cw_error cw_view_start(cw_view view, const cw_transfer *transfer, cw_handle *handle)
{
  CWI_TRY(cwi_in_call("cw_view_start", cwi_handle_check(handle)));
  return cwi_in_call("cw_view_start", cwi_view_start(view, transfer, CWI_LOCALLY, handle));
}

/* --- Put and get ------------------------------------------------------------------------------ */

/* Returns true if bytes of a node peer can be moved at once, as in route/transfer_calls.c. No
 * lookup of the slice is needed here, because the view has it. */
static inline __attribute__((always_inline)) bool
may_move(cw_view view, int process, const void *local, const void *remote, size_t bytes)
{
  return cwi_view_is_near(view, process, remote, bytes) && local != NULL;
}

static __attribute__((noinline, cold)) cw_error move_slowly(const char *call, cw_view view,
                                                            const cw_transfer *transfer)
{
  return cwi_in_call(call, cwi_view_start(view, transfer, CWI_LOCALLY, NULL));
}

cw_error cw_view_put(cw_view view, const void *local, void *remote, size_t bytes, int process)
{
  if (CWI_LIKELY(may_move(view, process, local, remote, bytes))) {
    cwi_release();
    cwi_route_move(remote, local, bytes);
    return CW_OK;
  }
  const cw_transfer transfer =
      cw_contiguous(CW_PUT, (void *)(uintptr_t)local, remote, bytes, process);
  return move_slowly("cw_view_put", view, &transfer);
}

cw_error cw_view_get(cw_view view, void *local, const void *remote, size_t bytes, int process)
{
  if (CWI_LIKELY(may_move(view, process, local, remote, bytes))) {
    if (view->ordered)
      __atomic_thread_fence(__ATOMIC_SEQ_CST);
    cwi_route_move(local, remote, bytes);
    cwi_acquire();
    return CW_OK;
  }
  const cw_transfer transfer =
      cw_contiguous(CW_GET, local, (void *)(uintptr_t)remote, bytes, process);
  return move_slowly("cw_view_get", view, &transfer);
}

/* --- Completion ------------------------------------------------------------------------------- */

/* Flushes to one process, or to all if `process` is -1. */
static cw_error view_flush(cw_view view, int process, bool remotely)
{
  uint32_t before = 0;
  CWI_TRY(cwi_view_enter(view, &before));
  const cw_error error = cwi_view_finish(process, remotely);
  cwi_origin_enter(before);
  return error;
}

static cw_error flush_one(cw_view view, int process, bool remotely)
{
  CWI_PROFILED(CW_CALL_FLUSH);
  struct cwi_slice slice;
  CWI_TRY(cwi_view_check(view));
  CWI_TRY(cwi_view_slice(view, process, &slice));
  if (CWI_UNLIKELY(cwi_settings.stats) && remotely)
    cwi_count(CWI_COUNT_FENCE, cwi_fence_where(process), 0);
  return view_flush(view, process, remotely);
}

static cw_error flush_many(cw_view view, bool remotely)
{
  CWI_PROFILED(CW_CALL_FLUSH);
  CWI_TRY(cwi_view_check(view));
  if (CWI_UNLIKELY(cwi_settings.stats) && remotely)
    cwi_count(CWI_COUNT_FENCE, cwi_fence_all_where(), 0);
  return view_flush(view, -1, remotely);
}

/* Returns true if all operations to a process are complete. They are if the process is a node peer
 * and no operation to it is pending on a route other than `direct`. */
static inline bool view_is_idle(cw_view view, int process)
{
  return cwi_is_unobserved() && (unsigned)process < (unsigned)cwi_world.processes &&
         cwi_is_ready(process) && cwi_view_is_good(view) && view->whole;
}

cw_error cw_view_flush(cw_view view, int process)
{
  if (CWI_LIKELY(view_is_idle(view, process))) {
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    return CW_OK;
  }
  return cwi_in_call("cw_view_flush", flush_one(view, process, true));
}

cw_error cw_view_flush_all(cw_view view)
{
  return cwi_in_call("cw_view_flush_all", flush_many(view, true));
}

cw_error cw_view_flush_local(cw_view view, int process)
{
  if (CWI_LIKELY(view_is_idle(view, process)))
    return CW_OK;
  return cwi_in_call("cw_view_flush_local", flush_one(view, process, false));
}

cw_error cw_view_flush_local_all(cw_view view)
{
  return cwi_in_call("cw_view_flush_local_all", flush_many(view, false));
}
