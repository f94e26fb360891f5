/* A job that dies after all processes have put to the next one; dying.sh checks its profile.
 *
 *   dying kill|segv|abort|mpi_abort|lost|slow|merge|write|late|early|met
 *
 * This is how process 1 ends. lost: its partial profile is not found either. slow: its partial
 * profile arrives after process 0 has written everything. merge: it dies when it should send its
 * counters. write: process 0 dies while it writes the timeline. late: the others die long after it.
 * early: no process dies, but the world ends before its crash reporter begins. met: no process
 * dies, and two jobs write the same files at once. */
#include "kit/kit.h"

#include <causeway.h>

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { BYTES = 4096, PUTS = 1000 };

static bool ok(cw_error error)
{
  return kit_check(error == CW_OK, "%s", cw_error_message());
}

static bool dies_in_merge, dies_in_writing;

/* Called by the library, too. */
int MPI_Isend(const void *buffer, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm,
              MPI_Request *request)
{
  if ((dies_in_merge && to == 0) || (dies_in_writing && to == 1))
    kill(getpid(), SIGKILL);
  return PMPI_Isend(buffer, count, type, to, tag, comm, request);
}

static const char
    *rendezvous; /* files of each job that has arrived so far; NULL if it waits for none */

/* Waits until the other job has arrived here, too. */
static void wait_for_other_job(void)
{
  const struct timespec nap = {.tv_nsec = 10000000};
  char mine[256], others[256];
  if (rendezvous == NULL)
    return;
  snprintf(mine, sizeof mine, "%s/%s", rendezvous, getenv("MET_AS"));
  snprintf(others, sizeof others, "%s/%s", rendezvous, getenv("MET_WITH"));
  rendezvous = NULL;
  const int file = open(mine, O_CREAT | O_WRONLY, 0600);
  kit_check(file >= 0 && close(file) == 0, "meeting");
  while (access(others, F_OK) != 0)
    nanosleep(&nap, NULL);
}

/* Called by the library, too: an archive is about to take its place. */
int flock(int file, int operation)
{
  wait_for_other_job();
  return (int)syscall(SYS_flock, file, operation);
}

static bool loses_part, is_slow, has_part;

/* Called by the crash reporter of process 1, too: its partial profile is complete. */
int rename(const char *from, const char *to)
{
  const struct timespec nap = {.tv_nsec = 10000000};
  const bool is_part = strstr(to, ".parts/") != NULL;
  if (strstr(to, "otf2") == NULL)
    wait_for_other_job(); /* the other job's file is not complete, or not renamed */
  has_part = has_part || is_part;
  if (loses_part && is_part) {
    errno = EROFS;
    return -1;
  }
  while (is_slow && is_part && access(from, F_OK) == 0)
    nanosleep(&nap, NULL);
  return (int)syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, 0);
}

static bool begins_late, is_reporter;

/* A crash reporter is a grandchild. */
pid_t fork(void)
{
  static int forks;
  const struct timespec wait = {.tv_nsec = 300000000};
  pid_t (*real_fork)(void) = NULL;
  *(void **)&real_fork = dlsym(RTLD_NEXT, "fork");
  const pid_t child = real_fork();
  is_reporter = child == 0 && ++forks == 2;
  if (begins_late && is_reporter)
    nanosleep(&wait, NULL); /* for a core */
  return child;
}

static bool is_quick;

/* The clock of a crash reporter may be three times as fast, because its timeouts are seconds. This
 * begins when its partial profile is complete: before that it records how long calls took. */
int clock_gettime(clockid_t clock, struct timespec *now)
{
  static int64_t begin;
  if (syscall(SYS_clock_gettime, clock, now) != 0)
    return -1;
  if (is_quick && has_part && is_reporter && clock == CLOCK_MONOTONIC) {
    const int64_t real = now->tv_sec * INT64_C(1000000000) + now->tv_nsec;
    if (begin == 0)
      begin = real;
    const int64_t fast = begin + 3 * (real - begin);
    now->tv_sec = fast / 1000000000;
    now->tv_nsec = fast % 1000000000;
  }
  return 0;
}

