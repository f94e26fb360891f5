/* Atomic updates through views: accumulate, get-accumulate, fetch-and-op, compare-and-swap. */
#include "base/operation_counts.h"
#include "profile/profile.h"
#include "route/memory_handle_calls.h"
#include "route/route.h"
#include "view/view.h"

#include <string.h>

static cw_error start_here(cw_view view, struct cwi_update *update, enum cwi_completion until,
                           cw_handle *handle)
{
  CWI_TRY(cwi_handle_claim(handle));
  if (view->ordered)
    CWI_TRY(
        cwi_routes_order(update->process, update->operation == CW_NO_OP ? CW_GET : CW_ACCUMULATE));
  CWI_TRY(view->named != NULL
              ? cwi_memory_handle_update(&view->named->memory, update, false, handle)
              : cwi_start_update(update, false, handle));
  /* The result of an update that a server has made shows that the update is remotely complete. */
  return until == CWI_LOCALLY || cwi_routes_served()
             ? CW_OK
             : cwi_routes_flush_request(update->process, handle);
}

/* Checks an update, and starts it with the view's origin and settings. */
static cw_error update_through(cw_view view, struct cwi_update *update, enum cwi_completion until,
                               cw_handle *handle)
{
  uint32_t before = 0;
  size_t bytes = 0;
  CWI_TRY(cwi_view_check(view));
  CWI_TRY(cwi_update_check(update->operation, update->type));
  CWI_TRY(cwi_check_process(update->process));
  if (update->count == 0)
    return CW_OK;
  CWI_TRY(cwi_elements_bytes(update->count, update->type, &bytes));
  CWI_TRY(cwi_view_holds(view, update->process, update->remote, bytes));
  CWI_TRY(cwi_view_allows(view, update->operation, update->type, update->count));
  CWI_TRY(cwi_view_enter(view, &before));
  update->locked = view->intrinsic == 0;
  const cw_error error = start_here(view, update, until, handle);
  cwi_origin_enter(before);
  return error;
}

/* --- One element ------------------------------------------------------------------------------ */

/* Returns true if one element of a node peer can be updated at once. If the view has assertions,
 * the caller uses an atomic instruction; otherwise it takes the lock of accumulates. */
static inline __attribute__((always_inline)) bool
may_update(cw_view view, int operation, cw_type type, const void *remote, int process)
{
  if (CWI_UNLIKELY(!cwi_update_is_defined(operation, type) || cwi_type_is_wide(type)))
    return false;
  const size_t bytes = cwi_type_bytes[type];
  return cwi_view_is_near(view, process, remote, bytes) && (uintptr_t)remote % bytes == 0 &&
         (view->intrinsic != 0 ? !view->checked : cwi_ready.atomics);
}

/* Updates one element at once, with the lock of accumulates. */
static cw_error update_locked(struct cwi_update *update, const void *operand, const void *expected)
{
  cwi_update_give(update, operand, expected);
  update->locked = true;
  cwi_direct_update(update);
  cwi_route_progress_sometimes();
  return CW_OK;
}

static cw_error update_one(cw_view view, struct cwi_update *update, const void *operand,
                           const void *expected)
{
  CWI_PROFILED(CW_CALL_RMW);
  CWI_TRY(cwi_update_check(update->operation, update->type));
  if (update->operation != CW_NO_OP)
    CWI_TRY(cwi_check_not_null("operand", operand));
  cwi_update_give(update, operand, expected);
  return update_through(view, update, CWI_LOCALLY, NULL);
}

static cw_error fetch_op(cw_view view, struct cwi_update *update, const void *operand)
{
  CWI_TRY(cwi_reduction_check((cw_reduction)update->operation, update->type));
  return update_one(view, update, operand, NULL);
}

