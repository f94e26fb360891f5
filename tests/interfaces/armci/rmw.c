/* Fetch-and-add and swap: exact totals, every number returned once, a lock made of swaps. */
#include "armci_kit.h"

#include <stdlib.h>

static int me, all, times;

static void fetch_and_add(void)
{
  void **counters = armci_kit_malloc(2 * sizeof(long), 0);
  int *drawn = kit_alloc((size_t)(all * times), sizeof *drawn);
  kit_about("fetch-and-add");
  for (int i = 0; i < times; i++)
    for (int p = 0; p < all; p++) {
      int small = -1;
      long large = -1;
      ARMCI_Rmw(ARMCI_FETCH_AND_ADD, &small, counters[p], 1, p);
      ARMCI_Rmw(ARMCI_FETCH_AND_ADD_LONG, &large, (long *)counters[p] + 1, -3, p);
      kit_check(small >= i && small < all * times, "a number is %d", small);
      kit_check(large <= -3L * i && large % 3 == 0, "a number is %ld", large);
      if (p == 0 && small >= 0 && small < all * times)
        drawn[small]++;
    }
  ARMCI_Barrier();
  kit_check_long(*(int *)counters[me], all * times, "my counter");
  kit_check_long(((long *)counters[me])[1], -3L * all * times, "my long counter");
  armci_msg_igop(drawn, all * times, armci_kit_sum);
  for (int i = 0; i < all * times; i++)
    kit_check_long(drawn[i], 1, "times that a number was drawn");
  free(drawn);
  armci_kit_free(counters);
}

/* Operations on 32 and 64 bits change no other bytes, and wrap around. */
static void widths(void)
{
  void **words = armci_kit_malloc(4 * sizeof(int), 0xff);
  const int next = armci_kit_next();
  int old = 5;
  long large = 1L << 40;
  kit_about("widths");
  ARMCI_Rmw(ARMCI_SWAP, &old, words[next], 99, next);
  kit_check_long(old, -1, "what was there");
  ARMCI_Rmw(ARMCI_SWAP_LONG, &large, (long *)words[next] + 1, 99, next);
  kit_check_long(large, -1, "what was there");
  ARMCI_Barrier();
  const int *mine = words[me];
  kit_check_long(mine[0], 5, "swapped int");
  kit_check_long(mine[1], -1, "the int beside it");
  kit_check_long(((const long *)words[me])[1], 1L << 40, "swapped long");
  ARMCI_Barrier();
  *(int *)words[me] = 0x7fffffff;
  ARMCI_Barrier();
  ARMCI_Rmw(ARMCI_FETCH_AND_ADD, &old, words[next], 1, next);
  kit_check_long(old, 0x7fffffff, "what was there");
  kit_check_long(ARMCI_GetValueInt(words[next], next), -0x7fffffff - 1, "the sum that wrapped");
  ARMCI_Barrier();
  armci_kit_free(words);
}

/* A lock made of swaps, whose holder reads, increments and writes a number that only the lock
 * protects. */
static void swap_lock(void)
{
  void **shared = armci_kit_malloc(2 * sizeof(long), 0);
  int *lock = shared[0];
  long *number = (long *)shared[0] + 1;
  kit_about("swap lock");
  for (int i = 0; i < armci_kit_rounds(25); i++) {
    int held = 1;
    do {
      held = 1;
      ARMCI_Rmw(ARMCI_SWAP, &held, lock, 0, 0);
      if (held != 0)
        ARMCIX_Progress();
    } while (held != 0);
    ARMCI_PutValueLong(ARMCI_GetValueLong(number, 0) + 1, number, 0);
    ARMCI_Fence(0);
    held = 0;
    ARMCI_Rmw(ARMCI_SWAP, &held, lock, 0, 0);
    kit_check_long(held, 1, "the lock, as I held it");
  }
  ARMCI_Barrier();
  kit_check_long(ARMCI_GetValueLong(number, 0), (long)armci_kit_rounds(25) * all,
                 "the protected number");
  ARMCI_Barrier();
  armci_kit_free(shared);
}

/* A plain store before a bare MPI barrier is visible to the next fetch: TCGMSG resets its counter
 * that way. */
static void plain_reset(void)
{
  void **counters = armci_kit_malloc(sizeof(long), 0);
  kit_about("plain reset");
  for (int i = 0; i < armci_kit_rounds(20); i++) {
    long got = -1;
    MPI_Barrier(kit_comm());
    if (me == 0)
      *(long *)counters[0] = 1000 * i;
    MPI_Barrier(kit_comm());
    ARMCI_Rmw(ARMCI_FETCH_AND_ADD_LONG, &got, counters[0], 1, 0);
    kit_check(got >= 1000 * i && got < 1000 * i + all, "round %d: the number is %ld", i, got);
  }
  ARMCI_Barrier();
  armci_kit_free(counters);
}

int main(int argc, char **argv)
{
  armci_kit_start(&argc, &argv, "armci.rmw");
  me = kit_me();
  all = kit_processes();
  times = armci_kit_rounds(100);
  fetch_and_add();
  widths();
  swap_lock();
  plain_reset();
  return armci_kit_finish();
}
