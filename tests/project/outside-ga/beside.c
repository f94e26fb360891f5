/* ARMCI's calls beside GA's, as in a program that was written for GA. */
#include <armci.h>
#include <ga.h>
#include <mpi.h>
#include <stdio.h>

#ifdef INTEGER_BYTES
_Static_assert(sizeof(Integer) == INTEGER_BYTES, "the bytes of Fortran's INTEGER");
#endif

#ifdef MIDDLE /* a library that is linked with libarmci calls it */
int middle_put(int *value, void *to, int process);
#define ARMCI_Put(from, to, bytes, process) middle_put(from, to, process)
#endif

enum { MOST = 64 };

int main(int argc, char **argv)
{
  MPI_Init(&argc, &argv);
  GA_Initialize();
  const int me = GA_Nodeid(), all = GA_Nnodes(), right = (me + 1) % all;
  void *slices[MOST];
  int dims[1] = {all}, at[1] = {me}, ld[1] = {1}, value = me, correct = 0;
  const int array = NGA_Create(C_INT, 1, dims, (char[]){"a"}, NULL);
  NGA_Put(array, at, at, &value, ld);
  ARMCI_Malloc(slices, sizeof value);
  ARMCI_Put(&value, slices[right], sizeof value, right);
  ARMCI_Barrier();
  GA_Sync();
  at[0] = right;
  NGA_Get(array, at, at, &value, ld);
  correct = value == right && *(int *)slices[me] == (me + all - 1) % all;
  armci_msg_igop(&correct, 1, (char[]){"min"});
  if (me == 0)
    puts(correct ? "right" : "wrong");
  ARMCI_Free(slices[me]);
  GA_Destroy(array);
  GA_Terminate();
  MPI_Finalize();
  return !correct;
}