cw_error cw_view_fetch_op(cw_view view, cw_type type, cw_reduction op, const void *operand,
                          void *remote, int process, void *before)
{
  const bool near = (operand != NULL || op == CW_NO_OP) && (int)op != CWI_COMPARE_SWAP &&
                    may_update(view, (int)op, type, remote, process);
  if (CWI_LIKELY(near && view->intrinsic != 0)) {
    if (CWI_UNLIKELY(op == CW_NO_OP &&
                     view->ordered)) /* The operation is a load, which the processor may execute
                                        before an earlier store. */
      __atomic_thread_fence(__ATOMIC_SEQ_CST);
    cwi_atomic_kernel_of(op, type)(remote, operand, before, 1);
    cwi_route_progress_sometimes();
    return CW_OK;
  }
  struct cwi_update update = {
      .operation = (int)op, .type = type, .process = process, .remote = remote, .before = before};
  if (near)
    return update_locked(&update, operand, NULL);
  return cwi_in_call("cw_view_fetch_op", fetch_op(view, &update, operand));
}

static cw_error compare_swap(cw_view view, struct cwi_update *update, const void *value,
                             const void *expected)
{
  CWI_TRY(cwi_check_not_null("expected", expected));
  CWI_TRY(cwi_check_not_null("value", value));
  return update_one(view, update, value, expected);
}

cw_error cw_view_compare_swap(cw_view view, cw_type type, const void *expected, const void *value,
                              void *remote, int process, void *before)
{
  const bool near = expected != NULL && value != NULL &&
                    may_update(view, CWI_COMPARE_SWAP, type, remote, process);
  if (CWI_LIKELY(near && view->intrinsic != 0)) {
    cwi_atomic_compare_swap(remote, expected, value, before, cwi_type_bytes[type]);
    cwi_route_progress_sometimes();
    return CW_OK;
  }
  struct cwi_update update = {.operation = CWI_COMPARE_SWAP,
                              .type = type,
                              .process = process,
                              .remote = remote,
                              .before = before};
  if (near)
    return update_locked(&update, value, expected);
  return cwi_in_call("cw_view_compare_swap", compare_swap(view, &update, value, expected));
}

/* --- Several elements ------------------------------------------------------------------------- */

static cw_error view_accumulate(cw_view view, const struct cwi_elements *elements,
                                enum cwi_completion until, cw_handle *handle)
{
  size_t bytes = 0;
  CWI_TRY(cwi_reduction_check(elements->op, elements->type));
  CWI_TRY(cwi_elements_bytes(elements->count, elements->type, &bytes));
  cw_transfer transfer = cw_contiguous(CW_ACCUMULATE, (void *)(uintptr_t)elements->local,
                                       elements->remote, bytes, elements->process);
  transfer.reduction = elements->op;
  transfer.type = elements->type;
  return cwi_view_start(view, &transfer, until, handle);
}

static cw_error get_accumulate(cw_view view, const struct cwi_elements *elements, void *before,
                               enum cwi_completion until, cw_handle *handle)
{
  struct cwi_update update = {.operation = (int)elements->op,
                              .type = elements->type,
                              .process = elements->process,
                              .remote = elements->remote,
                              .count = elements->count,
                              .local = elements->local,
                              .before = before};
  CWI_TRY(cwi_reduction_check(elements->op, elements->type));
  if (elements->count > 0 && elements->op != CW_NO_OP)
    CWI_TRY(cwi_check_not_null("local", elements->local));
  if (elements->count == 1 && elements->local != NULL)
    memcpy(update.operand.bytes, elements->local, cwi_type_bytes[elements->type]);
  return update_through(view, &update, until, handle);
}

cw_error cwi_view_accumulate(cw_view view, const struct cwi_elements *elements)
{
  CWI_PROFILED(CW_CALL_ACCUMULATE);
  return view_accumulate(view, elements, CWI_LOCALLY, NULL);
}

static cw_error request_accumulate(cw_view view, const struct cwi_elements *elements,
                                   enum cwi_completion until, cw_handle *handle)
{
  CWI_TRY(cwi_view_check_request(handle));
  return view_accumulate(view, elements, until, handle);
}

static cw_error request_get_accumulate(cw_view view, const struct cwi_elements *elements,
                                       void *before, enum cwi_completion until, cw_handle *handle)
{
  CWI_TRY(cwi_view_check_request(handle));
  return get_accumulate(view, elements, before, until, handle);
}