/* The world ends before its crash reporter has begun. The program continues and removes its
 * profile. */
static int end_early(void)
{
  const struct timespec wait = {.tv_nsec = 600000000};
  begins_late = true;
  ok(cw_init(MPI_COMM_WORLD));
  ok(cw_finalize());
  nanosleep(&wait, NULL);
  kit_check(unlink(getenv("CW_PROFILE")) == 0, "there is a profile");
  return kit_finish();
}

/* Both jobs have the same PIDs, and have written everything when one gives a file its name. */
static int end_together(void)
{
  cw_region region = NULL;
  void *address = NULL;
  const int64_t word = 1;
  ok(cw_init(MPI_COMM_WORLD));
  if (ok(cw_region_create(cw_team_world(), BYTES, &region, &address)))
    for (int i = 0; i < PUTS; i++)
      ok(cw_put(&word, address, sizeof word, 0));
  ok(cw_region_free(cw_team_world(), &region));
  rendezvous = getenv("MEETS_AT");
  ok(cw_finalize());
  return kit_finish();
}

/* Ends the process. It waits first, so that the others count what they wait for. */
static void die(const char *how)
{
  const struct timespec wait = {.tv_nsec = 50000000};
  nanosleep(&wait, NULL);
  if (strcmp(how, "segv") == 0)
    signal(SIGSEGV, SIG_DFL); /* MPI may have taken the signal */
  if (strcmp(how, "abort") == 0)
    cw_abort("the test ends", 7);
  if (strcmp(how, "mpi_abort") == 0)
    MPI_Abort(MPI_COMM_WORLD, 7);
  kill(getpid(), strcmp(how, "segv") == 0 ? SIGSEGV : SIGKILL);
}

/* This process is not notified that another one has died. */
static void die_late(void)
{
  const struct timespec wait = {.tv_sec = 1};
  nanosleep(&wait, NULL);
  kill(getpid(), SIGKILL);
}

int main(int argc, char **argv)
{
  cw_region region = NULL;
  const char *how = argc > 1 ? argv[1] : "kill";
  int rank = 0;
  kit_start(&argc, &argv, "dying");
  if (strcmp(how, "early") == 0)
    return end_early();
  if (strcmp(how, "met") == 0)
    return end_together();
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  loses_part = rank == 1 && strcmp(how, "lost") == 0;
  is_slow = rank == 1 && strcmp(how, "slow") == 0;
  is_quick = strcmp(how, "late") == 0 || strcmp(how, "lost") == 0 || strcmp(how, "slow") == 0;
  ok(cw_init(MPI_COMM_WORLD));
  const int me = cw_process(), next = (me + 1) % cw_processes();
  void **addresses = kit_alloc((size_t)cw_processes(), sizeof *addresses);
  const int64_t word = me;
  if (ok(cw_region_create(cw_team_world(), BYTES, &region, addresses))) {
    ok(cw_profile_begin("never ends"));
    for (int i = 0; i < PUTS; i++)
      ok(cw_put(&word, addresses[next], sizeof word, next)); /* site: put */
    ok(cw_barrier(cw_team_world()));
    dies_in_merge = me == 1 && strcmp(how, "merge") == 0;
    dies_in_writing = me == 0 && strcmp(how, "write") == 0; /* when process 1 has to send */
    const bool ends = strcmp(how, "merge") == 0 || strcmp(how, "write") == 0;
    if (me == 1 && !ends)
      die(how);
    if (strcmp(how, "late") == 0)
      die_late();
    ok(ends ? cw_finalize() : cw_barrier(cw_team_world()));
  }
  free(addresses);
  kit_check(false, "nobody has died");
  return kit_finish();
}
