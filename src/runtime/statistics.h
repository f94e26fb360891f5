/* The counters of CW_STATS. */
#ifndef CWI_RUNTIME_STATISTICS_H
#define CWI_RUNTIME_STATISTICS_H

#include "base/error.h"

/* With CW_STATS, adds up the counters of all processes; process 0 prints them. Collective over the
 * world. */
CWI_CHECKED cw_error cwi_statistics_report(void);
#endif
