/* What is left of a job that dies. */
#ifndef CWI_REPORT_DEATH_H
#define CWI_REPORT_DEATH_H

#include "base/check.h"

#ifdef __cplusplus
extern "C" {
#endif

/* With CW_PROFILE or CW_TIMELINE, when both have begun: from now on what this process counts and
 * keeps comes into their files also if the job dies. That it cannot is logged, and no error. Local.
 */
CWI_CHECKED cw_error cwi_death_watch(void);

/* The job ends as it should. Local. */
void cwi_death_watch_end(void);

#ifdef __cplusplus
}
#endif
#endif
