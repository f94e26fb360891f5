/* Failed calls: whether the program has read each error, and whether an error ends the job
 * (CW_ERRORS).
 *
 * Each public call records its failure here once, in cwi_in_call. cw_error_message() marks the
 * error as read. An error that is unread when the thread's next call fails, or at the end, is
 * reported: see cwi_failures_report. Failures before cw_init and after cw_finalize count, too. A
 * call that succeeds executes none of this code. */
#pragma once

#include "base/error.h"

#include <stdbool.h>

/* Marks the last failure of this thread as read. */
void cwi_failure_read(void);

/* Returns true if the error is CW_OUTSIDE, and then marks it as read: a binding returns such an
 * error to its program as a result. */
bool cwi_failure_is_outside(cw_error error);

/* Disables CW_ERRORS=fatal until cw_finalize. It is for a binding whose own calls end the job when
 * they fail, with a message in the binding's terms: CW_ERRORS=fatal would end the job before that
 * message. */
void cwi_failures_by_binding(void);

/* Reports the number of unread failures and the first of them, then forgets them. It is also called
 * when the process ends by exit(), for failures after the last report. */
void cwi_failures_report(void);

/* Returns the number of failures so far, read or not (tests). */
unsigned long cwi_failures_so_far(void);
