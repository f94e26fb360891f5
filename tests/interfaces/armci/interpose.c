/* A tool defines ARMCI_ functions that call their PARMCI_ versions. It must see the program's
 * calls, each once, and none of the library's own. */
#include "armci_kit.h"

#include <stdlib.h>

static int inits, finalizes, barriers, loads, stores, waits, message_barriers;

int ARMCI_Init(void)
{
  inits++;
  return PARMCI_Init();
}

int ARMCI_Finalize(void)
{
  finalizes++;
  return PARMCI_Finalize();
}

void ARMCI_Barrier(void)
{
  barriers++;
  PARMCI_Barrier();
}

int ARMCI_Get(void *src, void *dst, int size, int target)
{
  loads++;
  return PARMCI_Get(src, dst, size, target);
}

int ARMCI_Put(void *src, void *dst, int size, int target)
{
  stores++;
  return PARMCI_Put(src, dst, size, target);
}

int ARMCI_WaitAll(void)
{
  waits++;
  return PARMCI_WaitAll();
}

void armci_msg_barrier(void)
{
  message_barriers++;
  parmci_msg_barrier();
}

int main(int argc, char **argv)
{
  kit_start(&argc, &argv, "armci.interpose");
  int value = 1, flag_value = 0, count[1] = {sizeof value};
  kit_check_long(ARMCI_Init_args(&argc, &argv), 0, "ARMCI_Init_args");
  kit_check_long(ARMCI_Init(), 0, "ARMCI_Init");
  void **slices = kit_alloc((size_t)kit_processes(), sizeof *slices);
  ARMCI_Malloc(slices, 2 * sizeof(int));
  int *mine = slices[kit_me()];
  ARMCI_Put(&value, mine, sizeof value, kit_me());
  ARMCI_PutS(&value, NULL, mine, NULL, count, 0, kit_me());
  ARMCI_PutValueInt(2, mine, kit_me());
  ARMCI_Put_flag(&value, mine, sizeof value, mine + 1, 7, kit_me());
  ARMCI_Get(mine + 1, &flag_value, sizeof flag_value, kit_me());
  kit_check_long(flag_value, 7, "flag");
  kit_check_long(ARMCI_GetValueInt(mine, kit_me()), 1, "value");
  ARMCI_Wait(NULL);
  ARMCI_Barrier();
  armci_msg_barrier();
  ARMCI_Free(mine);
  free(slices);
  kit_check_long(ARMCI_Finalize(), 0, "ARMCI_Finalize");
  kit_check_long(PARMCI_Finalize(), 0, "PARMCI_Finalize");
  kit_check_long(inits, 1, "ARMCI_Init seen");
  kit_check_long(finalizes, 1, "ARMCI_Finalize seen");
  kit_check_long(barriers, 1, "ARMCI_Barrier seen");
  kit_check_long(loads, 1, "ARMCI_Get seen");
  kit_check_long(stores, 1, "ARMCI_Put seen");
  kit_check_long(waits, 0, "ARMCI_WaitAll seen");
  kit_check_long(message_barriers, 1, "armci_msg_barrier seen");
  return kit_finish();
}
