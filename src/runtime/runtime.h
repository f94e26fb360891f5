/* Start and stop, and what is reported at the stop.
 *
 * runtime.c  starts and stops all rooms, in their order
 * kept.c     server ranks from one world to the next
 * exit.c     says which process has called exit while Causeway runs
 * leaks.c    what a program has left at cw_finalize (CW_CHECK=1)
 * report.c   what was chosen, and the counters of CW_STATS
 *
 * This header has what libraries that start Causeway ask of its start. */
#ifndef CWI_RUNTIME_RUNTIME_H
#define CWI_RUNTIME_RUNTIME_H

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Will the next cw_finalize stop Causeway? Not where others have called cw_init, too. */
bool cwi_stops_next(void);

#ifdef __cplusplus
}
#endif
#endif
