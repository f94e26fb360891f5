/* MPI_Finalize for programs of libarmci and libcwga: stops Causeway first, if the program has not
 * stopped it.
 *
 * With ARMCI-MPI and GA, a program may call MPI_Finalize without ARMCI_Finalize or GA_Terminate.
 * But a server's thread calls MPI until Causeway stops. So these libraries define MPI_Finalize
 * through MPI's profiling interface, as mpi_init.c does for MPI_Init. */
#include "base/error.h"

#include <causeway/runtime.h>

#include <mpi.h>

int MPI_Finalize(void)
{
  while (cw_initialized())
    if (cw_finalize() != CW_OK)
      cwi_abort(cwi_error_message(), 1);
  return PMPI_Finalize();
}

#define FORTRAN_ENTRY(suffix)                                                                      \
  void mpi_finalize##suffix(MPI_Fint *error);                                                      \
                                                                                                   \
  void mpi_finalize##suffix(MPI_Fint *error)                                                       \
  {                                                                                                \
    const int result = MPI_Finalize();                                                             \
    if (error != NULL)                                                                             \
      *error = result;                                                                             \
  }

FORTRAN_ENTRY(_)
FORTRAN_ENTRY(_f08_)
