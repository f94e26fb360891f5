/* The public calls that wait for started operations. They first send what routes have collected. */
#include "base/size.h"
#include "mpi/mpi_progress.h"
#include "mpi/origin.h"
#include "profile/profile.h"
#include "route/route.h"
#include "team/world.h"
#include "transfer/handle.h"
#include "wait/lock.h"
#include "wait/wait_report.h"

#include <stdio.h>

static cw_error handle_finish(cw_handle *handle)
{
  bool done = true;
  CWI_TRY(cwi_routes_push());
  return handle->index != 0 ? cwi_handle_finish(handle, true, &done) : CW_OK;
}

static cw_error handle_wait_for(cw_handle *handle)
{
  CWI_TRY(cwi_handle_check(handle));
  const uint32_t before = cwi_origin_enter(cwi_handle_origin(handle));
  const cw_error error = handle_finish(handle);
  cwi_origin_enter(before);
  return error;
}

cw_error cw_wait(cw_handle *handle)
{
  CWI_PROFILED(CW_CALL_WAIT);
  return handle != NULL ? cwi_in_call("cw_wait", handle_wait_for(handle)) : cw_wait_all();
}

static cw_error handle_test(cw_handle *handle, bool *complete)
{
  *complete = true;
  CWI_TRY(cwi_handle_check(handle));
  if (handle->index == 0)
    return CW_OK;
  const cw_error error = cwi_handle_finish(handle, false, complete);
  if (!*complete)
    cwi_mpi_progress_after_poll();
  return error;
}

cw_error cw_test(cw_handle *handle, bool *complete)
{
  CWI_PROFILED(CW_CALL_WAIT);
  if (handle == NULL || complete == NULL)
    return cwi_in_call(
        "cw_test", cwi_misuse("%s is NULL",
                              handle == NULL ? "handle" : "complete, which receives the answer,"));
  return cwi_in_call("cw_test", handle_test(handle, complete));
}

/* --- Several handles -------------------------------------------------------------------------- */

/* State of a wait for one of several handles. */
struct several {
  cw_handle *handles;
  size_t count;
  size_t which;
  cw_error error; /* of handle `which` */
};

/* Index of the handle that this thread found complete last, plus 1. The next search begins there,
 * so that all handles get their turn. */
static __thread __attribute__((tls_model("initial-exec"))) size_t next_poll;

static cw_error check_several(const cw_handle *handles, size_t count)
{
  CWI_TRY(cwi_check_not_null("handles", handles));
  if (!cwi_is_possible(count, sizeof *handles))
    return cwi_misuse("count is %zu; memory cannot hold that many handles", count);
  for (size_t i = 0; i < count; i++)
    CWI_TRY(cwi_handle_check(&handles[i]));
  return CW_OK;
}

/* Sends what the handles' origins have collected. */
static cw_error push_several(const cw_handle *handles, size_t count)
{
  uint32_t pushed = CWI_ORIGINS;
  for (size_t i = 0; i < count; i++) {
    const uint32_t origin = cwi_handle_origin(&handles[i]);
    if (handles[i].index == 0 || origin == pushed)
      continue;
    const uint32_t before = cwi_origin_enter(origin);
    const cw_error error = cwi_routes_push();
    cwi_origin_enter(before);
    CWI_TRY(error);
    pushed = origin;
  }
  return CW_OK;
}

/* Wait condition: returns true once a handle is complete or has failed. */
static bool one_is_complete(void *context)
{
  struct several *several = context;
  for (size_t i = 0; i < several->count; i++) {
    const size_t which = (next_poll + i) % several->count;
    bool done = true;
    if (several->handles[which].index != 0)
      several->error = cwi_handle_finish(&several->handles[which], false, &done);
    several->which = which;
    if (done || several->error != CW_OK)
      return true;
  }
  return false;
}

static cw_error begin_any(struct several *several, const size_t *which)
{
  CWI_TRY(cwi_check_not_null("which", which));
  CWI_TRY(check_several(several->handles, several->count));
  if (several->count == 0)
    return cwi_misuse("count is 0: there is no handle to wait for");
  return push_several(several->handles, several->count);
}

static cw_error end_any(const struct several *several, size_t *which)
{
  *which = several->which;
  next_poll = several->which + 1;
  return several->error;
}

static void handle_awaited(const void *what, char *text, size_t size)
{
  snprintf(text, size, "one of %zu handles", ((const struct several *)what)->count);
}

static cw_error wait_any(cw_handle *handles, size_t count, size_t *which)
{
  enum { NAP_NANOSECONDS = 20000 };
  struct several several = {handles, count, 0, CW_OK};
  CWI_TRY(begin_any(&several, which));
  const struct cwi_waiting outer =
      cwi_waiting_begin("cw_handle_wait_any", handle_awaited, &several);
  cwi_wait_until(one_is_complete, &several, NAP_NANOSECONDS);
  cwi_waiting_end(&outer);
  return end_any(&several, which);
}

cw_error cw_handle_wait_any(cw_handle *handles, size_t count, size_t *which)
{
  CWI_PROFILED(CW_CALL_WAIT);
  return cwi_in_call("cw_handle_wait_any", wait_any(handles, count, which));
}

static cw_error test_any(cw_handle *handles, size_t count, size_t *which, bool *complete)
{
  struct several several = {handles, count, 0, CW_OK};
  CWI_TRY(cwi_check_not_null("complete", complete));
  CWI_TRY(begin_any(&several, which));
  *complete = one_is_complete(&several);
  if (*complete)
    return end_any(&several, which);
  cwi_mpi_progress_after_poll();
  return CW_OK;
}

cw_error cw_handle_test_any(cw_handle *handles, size_t count, size_t *which, bool *complete)
{
  CWI_PROFILED(CW_CALL_WAIT);
  return cwi_in_call("cw_handle_test_any", test_any(handles, count, which, complete));
}

static cw_error wait_all_of(cw_handle *handles, size_t count)
{
  struct cwi_first_error first;
  if (count == 0)
    return CW_OK;
  CWI_TRY(check_several(handles, count));
  cwi_first_begin(&first, CW_OK);
  for (size_t i = 0; i < count; i++)
    cwi_first_note(&first, handle_wait_for(&handles[i]));
  return cwi_first_return(&first);
}

cw_error cw_handle_wait_all(cw_handle *handles, size_t count)
{
  CWI_PROFILED(CW_CALL_WAIT);
  return cwi_in_call("cw_handle_wait_all", wait_all_of(handles, count));
}

/* --- Everything ------------------------------------------------------------------------------- */

cw_error cw_wait_all(void)
{
  CWI_PROFILED(CW_CALL_WAIT);
  return cwi_in_call("cw_wait_all", cwi_routes_finish(-1));
}

cw_error cw_wait_process(int process)
{
  CWI_PROFILED(CW_CALL_WAIT);
  CWI_TRY(cwi_in_call("cw_wait_process", cwi_check_process(process)));
  return cwi_in_call("cw_wait_process", cwi_routes_finish(process));
}
