/* Included before src/move/sync/mutex_mpi.c: unlock does not notify the next waiting process. */
#include <mpi.h>

#define MPI_Send(buffer, count, type, rank, tag, comm)                                             \
  ((void)(rank), (void)(tag), (void)(comm), MPI_SUCCESS)
