/* The calls of GA's headers that are not implemented: each ends the job with a message that names
 * it. This file does not include ga.h, so that the functions can be defined here without their
 * parameters. */
#include <causeway/runtime.h>

#include <stdio.h>

static void end_in_unsupported(const char *call)
{
  char message[128];
  snprintf(message, sizeof message, "%s: this call is not in Causeway's GA (docs/reference/ga.md)",
           call);
  cw_abort(message, 1);
}

#define LEFT_OUT(call)                                                                             \
  void call(void);                                                                                 \
  void call(void)                                                                                  \
  {                                                                                                \
    end_in_unsupported(#call);                                                                     \
  }
#include "unsupported.def"
