/* Failed calls: whether somebody has looked at each, and whether one ends the job (CW_ERRORS).
 *
 * The boundary of a public call (cwi_in_call) notes its failure here, once. cw_error_message() says
 * that the program has looked. What was not looked at when the thread's next call fails, or at the
 * end, is told: see cwi_failures_report. Failures before cw_init and after cw_finalize count, too.
 * Nothing here is on the way of calls that succeed. */
#ifndef CWI_BASE_UNREAD_ERRORS_H
#define CWI_BASE_UNREAD_ERRORS_H

#include "base/error.h"

#include <stdbool.h>

/* The program knows of the last failure of this thread. */
void cwi_failure_read(void);

/* Did the outside world refuse? A binding gives that to its program as an answer. */
bool cwi_failure_is_outside(cw_error error);

/* A binding runs, whose own calls end the job when they fail, with a sentence in its own words:
 * CW_ERRORS=fatal must not come before it. Until cw_finalize. */
void cwi_failures_by_binding(void);

/* Say how many failures nobody has looked at, and which was the first; then forget them. Where
 * nobody calls it any more after a failure, it is called when the process ends by exit(). */
void cwi_failures_report(void);

/* Failures so far, looked at or not (tests). */
unsigned long cwi_failures(void);
#endif
