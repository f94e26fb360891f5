/* Every process writes its number into its right neighbour's memory, through ARMCI's interface. */
#include <armci.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
  MPI_Init(&argc, &argv);
  ARMCI_Init();
  const int processes = armci_msg_nproc();
  int me = armci_msg_me();
  int right = 0;

  void **slices = calloc((size_t)processes, sizeof *slices);
  ARMCI_Malloc(slices, sizeof(int));
  ARMCI_Put(&me, slices[(me + 1) % processes], sizeof me, (me + 1) % processes);
  ARMCI_Barrier();
  right = *(int *)slices[me] == (me + processes - 1) % processes;
  MPI_Allreduce(MPI_IN_PLACE, &right, 1, MPI_INT, MPI_LAND, MPI_COMM_WORLD);
  if (me == 0)
    puts(right ? "right" : "wrong");
  ARMCI_Free(slices[me]);
  free(slices);
  ARMCI_Finalize();
  MPI_Finalize();
  return !right;
}
