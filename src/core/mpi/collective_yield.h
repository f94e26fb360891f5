/* MPI's collective calls, for members that leave the core to each other.
 *
 * MPI's own spin until the last member has come. Where processes outnumber the cores each round of
 * a call then takes every one of them a time slice: a barrier of 64 processes on two cores lasts
 * 0.7 seconds. These calls wait as cwi_mpi_wait does, until it is known that no machine of the job
 * is short of cores; from then on they are MPI's own. Collective over comm. */
#ifndef CWI_MPI_COLLECTIVE_YIELD_H
#define CWI_MPI_COLLECTIVE_YIELD_H

#include "base/error.h"

#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>

/* Are cores short on a machine of the job? The same answer everywhere. Before, and after `forget`,
 * it is taken that they are. */
CWI_CHECKED cw_error cwi_yield_agree(MPI_Comm comm, bool crowded);
void cwi_yield_forget(void);

CWI_CHECKED cw_error cwi_mpi_barrier(MPI_Comm comm);

/* In place. */
CWI_CHECKED cw_error cwi_mpi_allreduce(void *data, int count, MPI_Datatype type, MPI_Op op,
                                       MPI_Comm comm);
CWI_CHECKED cw_error cwi_mpi_bcast(void *data, int count, MPI_Datatype type, int root,
                                   MPI_Comm comm);

/* So many bytes of each rank. */
CWI_CHECKED cw_error cwi_mpi_allgather(const void *mine, size_t bytes, void *all, MPI_Comm comm);

/* MPI_Comm_dup */
CWI_CHECKED cw_error cwi_mpi_duplicate(MPI_Comm comm, MPI_Comm *copy);
#endif
