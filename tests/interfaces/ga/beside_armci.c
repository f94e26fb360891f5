/* ARMCI calls in a GA program: one runtime serves both, in any order of starting and ending. GA
 * starts and ends here in each order relative to ARMCI_Init and ARMCI_Finalize. */
#include "kit/kit.h"

#include <armci.h>
#include <armcix.h>
#include <ga.h>
#include <mp3.h>

#include <stdlib.h>

/* Memory and an update by ARMCI, which the neighbour and all processes see. */
static void **transfers(void)
{
  const int me = kit_me(), all = kit_processes(), right = (me + 1) % all;
  void **slices = kit_alloc((size_t)all, sizeof *slices);
  int value = me, sum = 1;
  kit_check_long(ARMCI_Malloc(slices, 2 * sizeof(int)), 0, "ARMCI_Malloc");
  ((int *)slices[me])[1] = 0;
  ARMCI_Barrier();
  ARMCI_Put(&value, slices[right], sizeof value, right);
  long one = 1;
  ARMCI_Rmw(ARMCI_FETCH_AND_ADD, &one, (int *)slices[0] + 1, 1, 0);
  ARMCI_Barrier();
  kit_check_long(*(int *)slices[me], (me + all - 1) % all, "what the left neighbour has put");
  if (me == 0)
    kit_check_long(((int *)slices[me])[1], all, "a counter");
  armci_msg_igop(&sum, 1, (char[]){"+"});
  kit_check_long(sum, all, "armci_msg_igop");
  return slices;
}

/* GA's own work in the memory of the same runtime: GA_Malloc_local and an array. */
static void arrays(void)
{
  int dims[1] = {kit_processes()}, at[1] = {kit_me()}, ld[1] = {1}, value = 7 + kit_me(), got = 0;
  const int array = NGA_Create(C_INT, 1, dims, (char[]){"a"}, NULL);
  NGA_Put(array, at, at, &value, ld);
  GA_Sync();
  at[0] = (kit_me() + 1) % kit_processes();
  NGA_Get(array, at, at, &got, ld);
  kit_check_long(got, 7 + at[0], "an element of the array");
  int *mine = NULL;
  at[0] = kit_me();
  NGA_Access(array, at, at, &mine, ld);
  ARMCI_Get(mine, &got, sizeof got, kit_me());
  kit_check_long(got, value, "ARMCI_Get of GA's memory");
  NGA_Release(array, at, at);
  GA_Destroy(array);
}

static int default_size(void)
{
  ARMCI_Group group;
  int size = -1;
  ARMCI_Group_get_default(&group);
  ARMCI_Group_size(&group, &size);
  return size;
}

/* GA's default group is ARMCI's. */
static void groups(void)
{
  int me[1] = {GA_Nodeid()}, rank = -1;
  ARMCI_Group kept, one;
  const int alone = GA_Pgroup_create(me, 1);
  GA_Pgroup_set_default(alone);
  kit_check_long(default_size(), 1, "size of ARMCI's default group");
  ARMCI_Group_get_default(&kept);
  ARMCI_Group_create(1, (int[]){0}, &one); /* a rank of the default group */
  kit_check_long(ARMCI_Group_rank(&one, &rank), 0, "ARMCI_Group_rank");
  kit_check_long(ARMCI_Absolute_id(&one, rank), kit_me(), "the process of a group of one");
  ARMCI_Group_free(&one);
  GA_Pgroup_set_default(GA_Pgroup_get_world());
  kit_check_long(default_size(), kit_processes(), "size of ARMCI's default group, the world again");
  kit_check_long(ARMCI_Absolute_id(&kept, 0), kit_me(), "GA's group is there");
  GA_Pgroup_destroy(alone);
  kit_check_long(ARMCI_Absolute_id(&kept, 0), -1, "GA's group is gone");
}

enum { NOT, BEFORE, AFTER };

/* init, finalize: whether the program calls ARMCI_Init and ARMCI_Finalize, and whether before or
 * after GA's start and end. */
static void life(int init, int finalize, bool keep)
{
  kit_about("ARMCI_Init %d, ARMCI_Finalize %d, memory kept %d", init, finalize, keep);
  kit_check_long(ARMCI_Initialized(), 0, "ARMCI_Initialized before");
  if (init == BEFORE)
    kit_check_long(ARMCI_Init(), 0, "ARMCI_Init");
  kit_check_long(ARMCI_Initialized(), init == BEFORE, "ARMCI_Initialized after ARMCI_Init");
  GA_INIT(NULL, NULL);
  kit_check_long(ARMCI_Initialized(), 1, "ARMCI_Initialized after GA_Initialize");
  if (init == AFTER)
    kit_check_long(ARMCI_Init(), 0, "ARMCI_Init");
  void **slices = transfers();
  arrays();
  groups();
  if (finalize == BEFORE)
    kit_check_long(ARMCI_Finalize(), 0, "ARMCI_Finalize");
  kit_check_long(default_size(), kit_processes(), "ARMCI runs while GA runs");
  if (!keep)
    kit_check_long(ARMCI_Free(slices[kit_me()]), 0, "ARMCI_Free");
  GA_Terminate();
  const bool left = init != NOT && finalize != BEFORE;
  kit_check_long(ARMCI_Initialized(), left, "ARMCI_Initialized after GA_Terminate");
  if (left)
    free(transfers());
  if (keep)
    kit_check_long(ARMCI_Free(slices[kit_me()]), 0, "ARMCI_Free after GA_Terminate");
  free(slices);
  if (finalize == AFTER)
    kit_check_long(ARMCI_Finalize(), 0, "ARMCI_Finalize");
  kit_check_long(ARMCI_Initialized(), 0, "ARMCI_Initialized at the end");
}

int main(int argc, char **argv)
{
  kit_start(&argc, &argv, "cwga.beside_armci");
  life(NOT, NOT, false);
  life(NOT, AFTER, false); /* more often than needed */
  for (int init = BEFORE; init <= AFTER; init++) {
    life(init, BEFORE, false);
    life(init, AFTER, false);
    life(init, AFTER, true);
  }
  kit_check_long(ARMCI_Init(), 0, "ARMCI_Init");
  GA_Initialize();
  free(transfers());
  return kit_finish(); /* MPI_Finalize without ending GA and ARMCI */
}
