/* Included before src/move/sync/mutex_mpi.c: unlock does not tell who waits next. */
#include <mpi.h>

#define MPI_Send(buffer, count, type, rank, tag, comm)                                             \
  ((void)(rank), (void)(tag), (void)(comm), MPI_SUCCESS)
