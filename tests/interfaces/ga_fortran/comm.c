/* Returns the number of processes of a Fortran communicator to forms.F90, so that the test needs no
 * Fortran MPI library. */
#include <mpi.h>

#include "typesf2c.h"

Integer comm_size_(const Integer *comm);

Integer comm_size_(const Integer *comm)
{
  int size = 0;
  MPI_Comm_size(MPI_Comm_f2c((MPI_Fint)*comm), &size);
  return size;
}
