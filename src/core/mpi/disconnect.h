/* Leaving MPI without closing UCX's connections, where closing them hangs. */
#ifndef CWI_MPI_DISCONNECT_H
#define CWI_MPI_DISCONNECT_H

#ifdef __cplusplus
extern "C" {
#endif

/* From now on MPI_Finalize leaves TCP connections open, if the setting and the table of
 * work-arounds want it. */
void cwi_disconnect_start(void);

#ifdef __cplusplus
}
#endif
#endif
