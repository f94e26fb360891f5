/* Put, get and accumulate around the ring, with local buffers on the stack, in local memory, in
 * another allocation and in the very same one; direct access between barriers. */
#include "armci_kit.h"

#include <string.h>

enum { N = 1024, ROUNDS = 6 };

static void **data, **buffers;
static int me, next, previous;

static void fill(int *x, int first)
{
  for (int i = 0; i < N; i++)
    x[i] = first + i;
}

static void check(const int *x, int first, int step, const char *what)
{
  int wrong = 0;
  for (int i = 0; i < N; i++)
    wrong += x[i] != first + step * i;
  kit_check_long(wrong, 0, what);
}

static void ring(int *buffer, int round)
{
  int scale = round, *mine = data[me], *theirs = data[next];
  ARMCI_Access_begin(mine);
  fill(mine, 1000 * me);
  ARMCI_Access_end(mine);
  ARMCI_Barrier();
  ARMCI_Get(theirs, buffer, N * (int)sizeof(int), next);
  check(buffer, 1000 * next, 1, "what I got");
  ARMCI_Barrier();
  fill(buffer, 7 + me);
  ARMCI_Put(buffer, theirs, N * (int)sizeof(int), next);
  ARMCI_Barrier();
  ARMCI_Access_begin(mine);
  check(mine, 7 + previous, 1, "what was put");
  ARMCI_Access_end(mine);
  ARMCI_Barrier();
  ARMCI_Acc(ARMCI_ACC_INT, &scale, buffer, theirs, N * (int)sizeof(int), next);
  check(buffer, 7 + me, 1, "the source of an accumulate");
  ARMCI_Barrier();
  ARMCI_Access_begin(mine);
  check(mine, (1 + scale) * (7 + previous), 1 + scale, "what was accumulated");
  ARMCI_Access_end(mine);
  ARMCI_Barrier();
}

/* Buffers inside global memory, under an open access epoch, and in the target's own allocation. */
static void global_buffers(void)
{
  kit_about("local buffer in another allocation");
  ARMCI_Access_begin(buffers[me]);
  for (int round = 0; round < ROUNDS; round++)
    ring(buffers[me], round);
  ARMCI_Access_end(buffers[me]);
  kit_about("local buffer in the same allocation");
  int *mine = data[me];
  fill(mine, me);
  memset(mine + N, 0, N * sizeof(int));
  ARMCI_Barrier();
  ARMCI_Get(data[next], mine + N, N * (int)sizeof(int), next);
  check(mine + N, next, 1, "what I got");
  ARMCI_Put(mine, (int *)data[me] + N, N * (int)sizeof(int), me);
  ARMCI_Fence(me);
  check(mine + N, me, 1, "what I put to myself");
  ARMCI_Barrier();
}

/* Source and destination the same, or overlapping: as memmove. */
static void onto_itself(void)
{
  int *mine = data[me], stride = 8, count[2] = {8, N / 4};
  armci_hdl_t handle;
  kit_about("onto itself");
  fill(mine, 5);
  ARMCI_INIT_HANDLE(&handle);
  ARMCI_NbGetS(mine, &stride, mine, &stride, count, 1, me, &handle);
  ARMCI_Wait(&handle);
  check(mine, 5, 1, "memory that was copied to itself");
  ARMCI_Put(mine, mine + 3, N * (int)sizeof(int), me);
  ARMCI_Fence(me);
  check(mine + 3, 5, 1, "overlapping memory");
  ARMCI_Barrier();
}

int main(int argc, char **argv)
{
  int stack[N];
  armci_kit_start(&argc, &argv, "armci.onesided");
  me = kit_me();
  next = armci_kit_next();
  previous = armci_kit_previous();
  data = armci_kit_malloc(2 * N * sizeof(int), 0);
  buffers = armci_kit_malloc(N * sizeof(int), 0);
  int *local = ARMCI_Malloc_local(N * sizeof(int));
  for (int round = 0; round < ROUNDS; round++) {
    kit_about("round %d", round);
    ring(round % 2 == 0 ? stack : local, round);
  }
  global_buffers();
  onto_itself();
  ARMCI_Free_local(local);
  armci_kit_free(buffers);
  armci_kit_free(data);
  return armci_kit_finish();
}
