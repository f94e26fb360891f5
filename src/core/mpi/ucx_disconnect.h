/* Leaving MPI without closing UCX's connections, where closing them hangs. */
#ifndef CWI_MPI_UCX_DISCONNECT_H
#define CWI_MPI_UCX_DISCONNECT_H

/* From now on MPI_Finalize leaves TCP connections open, if the setting and the table of
 * work-arounds want it. */
void cwi_disconnect_start(void);
#endif
