/* Making windows: for all members of a team or for none, and one at a time on each machine for MPI
 * libraries that mix up windows which disjoint teams make at the same moment.
 *
 * On every machine of a team one member takes the machine's lock, a word in memory that its
 * processes share; a team that does not get all of its machines gives back those it has and tries
 * again. Only processes that make a window take part. */
#include "mpi/call.h"
#include "mpi/workaround.h"
#include "route/window/window.h"
#include "team/world.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { PAGE = 4096 };

static uint32_t *word;                     /* of my machine: 1 while a team has the turn */
static MPI_Win word_window = MPI_WIN_NULL; /* that holds it, if a memory file does not */
static uint32_t waiting; /* differs between processes: how long to wait after a failure */

/* --- The word --------------------------------------------------------------------------------- */

/* A memory file of the machine's first process. Nothing has a name that others could take first. */
struct invitation {
  pid_t pid;
  int file; /* -1: there is none */
  dev_t device;
  ino_t inode;
};

static int invite(struct invitation *invitation)
{
  struct stat status;
  const int file = memfd_create("causeway-turn", MFD_CLOEXEC);
  invitation->file = -1;
  if (file >= 0 && ftruncate(file, PAGE) == 0 && fstat(file, &status) == 0)
    *invitation = (struct invitation){getpid(), file, status.st_dev, status.st_ino};
  return file;
}

/* In another PID namespace the path may lead to another process's file: compare before use. */
static int accept_invitation(const struct invitation *invitation)
{
  char path[64];
  struct stat status;
  snprintf(path, sizeof path, "/proc/%ld/fd/%d", (long)invitation->pid, invitation->file);
  const int file = invitation->file >= 0 ? open(path, O_RDWR | O_CLOEXEC) : -1;
  if (file < 0)
    return -1;
  if (fstat(file, &status) == 0 && status.st_dev == invitation->device &&
      status.st_ino == invitation->inode)
    return file;
  close(file);
  return -1;
}

static uint32_t *map(int file)
{
  void *mapped =
      file >= 0 ? mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0) : MAP_FAILED;
  return mapped != MAP_FAILED ? mapped : NULL;
}

/* word stays NULL where one process of the machine cannot have it. */
static cw_error share_file(MPI_Comm machine)
{
  struct invitation invitation = {0};
  int rank = 0, all = 0;
  CWI_TRY(CWI_MPI(MPI_Comm_rank(machine, &rank)));
  int file = rank == 0 ? invite(&invitation) : -1;
  CWI_TRY(CWI_MPI(MPI_Bcast(&invitation, sizeof invitation, MPI_BYTE, 0, machine)));
  if (rank != 0)
    file = accept_invitation(&invitation);
  word = map(file);
  const int mine = word != NULL;
  CWI_TRY(CWI_MPI(MPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_MIN, machine)));
  if (file >= 0)
    close(file);
  if (!all && mine) {
    munmap(word, PAGE);
    word = NULL;
  }
  return CW_OK;
}

static cw_error share_window(MPI_Comm machine)
{
  int rank = 0, unit = 0;
  void *mine = NULL;
  MPI_Aint bytes = 0;
  CWI_TRY(CWI_MPI(MPI_Comm_rank(machine, &rank)));
  CWI_TRY(CWI_MPI(MPI_Win_allocate_shared(rank == 0 ? PAGE : 0, 1, MPI_INFO_NULL, machine,
                                          (void *)&mine, &word_window)));
  CWI_TRY(CWI_MPI(MPI_Win_shared_query(word_window, 0, &bytes, &unit, (void *)&mine)));
  if (rank == 0)
    __atomic_store_n((uint32_t *)mine, 0, __ATOMIC_RELEASE);
  CWI_TRY(CWI_MPI(MPI_Barrier(machine)));
  word = mine;
  return CW_OK;
}

/* Fails only where MPI does. The others may be left in the call then: there is no agreeing. */
static cw_error share_word(MPI_Comm machine)
{
  CWI_TRY(share_file(machine));
  return word != NULL ? CW_OK : share_window(machine);
}

