/* Making windows. Either all members get a window or none does. Some MPI libraries confuse windows
 * that disjoint sets of processes make at the same time; with those libraries, windows are made one
 * at a time on each machine.
 *
 * On every machine, one member claims the turn of that machine (mpi/machine_claim.h), which all
 * worlds of the job share. If the members do not get the turn on all of their machines, they
 * release the turns that they have and try again. Only processes that make a window take part. */
#include "mpi/machine_claim.h"
#include "mpi/mpi_library.h"
#include "mpi/mpi_progress.h"
#include "mpi/workaround.h"
#include "route/rma/rma.h"
#include "team/world.h"
#include "wait/wait_report.h"
#include "wait/waiter.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* --- Turns ------------------------------------------------------------------------------------ */

/* Returns true if I am the member that claims my machine's turn: the first one on the
 * machine. */
static bool is_claimant(const int *processes)
{
  for (int rank = 0; processes[rank] != cwi_world.process; rank++)
    if (cwi_same_machine(processes[rank]))
      return false;
  return true;
}

/* Sleeps for a random time, whose upper bound doubles with each failure. */
static void pause_after(unsigned failures)
{
  enum { SHORTEST_NANOSECONDS = 20000, MOST_DOUBLINGS = 6 };
  static uint32_t last;
  const uint32_t random =
      (__atomic_load_n(&last, __ATOMIC_RELAXED) + (uint32_t)cwi_world.process) * 1664525u +
      1013904223u;
  __atomic_store_n(&last, random, __ATOMIC_RELAXED);
  const unsigned doublings = failures < MOST_DOUBLINGS ? failures : MOST_DOUBLINGS;
  cwi_nap(SHORTEST_NANOSECONDS + (long)(random >> 18) * (1L << doublings));
}

static void window_awaited(const void *what, char *text, size_t size)
{
  (void)what;
  snprintf(text, size,
           "its turn to make an MPI window on this machine, one at a time with this MPI");
}

/* State of a member's claim; after an error -1 minus the number of the process. All members
 * continue with the minimum of their states. */
enum { ANOTHERS, MINE, NEEDS_NONE };

static int failed_claim(void)
{
  return -1 - cwi_world.process;
}

/* Combines a contribution of all members. Aborts on failure: without the result no member knows
 * which of them have a window, and nothing can be undone. */
static void share_all(const int *contribution, int *all, int numbers, MPI_Op op, MPI_Comm comm)
{
  if (CWI_MPI(MPI_Allreduce(contribution, all, numbers, MPI_INT, op, comm)) != CW_OK)
    cwi_abort(cwi_error_message(), 1);
}

/* Tries to claim the turn on my machine. *creation_claim receives the claim, or -1 for members that
 * do not claim. */
static int claim_creation(bool claimant, int *creation_claim, cw_error *error)
{
  *creation_claim = claimant ? cwi_claim("window") : -1;
  if (!claimant || *creation_claim >= 0)
    return MINE;
  if (errno == EADDRINUSE)
    return ANOTHERS;
  *error = cwi_outside("process %d cannot take its turn at making a window (needed with this MPI "
                       "where only some processes of the job make one): %s",
                       cwi_world.process, cwi_system_error(errno));
  return failed_claim();
}

/* Waits for the turn on all machines. A window of all processes of the job needs no turn. */
static cw_error take_creation(MPI_Comm comm, bool claimant, int *creation_claim)
{
  bool others = false;
  cw_error error = cwi_others_may_be(comm, &others);
  cwi_waiting.awaited = window_awaited;
  for (unsigned failures = 0;; failures++) {
    const int have = error != CW_OK ? failed_claim()
                     : others       ? claim_creation(claimant, creation_claim, &error)
                                    : NEEDS_NONE;
    int all = have;
    share_all(&have, &all, 1, MPI_MIN, comm);
    if (all >= MINE)
      return CW_OK;
    cwi_claim_end(*creation_claim);
    *creation_claim = -1;
    if (all < ANOTHERS)
      return error != CW_OK
                 ? error
                 : cwi_outside("process %d cannot take its turn at making a window", -1 - all);
    cwi_waiting_check();
    pause_after(failures);
  }
}

/* Waits for the turn to make a window, if this MPI needs turns. */
static cw_error begin_creation(MPI_Comm comm, const int *processes, int *creation_claim)
{
  *creation_claim = -1;
  return cwi_workaround_applies(CWI_OPENMPI_WIN_DISJOINT)
             ? take_creation(comm, is_claimant(processes), creation_claim)
             : CW_OK;
}

