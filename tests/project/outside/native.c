/* Every process writes its number into its right neighbour's slice. */
#include <causeway.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
  int threads;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &threads);
  CW_MUST(cw_init(MPI_COMM_WORLD));
  const int me = cw_process();
  const int processes = cw_processes();
  cw_region region = NULL;
  int right = 0;

  void **slices = calloc((size_t)processes, sizeof *slices);
  CW_MUST(cw_region_create(cw_team_world(), sizeof(int), &region, slices));
  CW_MUST(cw_put(&me, slices[(me + 1) % processes], sizeof me, (me + 1) % processes));
  CW_MUST(cw_barrier(cw_team_world()));
  right = *(int *)slices[me] == (me + processes - 1) % processes;
  MPI_Allreduce(MPI_IN_PLACE, &right, 1, MPI_INT, MPI_LAND, MPI_COMM_WORLD);
  if (me == 0)
    puts(right ? "right" : "wrong");
  CW_MUST(cw_region_free(cw_team_world(), &region));
  free(slices);
  CW_MUST(cw_finalize());
  MPI_Finalize();
  return !right;
}
