/* Put, get and accumulate around the ring, with local buffers on the stack, in local memory, in
 * another allocation and in the same one; direct access between barriers. */
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

/* Identical or overlapping source and destination: the result is that of memmove. */
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

/* Adds segments of `shape[0]` bytes to the elements `distance` ints after their source. Forms 0 to
 * 3 are Acc, AccS, AccV and NbAccS. Each source is read before it changes. */
static void add_to_itself(int form, int distance, int shape[2], int scale)
{
  int *mine = data[me], before[2 * N], want[2 * N], stride = N / 2 * (int)sizeof(int);
  const int segments = form == 0 ? 1 : shape[1], run = shape[0] / (int)sizeof(int);
  void *from[2], *to[2];
  armci_hdl_t handle;
  ARMCI_INIT_HANDLE(&handle);
  kit_about("accumulate onto itself, form %d, %d segments of %d, %d behind, scale %d", form,
            segments, run, distance, scale);
  for (int i = 0; i < 2 * N; i++)
    before[i] = want[i] = mine[i] = 1 + i % 13;
  int *first = mine + N / 4;
  for (int s = 0; s < segments; s++) {
    from[s] = first + s * N / 2;
    to[s] = first + s * N / 2 + distance;
    for (int i = 0; i < run; i++)
      want[N / 4 + s * N / 2 + distance + i] += scale * before[N / 4 + s * N / 2 + i];
  }
  armci_giov_t iov = {from, to, shape[0], segments};
  if (form == 0)
    ARMCI_Acc(ARMCI_ACC_INT, &scale, from[0], to[0], shape[0], me);
  else if (form == 1)
    ARMCI_AccS(ARMCI_ACC_INT, &scale, from[0], &stride, to[0], &stride, shape, 1, me);
  else if (form == 2)
    ARMCI_AccV(ARMCI_ACC_INT, &scale, &iov, 1, me);
  else
    ARMCI_NbAccS(ARMCI_ACC_INT, &scale, from[0], &stride, to[0], &stride, shape, 1, me, &handle);
  ARMCI_Wait(form == 3 ? &handle : NULL);
  ARMCI_Fence(me);
  kit_check_bytes(mine, want, sizeof want, "elements");
}

static void accumulate_onto_itself(void)
{
  static const int distances[] = {0, 1, 2, 5, 100, -1, -3, -100};
  ARMCI_Access_begin(data[me]);
  for (size_t d = 0; d < sizeof distances / sizeof *distances; d++)
    for (int scale = 1; scale <= 3; scale += 2) {
      add_to_itself(0, distances[d], (int[]){N / 2 * (int)sizeof(int), 1}, scale);
      add_to_itself(0, distances[d], (int[]){(N + 37) * (int)sizeof(int), 1}, scale);
      for (int form = 1; form < 4; form++) {
        add_to_itself(form, distances[d], (int[]){(N / 4 + 7) * (int)sizeof(int), 2}, scale);
        add_to_itself(form, distances[d], (int[]){7 * (int)sizeof(int), 2}, scale);
      }
    }
  ARMCI_Access_end(data[me]);
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
  accumulate_onto_itself();
  ARMCI_Free_local(local);
  armci_kit_free(buffers);
  armci_kit_free(data);
  return armci_kit_finish();
}