/* --- Windows ---------------------------------------------------------------------------------- */

static cw_error require_unified(MPI_Win window)
{
  int *model = NULL, found = 0;
  CWI_TRY(CWI_MPI(MPI_Win_get_attr(window, MPI_WIN_MODEL, &model, &found)));
  if (!found || *model != MPI_WIN_UNIFIED)
    return cwi_outside("this MPI keeps a second copy of window memory (MPI_WIN_SEPARATE): loads "
                       "and stores would not see what other processes put");
  return CW_OK;
}

/* Result of one member's attempt. */
struct attempt {
  cw_error error;
  bool made, locked;
  MPI_Win window;
};

static cw_error window_try(MPI_Comm comm, void *base, size_t bytes, MPI_Win *window)
{
  if (bytes == CWI_DYNAMIC_WINDOW)
    return CWI_MPI(MPI_Win_create_dynamic(MPI_INFO_NULL, comm, window));
  return CWI_MPI(
      MPI_Win_create(bytes > 0 ? base : NULL, (MPI_Aint)bytes, 1, MPI_INFO_NULL, comm, window));
}

static cw_error window_make(MPI_Comm comm, void *base, size_t bytes, MPI_Win *window)
{
  const cw_error error = window_try(comm, base, bytes, window);
  const char *hint = error != CW_OK ? cwi_mpi_windows_need() : NULL;
  return hint != NULL ? cwi_error_append(error, "%s", hint) : error;
}

static struct attempt attempt(MPI_Comm comm, void *base, size_t bytes, bool lock)
{
  struct attempt mine = {.window = MPI_WIN_NULL};
  mine.error = window_make(comm, base, bytes, &mine.window);
  mine.made = mine.error == CW_OK;
  if (mine.made)
    mine.error = CWI_MPI(MPI_Win_set_errhandler(mine.window, MPI_ERRORS_RETURN));
  if (mine.error == CW_OK && lock)
    mine.error = require_unified(mine.window);
  if (mine.error == CW_OK && lock)
    mine.error = CWI_MPI(MPI_Win_lock_all(MPI_MODE_NOCHECK, mine.window));
  mine.locked = mine.error == CW_OK && lock;
  return mine;
}

/* Undoes the attempt of one member. Freeing is collective: if a member has no window, those of the
 * others cannot be freed. */
static cw_error undo(struct attempt *mine, bool all_made)
{
  if (mine->locked)
    CWI_TRY(CWI_MPI(MPI_Win_unlock_all(mine->window)));
  return all_made ? CWI_MPI(MPI_Win_free(&mine->window)) : CW_OK;
}

cw_error cwi_window_make(const int *processes, MPI_Comm comm, cw_error ready, void *base,
                         size_t bytes, bool lock, MPI_Win *window)
{
  int creation_claim = -1;
  CWI_TRY(begin_creation(comm, processes, &creation_claim));
  struct attempt mine = attempt(comm, base, bytes, lock);
  const cw_error error = ready != CW_OK ? ready : mine.error;
  const int contribution[2] = {!mine.made, error != CW_OK ? 1 + cwi_world.process : 0};
  int all[2] = {0, 0};
  share_all(contribution, all, 2, MPI_MAX, comm);
  cwi_claim_end(creation_claim); /* every member has made the window or has failed */
  *window = all[1] == 0 ? mine.window : MPI_WIN_NULL;
  if (all[1] == 0)
    return CW_OK;
  if (mine.made)
    CWI_TRY(undo(&mine, all[0] == 0));
  return error != CW_OK ? error
                        : cwi_outside("process %d cannot make its part of a window", all[1] - 1);
}

/* No call returns the component of Open MPI that has made a window. But windows of osc/rdma have
 * the info key no_locks, and those of osc/ucx have not. */
bool cwi_window_is_by_transport(MPI_Win window)
{
  char value[8] = "";
  int found = 1;
  MPI_Info info = MPI_INFO_NULL;
  if (strcmp(cwi_mpi_library()->name, "Open MPI") != 0 ||
      MPI_Win_get_info(window, &info) != MPI_SUCCESS)
    return true;
  const int code = MPI_Info_get(info, "no_locks", (int)sizeof value - 1, value, &found);
  return MPI_Info_free(&info) != MPI_SUCCESS || code != MPI_SUCCESS || found != 0;
}
