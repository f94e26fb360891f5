/* The calls of GA's headers that are left out: each ends the job with a sentence that names it.
 * This file does not include ga.h, so that no call needs its own arguments here. */
#include <causeway/runtime.h>

#include <stdio.h>

static void end_in_left_out(const char *call)
{
  char sentence[128];
  snprintf(sentence, sizeof sentence, "%s: this call is not in Causeway's GA (docs/ga.md)", call);
  cw_abort(sentence, 1);
}

#define LEFT_OUT(call)                                                                             \
  void call(void);                                                                                 \
  void call(void)                                                                                  \
  {                                                                                                \
    end_in_left_out(#call);                                                                        \
  }
#include "left_out.def"
