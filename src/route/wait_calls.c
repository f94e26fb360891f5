/* The public calls that wait for started operations. What a route collects is sent first. */
#include "mpi/call.h"
#include "route/route.h"
#include "team/world.h"
#include "transfer/handle.h"

static cw_error wait_for(cw_handle *handle)
{
  bool done = true;
  CWI_TRY(cwi_handle_check(handle));
  CWI_TRY(cwi_routes_push());
  return handle->index != 0 ? cwi_handle_finish(handle, true, &done) : CW_OK;
}

cw_error cw_wait(cw_handle *handle)
{
  return handle != NULL ? cwi_in_call("cw_wait", wait_for(handle)) : cw_wait_all();
}

static cw_error test(cw_handle *handle, bool *complete)
{
  *complete = true;
  CWI_TRY(cwi_handle_check(handle));
  if (handle->index == 0)
    return CW_OK;
  const cw_error error = cwi_handle_finish(handle, false, complete);
  if (!*complete)
    cwi_mpi_progress();
  return error;
}

cw_error cw_test(cw_handle *handle, bool *complete)
{
  if (handle == NULL || complete == NULL)
    return cwi_misuse("cw_test: %s is NULL",
                      handle == NULL ? "handle" : "complete, which receives the answer,");
  return cwi_in_call("cw_test", test(handle, complete));
}

static cw_error wait_for_all(int process)
{
  CWI_TRY(cwi_routes_push());
  return cwi_pending_finish(process);
}

cw_error cw_wait_all(void)
{
  return cwi_in_call("cw_wait_all", wait_for_all(-1));
}

cw_error cw_wait_process(int process)
{
  CWI_TRY(cwi_in_call("cw_wait_process", cwi_check_process(process)));
  return cwi_in_call("cw_wait_process", wait_for_all(process));
}
