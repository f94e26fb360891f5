/* A process that tries a held mutex repeatedly leaves the host alone between two tries: MPI does
 * not serve epochs in turn, and the holder needs one to unlock. After a failed try the process does
 * not access the window for at least twice as long as the try took, up to 50 ms. */
#include "kit/native.h"

#include "base/clock.h"

#include <mpi.h>

enum { TRIES = 30 };

static double entered, left; /* end of the last epoch, or 0 */
static long epochs, hasty;

int MPI_Win_lock(int kind, int rank, int assertion, MPI_Win window)
{
  const double now = cwi_now();
  const double least = 2 * (left - entered) < 0.05 ? 2 * (left - entered) : 0.05;
  hasty += epochs++ > 0 && now - left < least;
  entered = now;
  return PMPI_Win_lock(kind, rank, assertion, window);
}

int MPI_Win_unlock(int rank, MPI_Win window)
{
  const int code = PMPI_Win_unlock(rank, window);
  left = cwi_now();
  return code;
}

static void poll_held(cw_mutexes mutexes, int host)
{
  epochs = hasty = 0;
  for (int i = 0; i < TRIES; i++) {
    bool acquired = true;
    KIT_OK(cw_mutex_trylock(mutexes, 0, host, &acquired));
    kit_check(!acquired, "trylock gave a mutex that is held");
  }
  kit_check_long(epochs, TRIES, "number of epochs");
  kit_check_long(hasty, 0, "number of tries too soon after the last");
}

int main(int argc, char **argv)
{
  cw_mutexes mutexes = NULL;
  bool acquired = false;
  kit_start_native(&argc, &argv, "trylock_pause");
  kit_hang_guard();
  const int host = kit_processes() - 1;
  KIT_MUST(cw_mutexes_create(cw_team_world(), 1, &mutexes));
  if (kit_me() == 0)
    KIT_OK(cw_mutex_lock(mutexes, 0, host));
  KIT_OK(cw_barrier(cw_team_world()));
  kit_about("tries while another holds the mutex");
  if (kit_me() != 0)
    poll_held(mutexes, host);
  KIT_OK(cw_barrier(cw_team_world()));
  if (kit_me() == 0)
    KIT_OK(cw_mutex_unlock(mutexes, 0, host));
  KIT_OK(cw_barrier(cw_team_world()));
  kit_about("a try when it is free");
  if (kit_me() == host) {
    KIT_OK(cw_mutex_trylock(mutexes, 0, host, &acquired));
    kit_check(acquired, "trylock did not give a free mutex");
    KIT_OK(cw_mutex_unlock(mutexes, 0, host));
  }
  KIT_OK(cw_mutexes_free(&mutexes));
  return kit_finish_native();
}
