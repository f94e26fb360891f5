/* Which MPI library this is. */
#ifndef CWI_MPI_LIBRARY_H
#define CWI_MPI_LIBRARY_H

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

/* "MPICH 4.0.2", "Open MPI 4.1.4", ... */
const char *cwi_mpi_name(void);

/* A function of the UCX that MPI has loaded; NULL: it has not. */
void *cwi_mpi_ucx(const char *name);

/* It is of a version whose TCP connections may hang when they are closed: see mpi/disconnect.c. */
bool cwi_ucx_hangs(void);

#ifdef __cplusplus
}
#endif
#endif
