/* Starts, waits in a barrier and ends, with Causeway or (argument "without") with MPI alone, to
 * test that the job ends. */
#include <causeway.h>

#include <mpi.h>
#include <stdio.h>
#include <string.h>

static int with_causeway(void)
{
  return cw_init(MPI_COMM_WORLD) == CW_OK && cw_barrier(cw_team_world()) == CW_OK &&
         cw_finalize() == CW_OK;
}

int main(int argc, char **argv)
{
  int provided = 0, good = 1;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  if (argc > 1 && strcmp(argv[1], "without") == 0)
    MPI_Barrier(MPI_COMM_WORLD);
  else
    good = with_causeway();
  if (!good)
    fprintf(stderr, "finish: %s\n", cw_error_message());
  MPI_Finalize();
  return good ? 0 : 1;
}
