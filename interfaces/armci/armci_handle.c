/* Non-blocking handles of ARMCI. */
#include "binding.h"

#include "transfer/handle.h"

#include <string.h>

/* An armci_hdl_t has the same bits as a cw_handle. ARMCI_INIT_HANDLE is a function, not a macro,
 * because GA calls it as a function. The memory may hold anything before the call. */
void ARMCI_INIT_HANDLE(armci_hdl_t *hdl)
{
  if (CWI_ARMCI(cwi_check_not_null("hdl", hdl)) == 0)
    memset(hdl, 0, sizeof *hdl);
}

cw_handle cwi_armci_native_handle(const armci_hdl_t *hdl)
{
  cw_handle native_handle;
  memcpy(&native_handle, hdl, sizeof native_handle);
  return cwi_handle_check(&native_handle) == CW_OK ? native_handle : (cw_handle){0};
}

static cw_error set_aggregate(armci_hdl_t *hdl, bool aggregate)
{
  CWI_TRY(cwi_check_not_null("hdl", hdl));
  cw_handle native_handle = cwi_armci_native_handle(hdl);
  const cw_error error = cw_handle_set_aggregate(&native_handle, aggregate);
  memcpy(hdl, &native_handle, sizeof native_handle);
  return error;
}

void ARMCI_SET_AGGREGATE_HANDLE(armci_hdl_t *hdl)
{
  (void)CWI_ARMCI(set_aggregate(hdl, true));
}

void ARMCI_UNSET_AGGREGATE_HANDLE(armci_hdl_t *hdl)
{
  (void)CWI_ARMCI(set_aggregate(hdl, false));
}

int PARMCI_Wait(armci_hdl_t *hdl)
{
  if (hdl == NULL)
    return PARMCI_WaitAll();
  cw_handle native_handle = cwi_armci_native_handle(hdl);
  const cw_error error = cw_wait(&native_handle);
  memcpy(hdl, &native_handle, sizeof native_handle);
  return CWI_ARMCI(error);
}

/* Returns 0 if the transfers are complete. */
int PARMCI_Test(armci_hdl_t *hdl)
{
  bool complete = true;
  if (CWI_ARMCI(cwi_check_not_null("hdl", hdl)) != 0)
    return 1;
  cw_handle native_handle = cwi_armci_native_handle(hdl);
  const cw_error error = cw_test(&native_handle, &complete);
  memcpy(hdl, &native_handle, sizeof native_handle);
  return CWI_ARMCI(error) != 0 || !complete;
}

int PARMCI_WaitAll(void)
{
  return CWI_ARMCI(cw_wait_all());
}

int PARMCI_WaitProc(int proc)
{
  return CWI_ARMCI(cw_wait_process(proc));
}

CWI_TWIN(ARMCI_Wait);
CWI_TWIN(ARMCI_Test);
CWI_TWIN(ARMCI_WaitAll);
CWI_TWIN(ARMCI_WaitProc);
