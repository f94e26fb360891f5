/* The CPUs of the job on this machine, and those of a server's thread. */
#ifndef CWI_SERVER_SERVER_CORES_H
#define CWI_SERVER_SERVER_CORES_H

#include "base/error.h"

/* Finds the CPUs to which the processes of this machine are bound, and those that they may use.
 * Collective over them. */
CWI_CHECKED cw_error cwi_cores_start(void);

/* Returns the number of CPUs that the processes of this machine may use together: those of their
 * launchers, or those to which they are bound, limited by this process's cgroups. All processes of
 * a machine are assumed to share one quota. At least 1. */
int cwi_cores_count(void);

/* Moves the calling thread, the server's, to CPUs to which no process is bound. */
void cwi_cores_take(void);
#endif
