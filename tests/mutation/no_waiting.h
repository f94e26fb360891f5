/* Included before src/sync/mutex_mpi.c: who finds the mutex taken takes it too. */
#include <mpi.h>

#define MPI_Test(request, flag, status) (*(flag) = 1, MPI_SUCCESS)
