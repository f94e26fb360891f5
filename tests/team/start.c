/* Communicators on which cw_init cannot start: the call returns a message and has no effect. */
#include "kit/native.h"

#include <mpi.h>
#include <stdlib.h>

static void test_inter(void)
{
  MPI_Comm half = MPI_COMM_NULL, inter = MPI_COMM_NULL;
  const int odd = kit_me() % 2;
  if (kit_processes() < 2)
    return;
  kit_about("an intercommunicator");
  MPI_Comm_split(kit_comm(), odd, 0, &half);
  MPI_Intercomm_create(half, 0, kit_comm(), 1 - odd, 0, &inter);
  KIT_MISUSE("cw_init|comm|intercommunicator", cw_init(inter));
  MPI_Comm_free(&inter);
  MPI_Comm_free(&half);
}

int main(int argc, char **argv)
{
  int level = 0;
  if (MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level) != MPI_SUCCESS)
    abort();
  kit_start(&argc, &argv, "start");
  kit_about("no communicator");
  KIT_MISUSE("cw_init|comm|MPI_COMM_NULL", cw_init(MPI_COMM_NULL));
  test_inter();
  kit_check(!cw_initialized(), "Causeway runs");
  kit_about("then a good one");
  KIT_MUST(cw_init(MPI_COMM_WORLD));
  KIT_OK(cw_barrier(cw_team_world()));
  return kit_finish_native();
}
