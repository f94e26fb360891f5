/* mpich_finalize: MPI_Finalize hangs on several hosts, with UCX over TCP. finalize.sh runs this
 * again and again: it ends, or it does not. */
#include "reproducer.h"

int main(int argc, char **argv)
{
  start(&argc, &argv, "MPICH Version:");
  CHECK(MPI_Barrier(MPI_COMM_WORLD));
  CHECK(MPI_Finalize());
  return 0;
}
