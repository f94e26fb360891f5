/* Profile and timeline of a job that dies. */
#ifndef CWI_RUNTIME_CRASH_REPORT_H
#define CWI_RUNTIME_CRASH_REPORT_H

#include "base/error.h"

/* With CW_PROFILE or CW_TIMELINE, starts the crash reporter of this process: from now on the
 * counters and events of this process are written even if the job dies. Call this after the profile
 * and the timeline have begun. A failure is logged and is no error. Local. */
CWI_CHECKED cw_error cwi_crash_report_start(void);

/* Stops the crash reporter, because the job ends normally. Local. */
void cwi_crash_report_stop(void);
#endif
