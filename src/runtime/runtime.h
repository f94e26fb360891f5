/* Start and stop, and the reports at the stop. This header is for libraries that start Causeway.
 *
 * crash_report.c  reports of processes that die
 * exit.c          reports which process has called exit while Causeway runs
 * leaks.c         what a program has not freed at cw_finalize (CW_CHECK=1)
 * runtime.c       starts and stops all modules in their order
 * server_ranks.c  server ranks from one world to the next
 * statistics.c    cw_report, and the counters of CW_STATS */
#ifndef CWI_RUNTIME_RUNTIME_H
#define CWI_RUNTIME_RUNTIME_H

#include <stdbool.h>

/* Returns true if the next cw_finalize stops Causeway, and false if other libraries have also
 * called cw_init. */
bool cwi_stops_next(void);
#endif
