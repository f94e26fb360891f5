/* A program on ARMCI, or with -DNAMED_GA on Global Arrays, that makes several calls of each class;
 * check.py searches the profile for their names. */
#ifdef NAMED_GA
#include "ga.h"
#include "macdecls.h"
#else
#include "armci.h"
#endif
#include "kit/kit.h"

#include <mpi.h>
#include <stdlib.h>

enum { COLUMNS = 20 };
static double buffer[COLUMNS];

#ifdef NAMED_GA
/* Returns at once, so that all calls that it makes by pointers come from one place. */
typedef void row_call(int g_a, int lo[], int hi[], void *buf, int ld[]);
static __attribute__((noinline)) void call_row(row_call *call, int g_a)
{
  int lo[2] = {0, 0}, hi[2] = {0, COLUMNS - 1}, ld[1] = {COLUMNS};
  call(g_a, lo, hi, buffer, ld);
  kit_check(true, "the call is no tail call");
}

static void use_interface(void)
{
  int dims[2] = {4, COLUMNS}, lo[2] = {0, 0}, hi[2] = {0, COLUMNS - 1}, ld[1] = {COLUMNS};
  double one = 1, sum = 1;
  GA_Initialize();
  MA_init(C_DBL, 1000, 1000);
  const int array = NGA_Create(C_DBL, 2, dims, (char *)"named", NULL);
  GA_Zero(array);
  GA_Sync();
  for (int i = 0; i < 3; i++)
    call_row(NGA_Put, array);
  for (int i = 0; i < 2; i++)
    call_row(NGA_Get, array);
  NGA_Acc(array, lo, hi, buffer, ld, &one);
  GA_Dgop(&sum, 1, (char *)"+");
  GA_Sync();
  GA_Destroy(array);
  GA_Terminate();
}
#else
static void use_interface(void)
{
  int me = 0, processes = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  MPI_Comm_size(MPI_COMM_WORLD, &processes);
  ARMCI_Init();
  void **slices = calloc((size_t)processes, sizeof *slices);
  int stride[1] = {sizeof buffer[0]}, count[2] = {sizeof buffer[0], COLUMNS}, old = 0;
  double one = 1;
  ARMCI_Malloc(slices, sizeof buffer);
  ARMCI_Barrier();
  for (int i = 0; i < 3; i++)
    ARMCI_Put(buffer, slices[me], sizeof buffer, me);
  for (int i = 0; i < 2; i++)
    ARMCI_PutS(buffer, stride, slices[me], stride, count, 1, me);
  ARMCI_PutValueDouble(1, slices[me], me);
  ARMCI_Get(slices[me], buffer, sizeof buffer, me);
  ARMCI_Acc(ARMCI_ACC_DBL, &one, buffer, slices[me], sizeof buffer, me);
  ARMCI_Rmw(ARMCI_FETCH_AND_ADD, &old, slices[me], 1, me);
  kit_check_long(old, 0, "what was there before");
  ARMCI_Fence(me);
  ARMCI_AllFence();
  ARMCI_Barrier();
  ARMCI_Free(slices[me]);
  free(slices);
  ARMCI_Finalize();
}
#endif

int main(int argc, char **argv)
{
  kit_start(&argc, &argv, "named");
  use_interface();
  return kit_finish();
}
