/* How many processes a communicator of Fortran has, for forms.F90: so the test needs no MPI library
 * for Fortran. */
#include <mpi.h>

#include "typesf2c.h"

Integer comm_size_(const Integer *comm);

Integer comm_size_(const Integer *comm)
{
  int size = 0;
  MPI_Comm_size(MPI_Comm_f2c((MPI_Fint)*comm), &size);
  return size;
}
