/* ARMCI_Rmw. */
#include "binding.h"

#include <stdint.h>

static cw_error rmw(int op, void *ploc, void *prem, int value, int proc)
{
  if (ploc == NULL)
    return cwi_misuse("ploc is NULL");
  switch (op) {
  case ARMCI_FETCH_AND_ADD:
    return cw_fetch_add_int32(prem, value, proc, ploc);
  case ARMCI_FETCH_AND_ADD_LONG:
    return cw_fetch_add_int64(prem, value, proc, ploc);
  case ARMCI_SWAP:
    return cw_swap_int32(prem, *(const int32_t *)ploc, proc, ploc);
  case ARMCI_SWAP_LONG:
    return cw_swap_int64(prem, *(const int64_t *)ploc, proc, ploc);
  default:
    return cwi_misuse("op is %d; it may be ARMCI_FETCH_AND_ADD (0), ARMCI_FETCH_AND_ADD_LONG (1), "
                      "ARMCI_SWAP (2) or ARMCI_SWAP_LONG (3)",
                      op);
  }
}

int PARMCI_Rmw(int op, void *ploc, void *prem, int value, int proc)
{
  return CWI_ARMCI(
      cwi_armci_known_as(rmw(op, ploc, prem, value, proc), "remote is prem, process is proc"));
}

CWI_TWIN(ARMCI_Rmw);
