#include "binding.h"

/* Value calls. The non-blocking put has nothing to wait for: the value is taken at the call. */
#define VALUE_CALLS(Name, type)                                                                    \
  int PARMCI_PutValue##Name(type src, void *dst, int proc)                                         \
  {                                                                                                \
    return CWI_ARMCI(cw_put(&src, dst, sizeof src, proc));                                         \
  }                                                                                                \
  int PARMCI_NbPutValue##Name(type src, void *dst, int proc, armci_hdl_t *hdl)                     \
  {                                                                                                \
    (void)hdl;                                                                                     \
    return CWI_ARMCI(cw_put(&src, dst, sizeof src, proc));                                         \
  }                                                                                                \
  type PARMCI_GetValue##Name(void *src, int proc)                                                  \
  {                                                                                                \
    type value = 0;                                                                                \
    return CWI_ARMCI(cw_get(&value, src, sizeof value, proc)) == 0 ? value : 0;                    \
  }                                                                                                \
  CWI_TWIN(ARMCI_PutValue##Name);                                                                  \
  CWI_TWIN(ARMCI_NbPutValue##Name);                                                                \
  CWI_TWIN(ARMCI_GetValue##Name)

VALUE_CALLS(Int, int);
VALUE_CALLS(Long, long);
VALUE_CALLS(Float, float);
VALUE_CALLS(Double, double);

/* The data is at the target; now the flag. The second fence is for a caller that next spins on
 * plain memory, waiting for an answer: nothing would push its flag out. */
static cw_error raise_flag(int *flag, int value, int proc)
{
  CWI_TRY(cw_fence(proc));
  CWI_TRY(cw_put(&value, flag, sizeof value, proc));
  return cw_fence(proc);
}

int PARMCI_Put_flag(void *src, void *dst, int size, int *flag, int value, int proc)
{
  const int failed = PARMCI_Put(src, dst, size, proc);
  return failed != 0 ? failed : CWI_ARMCI(raise_flag(flag, value, proc));
}

int PARMCI_PutS_flag(void *src_ptr, int src_stride_ar[], void *dst_ptr, int dst_stride_ar[],
                     int count[], int stride_levels, int *flag, int value, int proc)
{
  const int failed =
      PARMCI_PutS(src_ptr, src_stride_ar, dst_ptr, dst_stride_ar, count, stride_levels, proc);
  return failed != 0 ? failed : CWI_ARMCI(raise_flag(flag, value, proc));
}

CWI_TWIN(ARMCI_Put_flag);
CWI_TWIN(ARMCI_PutS_flag);
