/* More processes than cores: a process that waits for the last one in a sum, a broadcast or a
 * receive leaves its core to others. Process 0 comes late repeatedly; the others sleep while they
 * wait for it. */
#include "armci_kit.h"

#include "wait/lock.h"

#include <message.h>
#include <unistd.h>

enum { TAG = 1, NUMBERS = 1000 };
static double numbers[NUMBERS];

static void sum(bool late)
{
  if (late)
    usleep(KIT_LATE);
  armci_msg_dgop(numbers, NUMBERS, armci_kit_sum);
}

static void broadcast(bool late)
{
  if (late)
    usleep(KIT_LATE);
  armci_msg_bcast(numbers, sizeof numbers, 0);
}

static void message(bool late)
{
  int length = 0;
  if (late)
    usleep(KIT_LATE);
  for (int to = 1; to < kit_processes() && kit_me() == 0; to++)
    armci_msg_snd(TAG, numbers, sizeof numbers, to);
  if (kit_me() != 0)
    armci_msg_rcv(TAG, numbers, sizeof numbers, &length, 0);
}

int main(int argc, char **argv)
{
  armci_kit_start(&argc, &argv, "armci.waiting");
  int crowded = cwi_core_is_wanted();
  MPI_Allreduce(MPI_IN_PLACE, &crowded, 1, MPI_INT, MPI_MIN, kit_comm());
  if (!crowded)
    kit_skip("there are cores enough");
  kit_check_waits(sum, "sum");
  kit_check_waits(broadcast, "broadcast");
  kit_check_waits(message, "message");
  return armci_kit_finish();
}
