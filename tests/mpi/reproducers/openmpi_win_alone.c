/* Open MPI 4.1 without a fast network: MPI_Win_create fails on a communicator of one process.
 * https://github.com/open-mpi/ompi/issues/10726 */
#include "reproducer.h"

int main(int argc, char **argv)
{
  static double memory[64];
  MPI_Win window = MPI_WIN_NULL;
  CHECK(MPI_Init(&argc, &argv));
  CHECK(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN));
  const int there = MPI_Win_create(memory, sizeof memory, 1, MPI_INFO_NULL, MPI_COMM_SELF,
                                   &window) != MPI_SUCCESS;
  if (!there)
    CHECK(MPI_Win_free(&window));
  return finish(there, "openmpi_win_alone");
}
