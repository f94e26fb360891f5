/* The public calls that begin and end phases of the program, for C and for Fortran. */
#include "base/log.h"
#include "profile/counters.h"

#include <causeway/profile.h>

#include <stdio.h>

cw_error cw_profile_begin(const char *name)
{
  if (CWI_LIKELY(!cwi_is_profiled()))
    return CW_OK;
  struct cwi_profiled_thread *thread = cwi_profiled_counting();
  return thread != NULL ? cwi_in_call("cw_profile_begin", cwi_phase_begin(thread, name)) : CW_OK;
}

cw_error cw_profile_end(void)
{
  if (CWI_LIKELY(!cwi_is_profiled()))
    return CW_OK;
  struct cwi_profiled_thread *thread = cwi_profiled_counting();
  if (thread == NULL)
    return CW_OK;
  if (thread->open_phases == 0)
    return cwi_in_call("cw_profile_end",
                       cwi_misuse("this thread has begun no phase that has not ended"));
  cwi_phase_end(thread);
  return CW_OK;
}

static void phase_tell(cw_error error)
{
  if (error != CW_OK)
    cwi_log(CWI_LOG_WARNING, "%s", cw_error_message());
}

void cw_profile_begin_(const char *name, size_t length)
{
  char text[512];
  while (name != NULL && length > 0 && name[length - 1] == ' ')
    length--;
  snprintf(text, sizeof text, "%.*s", length < sizeof text ? (int)length : (int)sizeof text - 1,
           name != NULL ? name : "");
  phase_tell(cw_profile_begin(text));
}

void cw_profile_end_(void)
{
  phase_tell(cw_profile_end());
}