cw_error cwi_turns_start(void)
{
  MPI_Comm world = cwi_world.team->internal, machine = MPI_COMM_NULL;
  if (!cwi_workaround_applies(CWI_OPENMPI_WIN_DISJOINT) || cwi_world.processes == 1)
    return CW_OK;
  waiting = (uint32_t)cwi_world.process;
  CWI_TRY(CWI_MPI(
      MPI_Comm_split(world, cwi_world.machine_of[cwi_world.process], cwi_world.process, &machine)));
  CWI_TRY(CWI_MPI(MPI_Comm_set_errhandler(machine, MPI_ERRORS_RETURN)));
  const cw_error error = share_word(machine);
  if (error != CW_OK) {
    char why[512];
    snprintf(why, sizeof why, "%s", cw_error_message());
    return cwi_outside("process %d shares no memory with the others of its machine, in which teams "
                       "take turns at making windows (needed with this MPI): %s",
                       cwi_world.process, why);
  }
  return CWI_MPI(MPI_Comm_free(&machine));
}

cw_error cwi_turns_stop(void)
{
  if (word_window != MPI_WIN_NULL)
    CWI_TRY(CWI_MPI(MPI_Win_free(&word_window)));
  else if (word != NULL)
    munmap(word, PAGE);
  word = NULL;
  return CW_OK;
}

/* --- Turns ------------------------------------------------------------------------------------ */

static bool must_wait(cw_team team)
{
  return word != NULL && team != cwi_world.team;
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
  uint32_t unlocked = 0;
  return __atomic_compare_exchange_n(word, &unlocked, 1, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED);
}

static void unlock(void)
{
  __atomic_store_n(word, 0, __ATOMIC_RELEASE);
}

/* Longer each time, and for every process another while. */
static void pause_after(unsigned failures)
{
  enum { SHORTEST_NANOSECONDS = 20000, MOST_DOUBLINGS = 6 };
  const uint32_t random = __atomic_load_n(&waiting, __ATOMIC_RELAXED) * 1664525u + 1013904223u;
  __atomic_store_n(&waiting, random, __ATOMIC_RELAXED);
  const unsigned doublings = failures < MOST_DOUBLINGS ? failures : MOST_DOUBLINGS;
  const struct timespec nap = {.tv_nsec =
                                   SHORTEST_NANOSECONDS + (long)(random >> 18) * (1L << doublings)};
  nanosleep(&nap, NULL);
}

static cw_error take_turn(cw_team team)
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

/* All members have made their window, or failed. */
static void give_turn(cw_team team)
{
  if (must_wait(team) && is_keeper(team))
    unlock();
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

/* A member's attempt. */
struct attempt {
  cw_error error;
  bool made, locked;
  MPI_Win window;
};

static cw_error make(MPI_Comm comm, void *base, size_t bytes, MPI_Win *window)
{
  if (bytes == CWI_DYNAMIC_WINDOW)
    return CWI_MPI(MPI_Win_create_dynamic(MPI_INFO_NULL, comm, window));
  return CWI_MPI(
      MPI_Win_create(bytes > 0 ? base : NULL, (MPI_Aint)bytes, 1, MPI_INFO_NULL, comm, window));
}

static struct attempt attempt(MPI_Comm comm, void *base, size_t bytes, bool lock)
{
  struct attempt mine = {.window = MPI_WIN_NULL};
  mine.error = make(comm, base, bytes, &mine.window);
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

/* Freeing is collective: where a member has no window, the others' cannot be freed. */
static cw_error undo(struct attempt *mine, bool all_made)
{
  if (mine->locked)
    CWI_TRY(CWI_MPI(MPI_Win_unlock_all(mine->window)));
  return all_made ? CWI_MPI(MPI_Win_free(&mine->window)) : CW_OK;
}

cw_error cwi_window_make(cw_team team, MPI_Comm comm, cw_error ready, void *base, size_t bytes,
                         bool lock, MPI_Win *window)
{
  CWI_TRY(take_turn(team));
  struct attempt mine = attempt(comm, base, bytes, lock);
  const cw_error error = ready != CW_OK ? ready : mine.error;
  const int told[2] = {!mine.made, error != CW_OK ? 1 + cwi_world.process : 0};
  int all[2] = {0, 0};
  const cw_error agreed = CWI_MPI(MPI_Allreduce(told, all, 2, MPI_INT, MPI_MAX, comm));
  give_turn(team);
  if (agreed != CW_OK) /* it is not known which members have the window: nothing can be undone */
    cwi_abort(cw_error_message(), 1);
  *window = all[1] == 0 ? mine.window : MPI_WIN_NULL;
  if (all[1] == 0)
    return CW_OK;
  if (mine.made)
    CWI_TRY(undo(&mine, all[0] == 0));
  return error != CW_OK ? error
                        : cwi_outside("process %d cannot make its part of a window", all[1] - 1);
}
