/* The MPI operations of route window. */
#include "mpi/call.h"
#include "mpi/workaround.h"
#include "route/window/window.h"
#include "team/world.h"

/* MPI counts are int: longer transfers take several operations. */
static const size_t MOST_BYTES = (size_t)1 << 30;

/* Long accumulates go in pieces. Several at a time keep the wire busy, and their number bounded. */
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
                                   here.type, MPI_SUM, window, issue->request));
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
                                  there.type, MPI_SUM, window));
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
      issue->operation == CW_ACCUMULATE ? cwi_mpi_habits()->accumulate_piece : MOST_BYTES;
  if (issue->request != NULL && bytes <= most)
    return request_one(issue, (struct cwi_typed){local, (int)(bytes / issue->atom), issue->element},
                       cwi_displacement(issue, remote));
  return move_pieces(issue, local, (char *)(uintptr_t)remote, bytes, most);
}

/* --- Read-modify-write ------------------------------------------------------------------------ */

/* Values of both widths; what MPI reads and writes is the one that `type` names. */
union value {
  int narrow;
  long wide;
};

static union value value_of(int64_t number, int width)
{
  union value value = {.wide = 0};
  if (width == 4)
    value.narrow = (int)number;
  else
    value.wide = (long)number;
  return value;
}

static cw_error run(const struct cwi_rmw *rmw, struct cwi_target *target, union value *old)
{
  /* The types of accumulates, so that MPI makes both atomic with respect to each other. */
  MPI_Datatype type = rmw->width == 4 ? MPI_INT : MPI_LONG;
  MPI_Win window = target->exposure->window;
  const MPI_Aint at = (MPI_Aint)((const char *)rmw->remote - target->base);
  const union value value = value_of(rmw->value, rmw->width);
  const union value expected = value_of(rmw->expected, rmw->width);
  if (rmw->operation == CWI_COMPARE_SWAP)
    CWI_TRY(CWI_MPI(MPI_Compare_and_swap(&value, &expected, old, type, target->rank, at, window)));
  else
    CWI_TRY(CWI_MPI(MPI_Fetch_and_op(&value, old, type, target->rank, at,
                                     rmw->operation == CWI_SWAP ? MPI_REPLACE : MPI_SUM, window)));
  return cwi_target_flush(target);
}

/* Open MPI's 8-byte compare-and-swap on myself crashes. Those of others reach my memory as messages
 * that this process carries out with the processor's atomics: so mine may be one too. */
static bool goes_directly(const struct cwi_rmw *rmw, const struct cwi_target *target)
{
  if (rmw->process != cwi_world.process)
    return false;
  return cwi_exposure_alone(target->exposure) ||
         (rmw->operation == CWI_COMPARE_SWAP && rmw->width == 8 &&
          cwi_workaround_applies(CWI_OPENMPI_SWAP_SELF));
}

static cw_error run_in_order(const struct cwi_rmw *rmw, int64_t *before)
{
  struct cwi_target *target = NULL;
  union value old = {.wide = 0};
  CWI_TRY(cwi_target_at(&rmw->place, &target));
  const struct cwi_trace trace = {.bytes = cwi_footprint_of_run(rmw->remote, (size_t)rmw->width),
                                  .kind = CWI_TRACE_RMW};
  CWI_TRY(cwi_target_order(target, &trace));
  if (goes_directly(rmw, target))
    return cwi_route_direct.rmw(rmw, before);
  target->updates++;
  CWI_TRY(run(rmw, target, &old));
  *before = rmw->width == 4 ? old.narrow : old.wide;
  return CW_OK;
}

cw_error cwi_window_rmw(const struct cwi_rmw *rmw, int64_t *before)
{
  cwi_threads_lock();
  const cw_error error = run_in_order(rmw, before);
  cwi_threads_unlock();
  return error;
}
