/* The crash reporter: a process that is forked from this one and reports when this one dies. */
#pragma once

#include "base/error.h"

#include <stdbool.h>

/* Forks the crash reporter. The reporter has a copy of this process's memory as it is now. Counter
 * memory is shared, so the reporter sees it as this process left it. It keeps standard output and
 * standard error open if keeps_stdout and keeps_stderr are set, and no other file. If this process
 * dies before cwi_crash_reporter_stop, the reporter calls `report`, which may do whatever a program
 * may and has half a minute. Local. */
CWI_CHECKED cw_error cwi_crash_reporter_start(void (*report)(void), bool keeps_stdout,
                                              bool keeps_stderr);
void cwi_crash_reporter_stop(void);

/* Called by `report`: extends its time limit to half a minute from now. */
void cwi_crash_reporter_extend(void);
