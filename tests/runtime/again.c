/* Restarts where ranks are used as servers: they serve each world, and the job ends. */
#include "kit/native.h"

#include <mpi.h>
#include <stdlib.h>

/* Every process adds to the next one's counter, on another node. */
static void work(void)
{
  cw_region region = NULL;
  void *addresses[16];
  int64_t before = -1;
  const int next = (cw_process() + 1) % cw_processes();
  KIT_MUST(cw_region_create(cw_team_world(), 64, &region, addresses));
  *(int64_t *)addresses[cw_process()] = 5;
  KIT_MUST(cw_barrier(cw_team_world()));
  KIT_OK(cw_fetch_add_int64(addresses[next], 1, next, &before));
  kit_check_long((long)before, 5, "the next one's counter");
  KIT_OK(cw_region_free(NULL, &region));
}

int main(int argc, char **argv)
{
  enum { ROUNDS = 3 };
  int level = 0, processes = 0;
  MPI_Comm half = MPI_COMM_NULL, own = MPI_COMM_NULL;
  if (MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level) != MPI_SUCCESS)
    abort();
  kit_start(&argc, &argv, "again");
  kit_hang_guard();
  MPI_Comm_split(MPI_COMM_WORLD, kit_me() % 4 / 2, 0, &half); /* each half has a server */
  KIT_MUST(cw_init(MPI_COMM_WORLD));
  processes = cw_processes();
  kit_check(processes < kit_processes(), "no rank was set aside");
  MPI_Comm_dup(cw_team_comm(cw_team_world()), &own);
  for (int round = 0; round < ROUNDS; round++) {
    kit_about("round %d", round);
    kit_check_long(cw_processes(), processes, "processes");
    work();
    KIT_OK(cw_finalize());
    KIT_MISUSE("same 4 ranks|without the 2 server ranks", cw_init(half));
    KIT_MISUSE("same 4 ranks|without the 2 server ranks", cw_init(MPI_COMM_SELF));
    /* The servers keep the settings of the first start. */
    setenv("CW_LOG", round % 2 == 0 ? "1" : "0", 1);
    setenv("CW_ROUTE", "server", 1);
    KIT_MISUSE("CW_ROUTE", cw_init(own));
    unsetenv("CW_ROUTE");
    kit_check(!cw_initialized(), "Causeway runs");
    KIT_MUST(cw_init(round % 2 == 0 ? MPI_COMM_WORLD : own));
  }
  kit_use_world(cw_team_comm(cw_team_world()));
  MPI_Comm_free(&own);
  MPI_Comm_free(&half);
  return kit_finish_native();
}
