/* Profile and timeline of a job that dies. */
#ifndef CWI_RUNTIME_CRASH_REPORT_H
#define CWI_RUNTIME_CRASH_REPORT_H

#include "base/error.h"

/* With CW_PROFILE or CW_TIMELINE, called when both have begun: from now on what this process counts
 * and keeps is also written if the job dies. If that is impossible, it is logged and is no error.
 * Local. */
CWI_CHECKED cw_error cwi_crash_report_start(void);

/* Ends that, because the job ends normally. Local. */
void cwi_crash_report_stop(void);
#endif
