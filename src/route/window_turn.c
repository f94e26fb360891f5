/* One window at a time on each machine, for MPI libraries that mix up windows which disjoint teams
 * make at the same moment. On every machine of a team one member takes the machine's lock, a locked
 * file; a team that does not get all of its machines gives back those it has and tries again. No
 * process that makes no window takes part. */
#include "base/clock.h"
#include "mpi/call.h"
#include "mpi/workaround.h"
#include "route/window.h"
#include "team/world.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <time.h>
#include <unistd.h>

static int file = -1;    /* of my machine; without a name once all have opened it */
static bool held;        /* by a thread of mine */
static uint32_t waiting; /* differs between processes: how long to wait after a failure */

static cw_error open_file(const char *path)
{
  file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  return file >= 0 ? CW_OK : cwi_outside("%s cannot be opened: %s", path, strerror(errno));
}

cw_error cwi_turns_start(void)
{
  if (!cwi_workaround_applies(CWI_OPENMPI_WIN_DISJOINT) || cwi_world.processes == 1)
    return CW_OK;
  MPI_Comm world = cwi_world.team->internal;
  long job[2] = {(long)getpid(), (long)(cwi_now() * 1e6)};
  char path[128];
  CWI_TRY(CWI_MPI(MPI_Bcast(job, 2, MPI_LONG, 0, world)));
  snprintf(path, sizeof path, "/tmp/causeway-turn-%lx-%lx-%d", (unsigned long)job[0],
           (unsigned long)job[1], cwi_world.machine_of[cwi_world.process]);
  held = false;
  waiting = (uint32_t)cwi_world.process;
  const cw_error error = open_file(path);
  CWI_TRY(CWI_MPI(MPI_Barrier(world)));
  unlink(path);
  return error;
}

cw_error cwi_turns_stop(void)
{
  if (file >= 0)
    close(file);
  file = -1;
  return CW_OK;
}

static bool must_wait(cw_team team)
{
  return file >= 0 && team != cwi_world.team;
}

/* The member that takes my machine's lock. */
static bool is_keeper(cw_team team)
{
  for (int rank = 0; rank < team->rank; rank++)
    if (cwi_same_machine(team->process[rank]))
      return false;
  return true;
}

static bool try_lock(void)
{
  cwi_threads_lock();
  const bool mine = !held && flock(file, LOCK_EX | LOCK_NB) == 0;
  held = held || mine;
  cwi_threads_unlock();
  return mine;
}

static void unlock(void)
{
  cwi_threads_lock();
  held = false;
  flock(file, LOCK_UN);
  cwi_threads_unlock();
}

/* Longer each time, and for every process another while. */
static void pause_after(unsigned failures)
{
  enum { SHORTEST_NANOSECONDS = 20000, MOST_DOUBLINGS = 6 };
  waiting = waiting * 1664525u + 1013904223u;
  const unsigned doublings = failures < MOST_DOUBLINGS ? failures : MOST_DOUBLINGS;
  const struct timespec nap = {.tv_nsec = SHORTEST_NANOSECONDS +
                                          (long)(waiting >> 18) * (1L << doublings)};
  nanosleep(&nap, NULL);
}

cw_error cwi_turn_take(cw_team team)
{
  if (!must_wait(team))
    return CW_OK;
  const bool keeper = is_keeper(team);
  for (unsigned failures = 0;; failures++) {
    const bool mine = keeper && try_lock();
    int have = mine || !keeper, all = 0;
    CWI_TRY(CWI_MPI(MPI_Allreduce(&have, &all, 1, MPI_INT, MPI_MIN, team->internal)));
    if (all)
      return CW_OK;
    if (mine)
      unlock();
    pause_after(failures);
  }
}

cw_error cwi_turn_give(cw_team team)
{
  if (!must_wait(team))
    return CW_OK;
  CWI_TRY(CWI_MPI(MPI_Barrier(team->internal)));
  if (is_keeper(team))
    unlock();
  return CW_OK;
}
