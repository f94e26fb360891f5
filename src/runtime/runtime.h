/* Start and stop, and what is reported at the stop.
 *
 *
 * This header has what libraries that start Causeway ask of its start.
 *
 * crash_report.c  processes that die: the witness of each leaves what it had counted, and the
 *                 events of its
 * exit.c          says which process has called exit while Causeway runs
 * leaks.c         what a program has left at cw_finalize (CW_CHECK=1)
 * runtime.c       starts and stops all rooms, in their order
 * server_ranks.c  server ranks from one world to the next
 * statistics.c    what was chosen, and the counters of CW_STATS */
#ifndef CWI_RUNTIME_RUNTIME_H
#define CWI_RUNTIME_RUNTIME_H

#include <stdbool.h>

/* Will the next cw_finalize stop Causeway? Not where others have called cw_init, too. */
bool cwi_stops_next(void);
#endif
