/* What is left of a job that dies. */
#ifndef CWI_RUNTIME_CRASH_REPORT_H
#define CWI_RUNTIME_CRASH_REPORT_H

#include "base/error.h"

/* With CW_PROFILE or CW_TIMELINE, when both have begun: from now on what this process counts and
 * keeps comes into their files also if the job dies. That it cannot is logged, and no error. Local.
 */
CWI_CHECKED cw_error cwi_crash_report_start(void);

/* The job ends as it should. Local. */
void cwi_crash_report_stop(void);
#endif
