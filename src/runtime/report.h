/* What the library tells people about itself. */
#ifndef CWI_RUNTIME_REPORT_H
#define CWI_RUNTIME_REPORT_H

#include "base/check.h"

#ifdef __cplusplus
extern "C" {
#endif

/* With CW_STATS: add up the counters of all processes; process 0 prints them. Collective. */
CWI_CHECKED cw_error cwi_statistics_report(void);

#ifdef __cplusplus
}
#endif
#endif
