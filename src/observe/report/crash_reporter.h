/* A process of ours beside this one, which sees it die. */
#ifndef CWI_REPORT_CRASH_REPORTER_H
#define CWI_REPORT_CRASH_REPORTER_H

#include "base/error.h"

#include <stdbool.h>

/* A process that is forked from this one now, holds nothing of it but its memory as it is now, and
 * of its files standard output and error, if it keeps these. When this process dies before
 * cwi_crash_reporter_stop, it calls `tell`, in which it may do what a program may, for half a
 * minute. Lasting memory of the profile is then as this process has left it. Local. */
CWI_CHECKED cw_error cwi_crash_reporter_start(void (*tell)(void), bool keeps_stdout,
                                              bool keeps_stderr);
void cwi_crash_reporter_stop(void);

/* In `tell`: gives it half a minute from now on. */
void cwi_crash_reporter_extend(void);
#endif
