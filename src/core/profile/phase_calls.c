/* The public calls that begin and end phases of the program, for C and for Fortran. */
#include "base/log.h"
#include "profile/profile_counters.h"

#include <causeway/profile.h>

#include <stdio.h>

/* Number of open phases that this thread began while nothing was counted, such as before cw_init.
 * The profile ignores their ends, whenever they come. */
static __thread uint32_t phases_unseen;

static struct cwi_profiled_thread *phase_thread(void)
{
  return cwi_is_profiled() ? cwi_profiled_counting() : NULL;
}

/* Rejects calls by a tool: its phases would mix with those of the program. */
static cw_error phase_check(const char *call)
{
  return cwi_tools_are_running()
             ? cwi_in_call(call, cwi_misuse("a tool cannot begin or end phases"))
             : CW_OK;
}

cw_error cw_profile_begin(const char *name)
{
  struct cwi_profiled_thread *thread = phase_thread();
  CWI_TRY(phase_check("cw_profile_begin"));
  if (CWI_UNLIKELY(thread != NULL))
    return cwi_in_call("cw_profile_begin", cwi_phase_begin(thread, name));
  phases_unseen++;
  return CW_OK;
}

cw_error cw_profile_end(void)
{
  struct cwi_profiled_thread *thread = phase_thread();
  CWI_TRY(phase_check("cw_profile_end"));
  if (CWI_UNLIKELY(thread != NULL && thread->open_phases > 0))
    cwi_phase_end(thread);
  else if (phases_unseen > 0)
    phases_unseen--;
  else if (thread != NULL)
    return cwi_in_call(
        "cw_profile_end",
        cwi_misuse("this thread has no open phase: each one that it began has ended"));
  return CW_OK;
}

static void phase_notify(cw_error error)
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
  phase_notify(cw_profile_begin(text));
}

void cw_profile_end_(void)
{
  phase_notify(cw_profile_end());
}
