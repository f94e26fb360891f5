/* Starts and stops twice, for the warnings of the library meanwhile (warnings.sh): starts
 * single|multiple, the thread level that is requested from MPI. */
#include <causeway.h>

#include <mpi.h>
#include <string.h>

int main(int argc, char **argv)
{
  int level = 0;
  if (argc == 2 && strcmp(argv[1], "multiple") == 0)
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
  else
    MPI_Init(&argc, &argv);
  for (int round = 0; round < 2; round++)
    if (cw_init(MPI_COMM_WORLD) != CW_OK || cw_barrier(cw_team_world()) != CW_OK ||
        cw_finalize() != CW_OK)
      cw_abort(cw_error_message(), 1);
  return MPI_Finalize();
}
