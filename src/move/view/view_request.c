/* Operations of views with requests, and with notifications. */
#include "profile/profile.h"
#include "route/route.h"
#include "sync/notification.h"
#include "view/view.h"

static cw_error start_request(cw_view view, const cw_transfer *transfer, enum cwi_completion until,
                              cw_handle *handle)
{
  CWI_TRY(cwi_view_check_request(handle));
  return cwi_view_start(view, transfer, until, handle);
}

cw_error cw_view_rput(cw_view view, const void *local, void *remote, size_t bytes, int process,
                      cw_handle *handle)
{
  const cw_transfer transfer =
      cw_contiguous(CW_PUT, (void *)(uintptr_t)local, remote, bytes, process);
  return cwi_in_call("cw_view_rput", start_request(view, &transfer, CWI_LOCALLY, handle));
}

cw_error cw_view_rget(cw_view view, void *local, const void *remote, size_t bytes, int process,
                      cw_handle *handle)
{
  const cw_transfer transfer =
      cw_contiguous(CW_GET, local, (void *)(uintptr_t)remote, bytes, process);
  return cwi_in_call("cw_view_rget", start_request(view, &transfer, CWI_LOCALLY, handle));
}

cw_error cw_view_rrput(cw_view view, const void *local, void *remote, size_t bytes, int process,
                       cw_handle *handle)
{
  const cw_transfer transfer =
      cw_contiguous(CW_PUT, (void *)(uintptr_t)local, remote, bytes, process);
  return cwi_in_call("cw_view_rrput", start_request(view, &transfer, CWI_REMOTELY, handle));
}

/* --- Notifications ---------------------------------------------------------------------------- */

/* Notifies the target. A get that the route may execute out of order must be complete before the
 * target is notified. */
static cw_error view_notify(cw_view view, cw_operation operation, int process, int64_t *counter)
{
  uint32_t before = 0;
  CWI_TRY(cwi_view_enter(view, &before));
  cw_error error = CW_OK;
  if (operation == CW_GET)
    error = cwi_routes_order(process, CW_ACCUMULATE);
  if (error == CW_OK)
    error = cwi_notify(counter, 1, process);
  cwi_origin_enter(before);
  return error;
}

static cw_error accumulate_notify(cw_view view, const struct cwi_elements *elements,
                                  cw_notifications set, size_t number)
{
  int64_t *counter = NULL;
  CWI_TRY(cwi_view_check(view));
  CWI_TRY(cwi_notification_find(set, number, elements->process, &counter));
  CWI_TRY(cwi_view_accumulate(view, elements));
  return view_notify(view, CW_ACCUMULATE, elements->process, counter);
}

cw_error cw_view_accumulate_notify(cw_view view, cw_type type, cw_reduction op, const void *local,
                                   void *remote, size_t count, int process,
                                   cw_notifications notifications, size_t number)
{
  CWI_PROFILED(CW_CALL_ACCUMULATE);
  const struct cwi_elements elements = {op, type, local, remote, count, process};
  return cwi_in_call("cw_view_accumulate_notify",
                     accumulate_notify(view, &elements, notifications, number));
}

static cw_error start_notified(cw_view view, const cw_transfer *transfer, cw_notifications set,
                               size_t number)
{
  int64_t *counter = NULL;
  CWI_TRY(cwi_view_check(view));
  CWI_TRY(cwi_notification_find(set, number, transfer->process, &counter));
  CWI_TRY(cwi_view_start(view, transfer, CWI_LOCALLY, NULL));
  return view_notify(view, transfer->operation, transfer->process, counter);
}

cw_error cw_view_put_notify(cw_view view, const void *local, void *remote, size_t bytes,
                            int process, cw_notifications notifications, size_t number)
{
  CWI_PROFILED(CW_CALL_PUT);
  const cw_transfer transfer =
      cw_contiguous(CW_PUT, (void *)(uintptr_t)local, remote, bytes, process);
  return cwi_in_call("cw_view_put_notify", start_notified(view, &transfer, notifications, number));
}

cw_error cw_view_get_notify(cw_view view, void *local, const void *remote, size_t bytes,
                            int process, cw_notifications notifications, size_t number)
{
  CWI_PROFILED(CW_CALL_GET);
  const cw_transfer transfer =
      cw_contiguous(CW_GET, local, (void *)(uintptr_t)remote, bytes, process);
  return cwi_in_call("cw_view_get_notify", start_notified(view, &transfer, notifications, number));
}
