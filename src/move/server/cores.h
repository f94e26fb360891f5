/* The cores of a server's thread. */
#ifndef CWI_SERVER_CORES_H
#define CWI_SERVER_CORES_H

#include "base/check.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Learn which CPUs the processes of this machine are bound to. Collective over those. */
CWI_CHECKED cw_error cwi_cores_start(void);

/* Move the calling thread, the server's, where nobody else is bound. */
void cwi_cores_take(void);

#ifdef __cplusplus
}
#endif
#endif
