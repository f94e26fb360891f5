/* Errors of ARMCI calls: a sentence, and the end of the job. */
#include "binding.h"

#include <stdio.h>
#include <string.h>

int cwi_armci_fail(const char *call, cw_error error)
{
  cw_abort((cwi_in_call(cwi_armci_name(call), error), cw_error_message()), 1);
  return 1;
}

cw_error cwi_armci_process(const char *what, int process)
{
  if (!cw_initialized() || (process >= 0 && process < cw_processes()))
    return cwi_armci_running();
  return cwi_misuse("%s is process %d; the world has processes 0 to %d", what, process,
                    cw_processes() - 1);
}

cw_error cwi_armci_translate(cw_error error, const char *names)
{
  return cw_initialized() ? cwi_remark(error, "in ARMCI's words: %s", names) : error;
}

cw_error cwi_armci_running(void)
{
  return cw_initialized() ? CW_OK : cwi_misuse("ARMCI is not running: call ARMCI_Init first");
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
