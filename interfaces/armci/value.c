/* Transfers of one value. */
#include "shape.h"

static const char put_names[] = "local is src, remote is dst, process is proc";
static const char get_names[] = "remote is src, process is proc";
static const char flag_names[] = "local is value, remote is flag, process is proc";

/* Value calls. The non-blocking put needs no wait, because cw_put copies the value before it
 * returns. */
#define VALUE_CALLS(Name, type)                                                                    \
  int PARMCI_PutValue##Name(type src, void *dst, int proc)                                         \
  {                                                                                                \
    return CWI_ARMCI(cwi_armci_known_as(cw_put(&src, dst, sizeof src, proc), put_names));          \
  }                                                                                                \
  int PARMCI_NbPutValue##Name(type src, void *dst, int proc, armci_hdl_t *hdl)                     \
  {                                                                                                \
    (void)hdl;                                                                                     \
    return CWI_ARMCI(cwi_armci_known_as(cw_put(&src, dst, sizeof src, proc), put_names));          \
  }                                                                                                \
  type PARMCI_GetValue##Name(void *src, int proc)                                                  \
  {                                                                                                \
    type value = 0;                                                                                \
    const cw_error error = cw_get(&value, src, sizeof value, proc);                                \
    return CWI_ARMCI(cwi_armci_known_as(error, get_names)) == 0 ? value : 0;                       \
  }                                                                                                \
  CWI_TWIN(ARMCI_PutValue##Name);                                                                  \
  CWI_TWIN(ARMCI_NbPutValue##Name);                                                                \
  CWI_TWIN(ARMCI_GetValue##Name)

VALUE_CALLS(Int, int);
VALUE_CALLS(Long, long);
VALUE_CALLS(Float, float);
VALUE_CALLS(Double, double);

/* Sets the flag after the data. The first fence makes the data visible at the target. The second
 * fence sends the flag even if the caller makes no further call, but spins on plain memory until a
 * reply arrives. */
static cw_error raise_flag(int *flag, int value, int proc)
{
  CWI_TRY(cw_fence(proc));
  CWI_TRY(cwi_armci_known_as(cw_put(&value, flag, sizeof value, proc), flag_names));
  return cw_fence(proc);
}

static cw_error put_flag(const void *src, void *dst, int size, int *flag, int value, int proc)
{
  CWI_TRY(cwi_check_not_negative("size", size));
  CWI_TRY(cwi_armci_known_as(cw_put(src, dst, (size_t)size, proc), put_names));
  return raise_flag(flag, value, proc);
}

int PARMCI_Put_flag(void *src, void *dst, int size, int *flag, int value, int proc)
{
  return CWI_ARMCI(put_flag(src, dst, size, flag, value, proc));
}

int PARMCI_PutS_flag(void *src_ptr, int src_stride_ar[], void *dst_ptr, int dst_stride_ar[],
                     int count[], int stride_levels, int *flag, int value, int proc)
{
  const cw_error error = cwi_armci_put_strided(src_ptr, src_stride_ar, dst_ptr, dst_stride_ar,
                                               count, stride_levels, proc);
  return CWI_ARMCI(error == CW_OK ? raise_flag(flag, value, proc) : error);
}

CWI_TWIN(ARMCI_Put_flag);
CWI_TWIN(ARMCI_PutS_flag);
