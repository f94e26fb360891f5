/* More processes than cores: who waits for another node leaves its core to others. Process 0 comes
 * late, again and again; the CPU time of those that wait for it, in a barrier, for a mutex, for a
 * message, is a small part of the time that they wait. */
#include "base/lock.h"
#include "kit/native.h"

#include <time.h>
#include <unistd.h>

enum { ROUNDS = 30, LATE_MICROSECONDS = 10000 };
static const double MOST =
    0.2; /* who sleeps has less than 0.1; who spins 1, unless others compute */

static double seconds(clockid_t clock)
{
  struct timespec now;
  clock_gettime(clock, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* What waits; process 0 makes it wait. */
typedef void (*wait_function)(bool late);

static void check(wait_function wait, const char *what)
{
  double waited = 0, used = 0;
  kit_about("%s", what);
  for (int round = 0; round < ROUNDS; round++) {
    const double begin = seconds(CLOCK_MONOTONIC), cpu = seconds(CLOCK_THREAD_CPUTIME_ID);
    wait(kit_me() == 0);
    waited += seconds(CLOCK_MONOTONIC) - begin;
    used += seconds(CLOCK_THREAD_CPUTIME_ID) - cpu;
    KIT_MUST(cw_barrier(cw_team_world()));
  }
  kit_check(kit_me() == 0 || used < MOST * waited, "it used %.0f ms of CPU in a wait of %.0f ms",
            1e3 * used, 1e3 * waited);
}

static void barrier(bool late)
{
  if (late)
    usleep(LATE_MICROSECONDS);
  KIT_MUST(cw_barrier(cw_team_world()));
}

static cw_mutexes mutexes;

static void mutex(bool late)
{
  if (late)
    KIT_MUST(cw_mutex_lock(mutexes, 0, 0));
  KIT_MUST(cw_barrier(cw_team_world()));
  if (late)
    usleep(LATE_MICROSECONDS);
  else
    KIT_MUST(cw_mutex_lock(mutexes, 0, 0));
  KIT_MUST(cw_mutex_unlock(mutexes, 0, 0));
}

int main(int argc, char **argv)
{
  kit_start_native(&argc, &argv, "server.waiting");
  int crowded = cwi_core_is_wanted();
  MPI_Allreduce(MPI_IN_PLACE, &crowded, 1, MPI_INT, MPI_MIN, kit_comm());
  if (!crowded)
    kit_skip("there are cores enough");
  KIT_MUST(cw_mutexes_create(cw_team_world(), 1, &mutexes));
  check(barrier, "barrier");
  check(mutex, "mutex");
  KIT_MUST(cw_mutexes_free(&mutexes));
  return kit_finish_native();
}
