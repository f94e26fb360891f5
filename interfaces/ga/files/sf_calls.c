/* The calls of SF in C. */
#include "ga/base/binding.h"
#include "ga/files/pario.h"

#include "sf.h"

#include <string.h>

/* In all these calls, a wrong argument ends the job. After any other failure, the call returns a
 * code. */

static cw_error sf_create(const char *call, const char *name, const long *suffix, int *handle,
                          int *code)
{
  CWI_TRY(cwi_check_not_null("fname", name));
  CWI_TRY(cwi_check_not_null("sf_handle", handle));
  return cwi_sf_create(call, name, suffix, handle, code);
}

int SF_Create(char *fname, SFsize_t size_hard_limit, SFsize_t size_soft_limit, SFsize_t req_size,
              int *sf_handle)
{
  int code = 0;
  (void)size_hard_limit;
  (void)size_soft_limit;
  (void)req_size;
  (void)CWI_GA_WAITS(sf_create(__func__, fname, NULL, sf_handle, &code));
  return code;
}

int SF_Create_suffix(char *fname, SFsize_t size_hard_limit, SFsize_t size_soft_limit,
                     SFsize_t req_size, int *sf_handle, int suffix)
{
  int code = 0;
  const long number = suffix;
  (void)size_hard_limit;
  (void)size_soft_limit;
  (void)req_size;
  (void)CWI_GA_WAITS(sf_create(__func__, fname, &number, sf_handle, &code));
  return code;
}

#define OF_HANDLE(name, function)                                                                  \
  int name(int sf_handle)                                                                          \
  {                                                                                                \
    int code = 0;                                                                                  \
    (void)CWI_GA_WAITS(function(__func__, sf_handle, &code));                                      \
    return code;                                                                                   \
  }
OF_HANDLE(SF_Destroy, cwi_sf_destroy)
OF_HANDLE(SF_Open, cwi_sf_open)
OF_HANDLE(SF_Close, cwi_sf_close)
OF_HANDLE(SF_Rwtor, cwi_sf_read_only)
OF_HANDLE(SF_Fsync, cwi_sf_sync)

static cw_error sf_start(const char *call, int sf_handle,
                         const struct cwi_pario_request *call_arguments, int *req_id, int *code)
{
  CWI_TRY(cwi_check_not_null("req_id", req_id));
  *req_id = CWI_PARIO_DONE;
  return cwi_sf_move(call, sf_handle, call_arguments, code);
}

int SF_Write(int sf_handle, SFsize_t offset, SFsize_t bytes, char *buffer, int *req_id)
{
  int code = 0;
  const struct cwi_pario_request call_arguments = {true, offset, bytes, buffer};
  (void)CWI_GA(sf_start(__func__, sf_handle, &call_arguments, req_id, &code));
  return code;
}

int SF_Read(int sf_handle, SFsize_t offset, SFsize_t bytes, char *buffer, int *req_id)
{
  int code = 0;
  const struct cwi_pario_request call_arguments = {false, offset, bytes, buffer};
  (void)CWI_GA(sf_start(__func__, sf_handle, &call_arguments, req_id, &code));
  return code;
}

int SF_Wait(int *req_id)
{
  return CWI_GA(cwi_check_not_null("req_id", req_id)) == 0 ? cwi_sf_wait(__func__, *req_id) : 0;
}

static cw_error sf_list(const int *list, int num)
{
  CWI_TRY(cwi_check_not_negative("num", num));
  return num > 0 ? cwi_check_not_null("list", list) : CW_OK;
}

int SF_Waitall(int *list, int num)
{
  int failed = 0;
  if (CWI_GA(sf_list(list, num)) != 0)
    return 1;
  for (int i = 0; i < num; i++)
    if (cwi_sf_wait(__func__, list[i]) != 0)
      failed = 1;
  return failed;
}

void SF_Errmsg(int code, char *msg)
{
  if (CWI_GA(cwi_check_not_null("msg", msg)) == 0)
    strcpy(msg, cwi_pario_text(code));
}
