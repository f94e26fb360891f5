/* More processes than cores: a process that waits for another node leaves its core to others.
 * Process 0 comes late repeatedly; the others sleep while they wait for it in a barrier or for a
 * mutex. */
#include "kit/native.h"
#include "wait/lock.h"

#include <unistd.h>

static void barrier(bool late)
{
  if (late)
    usleep(KIT_LATE);
  KIT_MUST(cw_barrier(cw_team_world()));
}

static cw_mutexes mutexes;

static void mutex(bool late)
{
  if (late)
    KIT_MUST(cw_mutex_lock(mutexes, 0, 0));
  KIT_MUST(cw_barrier(cw_team_world()));
  if (late)
    usleep(KIT_LATE);
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
  kit_check_waits(barrier, "barrier");
  kit_check_waits(mutex, "mutex");
  KIT_MUST(cw_mutexes_free(&mutexes));
  return kit_finish_native();
}
