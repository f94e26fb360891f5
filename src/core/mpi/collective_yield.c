/* Collective calls of MPI that yield the core while they wait: see collective_yield.h. */
#include "mpi/collective_yield.h"

#include "mpi/mpi_request.h"
#include "mpi/mpi_result.h"

static int cores_are_short = true;

void cwi_yield_forget(void)
{
  cores_are_short = true;
}

cw_error cwi_yield_agree(MPI_Comm comm, bool crowded)
{
  int any = crowded;
  CWI_TRY(cwi_mpi_allreduce(&any, 1, MPI_INT, MPI_MAX, comm));
  cores_are_short = any;
  return CW_OK;
}

cw_error cwi_mpi_barrier(MPI_Comm comm)
{
  MPI_Request request = MPI_REQUEST_NULL;
  if (!cores_are_short)
    return CWI_MPI(MPI_Barrier(comm));
  CWI_TRY(CWI_MPI(MPI_Ibarrier(comm, &request)));
  return cwi_mpi_wait(&request);
}

cw_error cwi_mpi_allreduce(void *data, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm)
{
  MPI_Request request = MPI_REQUEST_NULL;
  if (!cores_are_short)
    return CWI_MPI(MPI_Allreduce(MPI_IN_PLACE, data, count, type, op, comm));
  CWI_TRY(CWI_MPI(MPI_Iallreduce(MPI_IN_PLACE, data, count, type, op, comm, &request)));
  return cwi_mpi_wait(&request);
}

cw_error cwi_mpi_bcast(void *data, int count, MPI_Datatype type, int root, MPI_Comm comm)
{
  MPI_Request request = MPI_REQUEST_NULL;
  if (!cores_are_short)
    return CWI_MPI(MPI_Bcast(data, count, type, root, comm));
  CWI_TRY(CWI_MPI(MPI_Ibcast(data, count, type, root, comm, &request)));
  return cwi_mpi_wait(&request);
}

cw_error cwi_mpi_allgather(const void *mine, size_t bytes, void *all, MPI_Comm comm)
{
  MPI_Request request = MPI_REQUEST_NULL;
  const int each = (int)bytes;
  if (!cores_are_short)
    return CWI_MPI(MPI_Allgather(mine, each, MPI_BYTE, all, each, MPI_BYTE, comm));
  CWI_TRY(CWI_MPI(MPI_Iallgather(mine, each, MPI_BYTE, all, each, MPI_BYTE, comm, &request)));
  return cwi_mpi_wait(&request);
}

cw_error cwi_mpi_duplicate(MPI_Comm comm, MPI_Comm *copy)
{
  MPI_Request request = MPI_REQUEST_NULL;
  if (!cores_are_short)
    return CWI_MPI(MPI_Comm_dup(comm, copy));
  CWI_TRY(CWI_MPI(MPI_Comm_idup(comm, copy, &request)));
  return cwi_mpi_wait(&request);
}
