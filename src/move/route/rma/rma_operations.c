/* The MPI operations of the rma route. */
#include "mpi/workaround.h"
#include "route/rma/rma.h"

/* MPI counts are int: longer transfers take several operations. */
static const size_t MOST_BYTES = (size_t)1 << 30;

/* Number of pieces of a long operation, usually an accumulate, between local flushes. Several
 * pieces at a time keep the network busy, and the flushes bound their number. */
enum { ACCUMULATES = 64 };

static cw_error request_one(const struct cwi_issue *issue, struct cwi_typed here, MPI_Aint at)
{
  const int rank = issue->target->rank;
  MPI_Win window = issue->target->exposure->window;
  switch (issue->operation) {
  case CW_PUT:
    return CWI_MPI(MPI_Rput(here.address, here.count, here.type, rank, at, here.count, here.type,
                            window, issue->request));
  case CW_GET:
    return CWI_MPI(MPI_Rget(here.address, here.count, here.type, rank, at, here.count, here.type,
                            window, issue->request));
  default:
    return CWI_MPI(MPI_Raccumulate(here.address, here.count, here.type, rank, at, here.count,
                                   here.type, issue->op, window, issue->request));
  }
}

cw_error cwi_move_typed(const struct cwi_issue *issue, struct cwi_typed here,
                        struct cwi_typed there)
{
  const int rank = issue->target->rank;
  const MPI_Aint at = cwi_displacement(issue, there.address);
  MPI_Win window = issue->target->exposure->window;
  switch (issue->operation) {
  case CW_PUT:
    return CWI_MPI(
        MPI_Put(here.address, here.count, here.type, rank, at, there.count, there.type, window));
  case CW_GET:
    return CWI_MPI(
        MPI_Get(here.address, here.count, here.type, rank, at, there.count, there.type, window));
  default:
    return CWI_MPI(MPI_Accumulate(here.address, here.count, here.type, rank, at, there.count,
                                  there.type, issue->op, window));
  }
}

static cw_error move_pieces(const struct cwi_issue *issue, char *local, char *remote, size_t bytes,
                            size_t most)
{
  for (unsigned pieces = 1; bytes > 0; pieces++) {
    const size_t piece = bytes < most ? bytes : most;
    const int count = (int)(piece / issue->atom);
    CWI_TRY(cwi_move_typed(issue, (struct cwi_typed){local, count, issue->element},
                           (struct cwi_typed){remote, count, issue->element}));
    if (pieces % ACCUMULATES == 0)
      CWI_TRY(CWI_MPI(MPI_Win_flush_local(issue->target->rank, issue->target->exposure->window)));
    local += piece;
    remote += piece;
    bytes -= piece;
  }
  return CW_OK;
}

cw_error cwi_move(const struct cwi_issue *issue, char *local, const char *remote, size_t bytes)
{
  const size_t most =
      issue->operation == CW_ACCUMULATE ? cwi_mpi_traits()->accumulate_piece : MOST_BYTES;
  if (issue->request != NULL && bytes <= most)
    return request_one(issue, (struct cwi_typed){local, (int)(bytes / issue->atom), issue->element},
                       cwi_displacement(issue, remote));
  return move_pieces(issue, local, (char *)(uintptr_t)remote, bytes, most);
}
