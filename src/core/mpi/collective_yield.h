/* Collective calls of MPI that yield the core while they wait.
 *
 * MPI's own calls spin until the last member has arrived. If there are more processes than cores,
 * each round of such a call costs every process a time slice: a barrier of 64 processes on two
 * cores lasts 0.7 seconds. These functions use nonblocking collectives and wait as cwi_mpi_wait
 * does. When the processes have agreed that no machine of the job is short of cores, they call
 * MPI's blocking collectives instead. All these functions are collective over comm. */
#pragma once

#include "base/error.h"

#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>

/* A process passes crowded = true if cores are short on its machine. cwi_yield_agree records on all
 * processes of comm whether any of them has done so. Before the first call, and after
 * cwi_yield_forget, cores count as short. */
CWI_CHECKED cw_error cwi_yield_agree(MPI_Comm comm, bool crowded);
void cwi_yield_forget(void);

CWI_CHECKED cw_error cwi_mpi_barrier(MPI_Comm comm);

/* Reduces `data` in place. */
CWI_CHECKED cw_error cwi_mpi_allreduce(void *data, int count, MPI_Datatype type, MPI_Op op,
                                       MPI_Comm comm);
CWI_CHECKED cw_error cwi_mpi_bcast(void *data, int count, MPI_Datatype type, int root,
                                   MPI_Comm comm);

/* Gathers `bytes` bytes of each rank. */
CWI_CHECKED cw_error cwi_mpi_allgather(const void *mine, size_t bytes, void *all, MPI_Comm comm);

/* Duplicates `comm`, as MPI_Comm_dup does. */
CWI_CHECKED cw_error cwi_mpi_duplicate(MPI_Comm comm, MPI_Comm *copy);
