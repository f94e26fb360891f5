/* Start, stop and what a run tells.
 *
 * runtime.c  start and stop: the one place that knows the order of the rooms
 * kept.c     server ranks after cw_finalize
 * leaks.c    the list of what a program has left
 * report.c   what cw-info, CW_LOG and CW_STATS print
 *
 * This header has report.c's. */
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