/* Accumulates at a node peer at once. The operation must be a sum, as in cw_accumulate, or the view
 * must have assertions. Returns false otherwise; the caller then takes the slow path. */
static inline bool add_near(cw_view view, const struct cwi_elements *elements)
{
  const cw_type type = elements->type;
  if ((int)elements->op == CWI_COMPARE_SWAP || !cwi_update_is_defined((int)elements->op, type) ||
      cwi_type_is_wide(type) || elements->count - 1 >= (size_t)1 << 31 || elements->local == NULL)
    return false;
  const size_t element = cwi_type_bytes[type], bytes = elements->count * element;
  if (!cwi_view_is_near(view, elements->process, elements->remote, bytes))
    return false;
  if (view->intrinsic != 0 && !view->checked && (uintptr_t)elements->remote % element == 0)
    cwi_atomic_kernel_of(elements->op, type)(elements->remote, elements->local, NULL,
                                             elements->count);
  else if (view->intrinsic == 0 && cwi_ready.atomics && elements->op == CW_SUM && type < CW_TYPES)
    cwi_direct_accumulate(type, NULL, elements->local, elements->remote, bytes);
  else
    return false;
  cwi_route_progress_sometimes();
  return true;
}

cw_error cw_view_accumulate(cw_view view, cw_type type, cw_reduction op, const void *local,
                            void *remote, size_t count, int process)
{
  const struct cwi_elements elements = {op, type, local, remote, count, process};
  if (CWI_LIKELY(add_near(view, &elements)))
    return CW_OK;
  return cwi_in_call("cw_view_accumulate", cwi_view_accumulate(view, &elements));
}

cw_error cw_view_get_accumulate(cw_view view, cw_type type, cw_reduction op, const void *local,
                                void *before, void *remote, size_t count, int process)
{
  CWI_PROFILED(CW_CALL_RMW);
  const struct cwi_elements elements = {op, type, local, remote, count, process};
  return cwi_in_call("cw_view_get_accumulate",
                     get_accumulate(view, &elements, before, CWI_LOCALLY, NULL));
}

cw_error cw_view_raccumulate(cw_view view, cw_type type, cw_reduction op, const void *local,
                             void *remote, size_t count, int process, cw_handle *handle)
{
  CWI_PROFILED(CW_CALL_ACCUMULATE);
  const struct cwi_elements elements = {op, type, local, remote, count, process};
  return cwi_in_call("cw_view_raccumulate",
                     request_accumulate(view, &elements, CWI_LOCALLY, handle));
}

cw_error cw_view_rraccumulate(cw_view view, cw_type type, cw_reduction op, const void *local,
                              void *remote, size_t count, int process, cw_handle *handle)
{
  CWI_PROFILED(CW_CALL_ACCUMULATE);
  const struct cwi_elements elements = {op, type, local, remote, count, process};
  return cwi_in_call("cw_view_rraccumulate",
                     request_accumulate(view, &elements, CWI_REMOTELY, handle));
}

cw_error cw_view_rget_accumulate(cw_view view, cw_type type, cw_reduction op, const void *local,
                                 void *before, void *remote, size_t count, int process,
                                 cw_handle *handle)
{
  CWI_PROFILED(CW_CALL_RMW);
  const struct cwi_elements elements = {op, type, local, remote, count, process};
  return cwi_in_call("cw_view_rget_accumulate",
                     request_get_accumulate(view, &elements, before, CWI_LOCALLY, handle));
}

cw_error cw_view_rrget_accumulate(cw_view view, cw_type type, cw_reduction op, const void *local,
                                  void *before, void *remote, size_t count, int process,
                                  cw_handle *handle)
{
  CWI_PROFILED(CW_CALL_RMW);
  const struct cwi_elements elements = {op, type, local, remote, count, process};
  return cwi_in_call("cw_view_rrget_accumulate",
                     request_get_accumulate(view, &elements, before, CWI_REMOTELY, handle));
}
