/* Errors of ARMCI calls: a sentence, and the end of the job. */
#include "binding.h"

#include <stdio.h>
#include <string.h>

int cwi_armci_fail(const char *call, cw_error error)
{
  cw_abort((cwi_in_call(cwi_armci_name(call), error), cw_error_message()), 1);
  return 1;
}

cw_error cwi_armci_not_negative(const char *what, long value)
{
  if (CWI_LIKELY(value >= 0))
    return CW_OK;
  return cwi_misuse("%s is %ld; it must not be negative", what, value);
}

cw_error cwi_armci_given(const char *what, const void *pointer)
{
  return CWI_LIKELY(pointer != NULL) ? CW_OK : cwi_misuse("%s is NULL", what);
}

void ARMCI_Error(const char *msg, int code)
{
  char sentence[512];
  snprintf(sentence, sizeof sentence, "%s (ARMCI_Error, code %d)", msg != NULL ? msg : "", code);
  cw_abort(sentence, code);
}

void armci_msg_abort(int code)
{
  char sentence[64];
  snprintf(sentence, sizeof sentence, "armci_msg_abort was called with code %d", code);
  cw_abort(sentence, code);
}

/* Error paths call this to remove what would outlive the job: nothing of Causeway has a name. */
void ARMCI_Cleanup(void) {}
