/* A program that calls MPI_Finalize without cw_finalize: MPI calls it, or the program gets a
 * message. */
#include "kit/native.h"

#include <mpi.h>

int main(int argc, char **argv)
{
  void *addresses[16];
  cw_region region = NULL;
  int64_t before = -1;
  kit_start_native(&argc, &argv, "forgotten");
  const int next = (kit_me() + 1) % kit_processes();
  KIT_MUST(cw_init(MPI_COMM_WORLD)); /* starts are counted */
  KIT_MUST(cw_region_create(cw_team_world(), 64, &region, addresses));
  *(int64_t *)addresses[kit_me()] = 0;
  KIT_MUST(cw_barrier(cw_team_world()));
  KIT_MUST(cw_fetch_add_int64(addresses[next], 1, next, &before));
  kit_check_long((long)before, 0, "the counter");
  const int status = kit_finish(); /* MPI_Finalize */
  return status != 0 ? status : cw_initialized();
}
