/* The cores of the job on this machine, and those of a server's thread. */
#ifndef CWI_SERVER_SERVER_CORES_H
#define CWI_SERVER_SERVER_CORES_H

#include "base/error.h"

/* Learn which CPUs the processes of this machine are bound to, and may use. Collective over them.
 */
CWI_CHECKED cw_error cwi_cores_start(void);

/* CPUs that the processes of this machine may use together: what their launchers may, or those to
 * which they are bound, as far as this process's cgroups let them. Those of a machine are taken to
 * share one quota. At least 1. */
int cwi_cores_count(void);

/* Move the calling thread, the server's, where nobody else is bound. */
void cwi_cores_take(void);
#endif
