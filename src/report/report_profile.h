/* The beginning and the end of a run with CW_PROFILE. */
#ifndef CWI_REPORT_REPORT_PROFILE_H
#define CWI_REPORT_REPORT_PROFILE_H

#include "base/check.h"

#ifdef __cplusplus
extern "C" {
#endif

/* With CW_PROFILE: from now on what this process counts comes into the file also if the job dies.
 * That it cannot is logged, and no error. Collective over the world. */
CWI_CHECKED cw_error cwi_profile_watch(void);

/* With CW_PROFILE: process 0 writes what all have counted to the file, and a screen of it to
 * stderr. That the file cannot be written is logged, and no error. Collective over the world. */
CWI_CHECKED cw_error cwi_profile_report(void);

/* Count no longer, for whom it was. All processes have the report behind them. Local. */
void cwi_profile_end(void);

#ifdef __cplusplus
}
#endif
#endif
