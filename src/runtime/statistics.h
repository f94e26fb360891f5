/* Start, stop and reports.
 *
 *
 * This header declares the functions of statistics.c. */
#ifndef CWI_RUNTIME_STATISTICS_H
#define CWI_RUNTIME_STATISTICS_H

#include "base/error.h"

/* With CW_STATS: add up the counters of all processes; process 0 prints them. Collective. */
CWI_CHECKED cw_error cwi_statistics_report(void);
#endif
