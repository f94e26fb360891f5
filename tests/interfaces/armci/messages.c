/* Messages, broadcasts, trees, address exchange, and the communicator that TCGMSG shares. */
#include "armci_kit.h"

#include <stdlib.h>
#include <string.h>

static int me, all;

static void ring(void)
{
  void **slices = armci_kit_malloc(2000, 0);
  const int next = armci_kit_next(), previous = armci_kit_previous();
  kit_about("messages");
  for (int bytes = 0; bytes <= 1000; bytes += 500) {
    char *out = slices[me], *in = out + 1000;
    int length = -1;
    memset(out, me + bytes / 500, 1000);
    memset(in, 0xee, 1000);
    if (me % 2 == 0 && all > 1)
      armci_msg_snd(32100, out, bytes, next);
    if (all > 1)
      armci_msg_rcv(32100, in, 1000, bytes == 500 ? NULL : &length, previous);
    if (me % 2 == 1)
      armci_msg_snd(32100, out, bytes, next);
    if (all > 1 && bytes != 500)
      kit_check_long(length, bytes, "length of a message");
    memset(out, previous + bytes / 500, 1000);
    if (all > 1)
      kit_check_bytes(in, out, (size_t)bytes, "message");
    kit_check((unsigned char)in[bytes > 999 ? 999 : bytes] ==
                  (bytes > 999 && all > 1 ? previous + 2 : 0xee),
              "bytes after the message");
  }
  ARMCI_Barrier();
  armci_kit_free(slices);
}

/* Process 0 receives from all processes in any order. The program's own messages on the world
 * group's communicator, with the same tag, must not be confused with them. */
static void from_any_process(void)
{
  ARMCI_Group world;
  long received = 0;
  kit_about("from anybody");
  ARMCI_Group_get_world(&world);
  if (me != 0) {
    int mine = -1 - me;
    MPI_Send(&mine, 1, MPI_INT, 0, 5, world.comm);
    armci_msg_snd(5, &me, sizeof me, 0);
  }
  for (int i = 1; me == 0 && i < all; i++) {
    int number = 0, length = 0;
    const int from = armci_msg_rcvany(5, &number, sizeof number, &length);
    kit_check_long(number, from, "who says that it sent");
    kit_check_long(length, sizeof number, "length");
    received |= 1L << from;
  }
  if (me == 0)
    kit_check_long(received, (1L << all) - 2, "who was heard");
  for (int i = 1; me == 0 && i < all; i++) {
    int number = 0;
    MPI_Recv(&number, 1, MPI_INT, i, 5, world.comm, MPI_STATUS_IGNORE);
    kit_check_long(number, -1 - i, "message of the program");
  }
}

static void broadcasts(void)
{
  kit_about("broadcasts");
  for (int root = 0; root < all; root++) {
    long x[2] = {me == root ? root + 10 : -1, me == root ? root + 20 : -1};
    armci_msg_bcast(&x[0], sizeof(long), root);
    armci_msg_brdcst(&x[1], sizeof(long), root);
    kit_check_long(x[0], root + 10, "broadcast");
    kit_check_long(x[1], root + 20, "broadcast");
    armci_msg_bcast_scope(SCOPE_MASTERS, &x[0], sizeof(long), root);
    x[0] = me;
    armci_msg_bcast_scope(SCOPE_NODE, &x[0], sizeof(long), root);
    kit_check_long(x[0], me, "broadcast to myself");
  }
  ARMCI_Group world;
  ARMCI_Group_get_world(&world);
  int value = me == all / 2 ? 9 : 0;
  armci_grp_clus_brdcst(&value, sizeof value, all / 2, all - all / 2, &world);
  kit_check_long(value, me >= all / 2 ? 9 : 0, "broadcast to the second half");
  armci_msg_clus_brdcst(&value, sizeof value);
}

static void addresses(void)
{
  void **slots = kit_alloc((size_t)all, sizeof *slots);
  ARMCI_Group world;
  kit_about("addresses");
  ARMCI_Group_get_world(&world);
  for (int way = 0; way < 2; way++) {
    memset(slots, 0, (size_t)all * sizeof *slots);
    slots[me] = (char *)0x100000000 + 16 * me + way;
    if (way == 0)
      armci_exchange_address(slots, all);
    else
      armci_exchange_address_grp(slots, all, &world);
    for (int p = 0; p < all; p++)
      kit_check(slots[p] == (char *)0x100000000 + 16 * p + way, "slot %d is %p", p, slots[p]);
  }
  free(slots);
}

static void tree(void)
{
  int root = -2, up = -2, left = -2, right = -2;
  kit_about("tree");
  armci_msg_bintree(SCOPE_ALL, &root, &up, &left, &right);
  kit_check_long(root, 0, "root");
  kit_check_long(up, me == 0 ? -1 : (me - 1) / 2, "up");
  kit_check_long(left, 2 * me + 1 < all ? 2 * me + 1 : -1, "left");
  kit_check_long(right, 2 * me + 2 < all ? 2 * me + 2 : -1, "right");
  armci_msg_bintree(SCOPE_NODE, &root, &up, &left, &right);
  kit_check(root == 0 && up == -1 && left == -1 && right == -1, "alone: %d %d %d %d", root, up,
            left, right);
}

/* Stores before either barrier are visible to gets after it. */
static void barriers(void)
{
  void **slices = armci_kit_malloc(sizeof(long), 0);
  ARMCI_Group world;
  kit_about("barriers");
  ARMCI_Group_get_world(&world);
  for (long round = 1; round < armci_kit_rounds(50); round++) {
    *(long *)slices[me] = round;
    round % 2 == 0 ? armci_msg_barrier() : armci_msg_group_barrier(&world);
    kit_check_long(ARMCI_GetValueLong(slices[armci_kit_next()], armci_kit_next()), round, "stored");
    ARMCI_PutValueLong(-round, slices[armci_kit_next()], armci_kit_next());
    ARMCI_AllFence();
    armci_msg_barrier();
    kit_check_long(*(volatile long *)slices[me], -round, "put");
    armci_msg_barrier();
  }
  armci_kit_free(slices);
}

int main(int argc, char **argv)
{
  armci_kit_start(&argc, &argv, "armci.messages");
  me = kit_me();
  all = kit_processes();
  const double before = armci_timer();
  kit_check_long(armci_msg_me(), me, "armci_msg_me");
  kit_check_long(armci_msg_nproc(), all, "armci_msg_nproc");
  ring();
  from_any_process();
  broadcasts();
  addresses();
  tree();
  barriers();
  kit_check(armci_timer() > before, "the timer stands still");
  return armci_kit_finish();
}
