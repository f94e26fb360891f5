/* Leaving MPI without closing UCX's connections, where closing them hangs. */
#ifndef CWI_MPI_DISCONNECT_H
#define CWI_MPI_DISCONNECT_H

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The UCX of this process, if MPI has brought one, is of a version whose TCP connections may hang
 * when they are closed (workaround.c). */
bool cwi_ucx_hangs(void);

/* From now on MPI_Finalize leaves TCP connections open, if the setting and the table of
 * work-arounds want it. */
void cwi_disconnect_start(void);

#ifdef __cplusplus
}
#endif
#endif
