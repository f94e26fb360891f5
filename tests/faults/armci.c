/* Like native.c, for ARMCI's calls, which end the job themselves when they fail. Only ARMCI_Malloc
 * returns an error, on all members alike. */
#include "armci.h"
#include "armcix.h"
#include "message.h"

#include <mpi.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WORDS = 512 };

static char plus[] = "+", greatest[] = "max";

static int me, peer;
static const char *doing = "start";

static void expect(bool right, const char *what)
{
  char text[200];
  if (right)
    return;
  snprintf(text, sizeof text, "FAILED: %s: %s", doing, what);
  fprintf(stderr, "%s\n", text);
  ARMCI_Error(text, 3);
}

static void allocate(void **addresses, armci_size_t bytes)
{
  if (ARMCI_Malloc(addresses, bytes) != 0)
    ARMCI_Error("ended by the program: no memory from ARMCI_Malloc", 2);
}

static void transfers(void)
{
  static double local[WORDS], seen[WORDS];
  void *addresses[2];
  int count[2] = {64, 8}, strides[1] = {128};
  double scale = 2, one = 1;
  armci_hdl_t handle;
  doing = "transfers";
  allocate(addresses, sizeof local);
  double *theirs = addresses[peer];
  for (int i = 0; i < WORDS; i++)
    local[i] = i + me;
  ARMCI_Put(local, theirs, sizeof local, peer);
  ARMCI_Fence(peer);
  ARMCI_INIT_HANDLE(&handle);
  ARMCI_NbGet(theirs, seen, sizeof seen, peer, &handle);
  ARMCI_Wait(&handle);
  expect(memcmp((const char *)seen, (const char *)local, sizeof seen) == 0,
         "a get brought wrong data");
  ARMCI_NbAccS(ARMCI_DOUBLE, &scale, local, strides, theirs, strides, count, 1, peer, NULL);
  ARMCI_WaitAll();
  ARMCI_NbPutS(local, strides, theirs, strides, count, 1, peer, &handle);
  ARMCI_Wait(&handle);
  void *from[2] = {&theirs[0], &theirs[20]}, *to[2] = {&seen[1], &seen[30]};
  armci_giov_t vector = {
      .src_ptr_array = from, .dst_ptr_array = to, .ptr_array_len = 2, .bytes = 8};
  ARMCI_GetV(&vector, 1, peer);
  expect(seen[1] == local[0], "a vector get brought wrong data");
  ARMCI_Acc(ARMCI_DOUBLE, &one, local, theirs, sizeof local, peer);
  ARMCI_AllFence();
  ARMCI_Barrier();
  ARMCI_Free(addresses[me]);
}

static void groups(void)
{
  int both[2] = {0, 1}, sum[2] = {1, me};
  double x = me;
  long many[600] = {0};
  char text[8] = "";
  ARMCI_Group group, copy, own, world;
  void *addresses[2];
  doing = "groups";
  ARMCI_Group_get_world(&world);
  ARMCI_Group_create(2, both, &group);
  ARMCIX_Group_dup(&group, &copy);
  ARMCIX_Group_split(&world, me, 0, &own);
  if (ARMCI_Malloc_group(addresses, me == 0 ? 100 : 0, &copy) != 0)
    ARMCI_Error("ended by the program: no memory from ARMCI_Malloc_group", 2);
  ARMCI_Free_group(addresses[me], &copy);
  armci_msg_group_igop(sum, 2, plus, &group);
  expect(sum[0] == 2 && sum[1] == 1, "a sum is wrong");
  armci_msg_gop_scope(SCOPE_NODE, &x, 1, greatest, ARMCI_DOUBLE);
  armci_msg_gop_scope(SCOPE_MASTERS, &x, 1, greatest, ARMCI_DOUBLE);
  armci_msg_lgop(many, 600, plus);
  armci_msg_sel(&x, sizeof x, greatest, ARMCI_DOUBLE, 1);
  if (me == 0)
    strcpy(text, "hello");
  armci_msg_bcast(text, sizeof text, 0);
  expect(strcmp(text, "hello") == 0, "a broadcast brought wrong data");
  armci_exchange_address(addresses, 2);
  armci_msg_barrier();
  armci_msg_group_barrier(&group);
  ARMCI_Group_free(&own);
  ARMCI_Group_free(&copy);
  ARMCI_Group_free(&group);
}

static void synchronisation(void)
{
  void *addresses[2];
  long before = 0, value = 0;
  ARMCI_Group world;
  doing = "synchronisation";
  allocate(addresses, 64);
  memset(addresses[me], 0, 64);
  ARMCI_Barrier();
  ARMCI_Create_mutexes(2);
  for (int i = 0; i < 5; i++) {
    ARMCI_Lock(1, 0);
    ARMCI_Get(addresses[0], &value, sizeof value, 0);
    value++;
    ARMCI_Put(&value, addresses[0], sizeof value, 0);
    ARMCI_Unlock(1, 0);
  }
  ARMCI_Rmw(ARMCI_FETCH_AND_ADD_LONG, &before, (char *)addresses[0] + 8, 1, 0);
  ARMCI_PutValueInt(3, (char *)addresses[peer] + 16, peer);
  ARMCI_Barrier();
  ARMCI_Get(addresses[0], &value, sizeof value, 0);
  expect(value == 10, "updates under a mutex were lost");
  ARMCI_Destroy_mutexes();
  ARMCI_Group_get_world(&world);
  armcix_mutex_hdl_t set = ARMCIX_Create_mutexes_hdl(1, &world);
  ARMCIX_Lock_hdl(set, 0, me);
  ARMCIX_Unlock_hdl(set, 0, me);
  ARMCIX_Destroy_mutexes_hdl(set);
  /* The memory is left for ARMCI_Finalize to free. */
}

int main(int argc, char **argv)
{
  int level = 0;
  if (MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level) != MPI_SUCCESS ||
      MPI_Comm_rank(MPI_COMM_WORLD, &me) != MPI_SUCCESS)
    return 4;
  peer = 1 - me;
  ARMCI_Init();
  void *memory = ARMCI_Malloc_local(100);
  if (memory == NULL)
    ARMCI_Error("ended by the program: no memory from ARMCI_Malloc_local", 2);
  ARMCI_Free_local(memory);
  transfers();
  groups();
  synchronisation();
  doing = "finalize";
  ARMCI_Finalize();
  printf("process %d is well\n", me);
  return MPI_Finalize() == MPI_SUCCESS ? 0 : 4;
}
