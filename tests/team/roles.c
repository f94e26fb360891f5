/* CW_CHECK=1: threads of two processes in calls of two teams, in exchanged roles. A process does
 * not know that it has several threads before the second one calls. */
#include "kit/native.h"

#include <mpi.h>
#include <pthread.h>
#include <unistd.h>

/* The order of the threads' calls: first the thread that waits, then the second thread of its
 * process, then the other process. */
enum { STEP = 200000 /* microseconds */ };

static cw_team first_team, second_team;

static void *enter_second(void *team)
{
  usleep(STEP);
  if (kit_me() == 0) /* now it calls */
    MPI_Send(NULL, 0, MPI_BYTE, 1, 0, kit_comm());
  KIT_OK(cw_barrier(team));
  return NULL;
}

static void enter_barriers(cw_team mine, cw_team of_second)
{
  pthread_t second;
  kit_check(pthread_create(&second, NULL, enter_second, of_second) == 0, "a thread");
  KIT_OK(cw_barrier(mine));
  pthread_join(second, NULL);
}

int main(int argc, char **argv)
{
  const int ranks[2] = {0, 1};
  kit_start_native(&argc, &argv, "roles");
  kit_need_threads();
  kit_hang_guard();
  KIT_MUST(cw_team_create(cw_team_world(), 2, ranks, 1, &first_team));
  KIT_MUST(cw_team_create(cw_team_world(), 2, ranks, 2, &second_team));
  kit_barrier();
  if (kit_me() == 0) {
    enter_barriers(first_team, second_team);
  } else {
    MPI_Recv(NULL, 0, MPI_BYTE, 0, 0, kit_comm(), MPI_STATUS_IGNORE);
    usleep(STEP);
    enter_barriers(second_team, first_team);
  }
  KIT_OK(cw_team_free(&second_team));
  KIT_OK(cw_team_free(&first_team));
  return kit_finish_native();
}
