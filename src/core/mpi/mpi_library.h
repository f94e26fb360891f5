/* Which MPI library this process runs with. */
#pragma once

#include "base/error.h"

#include <stdbool.h>

#define CWI_ANOTHER_MPI "another MPI"

struct cwi_mpi_library {
  const char *name; /* "MPICH", "Open MPI" or CWI_ANOTHER_MPI */
  int version[3];   /* zeros for another MPI */
  char text[96];    /* "MPICH 4.0.2"; for another MPI the first line of its version text */
};

/* Returns the library that runs. May be called before MPI_Init. */
const struct cwi_mpi_library *cwi_mpi_library(void);

/* Returns true if the MPI that runs has the same handle types (ABI) as the one that this library is
 * built for. */
bool cwi_mpi_fits(void);

/* Returns CW_MISUSE if cwi_mpi_fits() is false; no other function of MPI may be called then. Warns
 * if another MPI is loaded as well. */
CWI_CHECKED cw_error cwi_mpi_check_library(void);

/* Returns the function `name` of the UCX that MPI has loaded, or NULL if MPI has not loaded UCX. */
void *cwi_mpi_ucx(const char *name);

/* Returns true if UCX is of a version whose TCP connections may hang when they are closed: see
 * mpi/ucx_disconnect.c. */
bool cwi_ucx_hangs(void);
