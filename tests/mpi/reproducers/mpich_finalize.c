/* mpich_finalize: MPI_Finalize hangs on several hosts, with UCX over TCP, in about every second
 * job of four hosts. A hang can only be detected by running such a job several times
 * (finalize.sh). */
#include "reproducer.h"

int main(int argc, char **argv)
{
  MPI_Comm machine = MPI_COMM_NULL;
  int here = 0, all = 0;
  CHECK(MPI_Init(&argc, &argv));
  CHECK(MPI_Comm_size(MPI_COMM_WORLD, &all));
  CHECK(MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &machine));
  CHECK(MPI_Comm_size(machine, &here));
  CHECK(MPI_Comm_free(&machine));
  if (my_rank() == 0 && here == all)
    printf("mpich_finalize: cannot tell: it shows in jobs of four hosts, and not in each\n");
  CHECK(MPI_Barrier(MPI_COMM_WORLD));
  CHECK(MPI_Finalize());
  return 0;
}
