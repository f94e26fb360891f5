/* Which MPI library this is. */
#ifndef CWI_MPI_MPI_LIBRARY_H
#define CWI_MPI_MPI_LIBRARY_H

#include "base/error.h"

#include <stdbool.h>

#define CWI_ANOTHER_MPI "another MPI"

struct cwi_mpi_library {
  const char *name; /* "MPICH", "Open MPI" or CWI_ANOTHER_MPI */
  int version[3];   /* of another: 0 */
  char text[96];    /* "MPICH 4.0.2"; of another the first line of what it says */
};

/* The library that runs, also before MPI_Init. */
const struct cwi_mpi_library *cwi_mpi_library(void);

/* Does the MPI that runs have the handles of the one that this library is built for? */
bool cwi_mpi_fits(void);

/* Errors: CW_MISUSE where it has not: nothing else of MPI may be called then. Warns where another
 * MPI is loaded beside it. */
CWI_CHECKED cw_error cwi_mpi_check_library(void);

/* A function of the UCX that MPI has loaded; NULL: it has not. */
void *cwi_mpi_ucx(const char *name);

/* It is of a version whose TCP connections may hang when they are closed: see mpi/ucx_disconnect.c.
 */
bool cwi_ucx_hangs(void);
#endif
