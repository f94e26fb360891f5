/* The calls of GA's headers that are left out: each ends the job with a sentence that names it.
 * This file does not include ga.h, so that no call needs its own arguments here. */
#include "start.h"

#define LEFT_OUT(call)                                                                             \
  void call(void);                                                                                 \
  void call(void)                                                                                  \
  {                                                                                                \
    cwi_ga_left_out(#call);                                                                        \
  }
#include "left_out.def"
