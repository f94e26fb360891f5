/* Start, stop and reports.
 *
 * runtime.c  start and stop: the one place that knows the order of the rooms; runtime.h
 * kept.c     server ranks after cw_finalize
 * leaks.c    the list of objects that a program has not freed
 * report.c   the output of cw-info, CW_LOG and CW_STATS
 *
 * This header declares the functions of report.c. */
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
