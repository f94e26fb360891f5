/* Probe at start: whether MPI completes one-sided operations while the target is outside MPI. */
#include "route/rma/rma_probe.h"

#include "base/clock.h"
#include "memory/zone.h"
#include "mpi/collective_yield.h"
#include "mpi/mpi_progress.h"
#include "route/rma/rma.h"
#include "team/world.h"

#include <stdlib.h>
#include <string.h>

/* Time that the target stays outside MPI. If the origin's puts and gets take less than a third of
 * it, they have not waited for the target. */
static const double COMPUTE_SECONDS = 6e-3;

/* BYTES is a multiple of PAGE because of CWI_MPICH_WIN_UNALIGNED. It is large enough that MPI uses
 * its protocol for long messages. That protocol may need the target's help even if the protocol for
 * short messages does not. */
enum { TAG = 4711, PAGE = 4096, BYTES = 64 * PAGE };

static void probe_compute(void)
{
  const double end = cwi_now() + COMPUTE_SECONDS;
  while (cwi_now() < end)
    continue;
}

/* Puts and gets `bytes` bytes. Rank 0 is the origin, rank 1 the target. */
static cw_error probe_move(MPI_Win window, char *local, int bytes)
{
  CWI_TRY(CWI_MPI(MPI_Put(local, bytes, MPI_BYTE, 1, 0, bytes, MPI_BYTE, window)));
  CWI_TRY(CWI_MPI(MPI_Win_flush(1, window)));
  CWI_TRY(CWI_MPI(MPI_Get(local, bytes, MPI_BYTE, 1, 0, bytes, MPI_BYTE, window)));
  return CWI_MPI(MPI_Win_flush(1, window));
}

/* Measures the moves of rank 0 while rank 1 computes. If a put or get fails, *seconds is unchanged,
 * which counts as no progress. The error is not returned, because rank 0 must still enter the
 * barrier in which rank 1 waits. */
static cw_error measure(MPI_Comm pair, MPI_Win window, char *local, double *seconds)
{
  int rank = 0;
  CWI_TRY(CWI_MPI(MPI_Comm_rank(pair, &rank)));
  CWI_TRY(CWI_MPI(MPI_Barrier(pair)));
  if (rank == 1) {
    probe_compute();
  } else {
    const double start = cwi_now();
    if (probe_move(window, local, 8) == CW_OK && probe_move(window, local, BYTES) == CW_OK)
      *seconds = cwi_now() - start;
  }
  return CWI_MPI(MPI_Barrier(pair));
}

/* Makes a window and measures with it. `shared` lies in the zone. `shared` or `local` is NULL if
 * there was no memory. */
static cw_error with_window(MPI_Comm pair, const int members[2], char *shared, char *local,
                            double *seconds)
{
  MPI_Win window = MPI_WIN_NULL;
  const cw_error ready =
      shared != NULL && local != NULL ? CW_OK : cwi_outside("no memory for a probe");
  /* An MPI that cannot make the window counts as one that does not progress. Both processes get the
   * same result. */
  if (cwi_window_make(members, pair, ready, shared, shared != NULL ? BYTES : 0, true, &window) !=
      CW_OK)
    return CW_OK;
  CWI_TRY(measure(pair, window, local, seconds));
  CWI_TRY(CWI_MPI(MPI_Win_unlock_all(window)));
  return CWI_MPI(MPI_Win_free(&window));
}

/* Makes a communicator of two processes. Only these two call the function. */
static cw_error make_pair(const int members[2], MPI_Comm *pair)
{
  MPI_Comm world = cwi_world.team->internal;
  MPI_Group all = MPI_GROUP_NULL, two = MPI_GROUP_NULL;
  CWI_TRY(CWI_MPI(MPI_Comm_group(world, &all)));
  CWI_TRY(CWI_MPI(MPI_Group_incl(all, 2, members, &two)));
  CWI_TRY(CWI_MPI(MPI_Comm_create_group(world, two, TAG, pair)));
  CWI_TRY(CWI_MPI(MPI_Comm_set_errhandler(*pair, MPI_ERRORS_RETURN)));
  CWI_TRY(CWI_MPI(MPI_Group_free(&two)));
  return CWI_MPI(MPI_Group_free(&all));
}

static cw_error between(const int members[2], double *seconds)
{
  MPI_Comm pair = MPI_COMM_NULL;
  CWI_TRY(make_pair(members, &pair));
  char *shared = cwi_heap_allocate(&cwi_zone.internal, BYTES, 0);
  char *local = aligned_alloc(PAGE, BYTES);
  if (local != NULL)
    memset(local, 0, BYTES);
  const cw_error error = with_window(pair, members, shared, local, seconds);
  free(local);
  if (shared != NULL)
    cwi_heap_free(&cwi_zone.internal, shared);
  CWI_TRY(CWI_MPI(MPI_Comm_free(&pair)));
  return error;
}

cw_error cwi_probe_progress(struct cwi_probe *probe)
{
  const double start = cwi_now();
  int members[2] = {0, cwi_world.processes - 1};
  double seconds = COMPUTE_SECONDS;
  while (cwi_world.node_of[members[1]] == cwi_world.node_of[0])
    members[1]--;
  if (cwi_world.process == members[0] || cwi_world.process == members[1])
    CWI_TRY(between(members, &seconds));
  CWI_TRY(cwi_mpi_bcast(&seconds, 1, MPI_DOUBLE, 0, cwi_world.team->internal));
  probe->progresses = seconds < COMPUTE_SECONDS / 3;
  probe->milliseconds = 1e3 * (cwi_now() - start);
  return CW_OK;
}
