/* The public transfers whose local side lies on a device. */
#include "base/reword.h"
#include "mpi/mpi_progress.h"
#include "profile/profile.h"
#include "route/route.h"
#include "wait/wait_report.h"

#include <causeway/device.h>

static cw_error move_mine(const char *call, cw_transfer transfer)
{
  const struct cwi_waiting outer = cwi_waiting_begin(call, NULL, NULL);
  transfer.local_device = true;
  const cw_error error = cwi_start_transfer(&transfer, true, NULL);
  cwi_waiting_end(&outer);
  return cwi_in_call(call, cwi_reword(error, "local is mine"));
}

cw_error cw_device_put(const void *mine, void *remote, size_t bytes, int process)
{
  CWI_PROFILED(CW_CALL_PUT);
  return move_mine("cw_device_put",
                   cw_contiguous(CW_PUT, (void *)(uintptr_t)mine, remote, bytes, process));
}

cw_error cw_device_get(void *mine, const void *remote, size_t bytes, int process)
{
  CWI_PROFILED(CW_CALL_GET);
  return move_mine("cw_device_get",
                   cw_contiguous(CW_GET, mine, (void *)(uintptr_t)remote, bytes, process));
}

cw_error cw_device_accumulate(cw_type type, const void *scale, const void *mine, void *remote,
                              size_t bytes, int process)
{
  CWI_PROFILED(CW_CALL_ACCUMULATE);
  cw_transfer transfer =
      cw_contiguous(CW_ACCUMULATE, (void *)(uintptr_t)mine, remote, bytes, process);
  transfer.type = type;
  transfer.scale = scale;
  return move_mine("cw_device_accumulate", transfer);
}
