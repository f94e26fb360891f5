/* Errors of ARMCI calls: a message, and the end of the job. */
#include "binding.h"

#include "base/single_runtime.h"

#include <stdio.h>
#include <string.h>

/* Pairs of a term in native error messages and the term of ARMCI that replaces it. */
static const char *const phrases[][2] = {
    {"Causeway is not running: call cw_init (or ARMCI_Init) first",
     "ARMCI is not running: call ARMCI_Init first"},
    {"mutexes is NULL: there is no set of mutexes, create it first",
     "there is no set of mutexes: create it first"},
    {"the members of the team free different regions at the same time",
     "the members pass addresses of different ARMCI_Malloc calls as ptr"},
    {"CW_INT", "ARMCI_INT"},
    {"CW_LONG", "ARMCI_LONG"},
    {"CW_INT32", "ARMCI_INT"},
    {"CW_INT64", "ARMCI_LONG"},
    {"CW_LONG_LONG", "ARMCI_LONG_LONG"},
    {"CW_FLOAT", "ARMCI_FLOAT"},
    {"CW_DOUBLE", "ARMCI_DOUBLE"},
    {"CW_FLOAT_COMPLEX", "float complex"},
    {"CW_DOUBLE_COMPLEX", "double complex"},
    {"CW_LOGICAL_AND", "\"land\""},
    {"CW_LOGICAL_OR", "\"lor\""},
    {"CW_BIT_AND", "\"band\""},
    {"CW_BIT_OR", "\"or\""},
    {NULL, NULL}};

static const struct cwi_binding_terms terms = {phrases, "process is proc"};

int cwi_armci_fail(const char *call, cw_error error)
{
  cw_abort((cwi_failed_in_binding(cwi_armci_name(call), &terms, error), cw_error_message()), 1);
  return 1;
}

cw_error cwi_armci_process(const char *what, int process)
{
  if (!cw_initialized() || (process >= 0 && process < cw_processes()))
    return cwi_armci_running();
  return cwi_misuse("%s is process %d; the world has processes 0 to %d", what, process,
                    cw_processes() - 1);
}

cw_error cwi_armci_not_running(void)
{
  return cwi_single_runtime_required("ARMCI is not running: call ARMCI_Init first");
}

cw_error cwi_armci_running(void)
{
  return cw_initialized() ? CW_OK : cwi_armci_not_running();
}

void ARMCI_Error(const char *msg, int code)
{
  char message[512];
  snprintf(message, sizeof message, "%s (ARMCI_Error, code %d)", msg != NULL ? msg : "", code);
  cw_abort(message, code);
}

void armci_msg_abort(int code)
{
  char message[64];
  snprintf(message, sizeof message, "armci_msg_abort was called with code %d", code);
  cw_abort(message, code);
}

/* Programs call this on error paths, to remove named objects that would outlive the job. Causeway
 * creates none. */
void ARMCI_Cleanup(void) {}
