/* Puts with a flag around the ring: a process that sees the flag by plain loads also sees all of
 * the data. */
#include "armci_kit.h"

#include <sched.h>
#include <string.h>

enum { N = 3000, ROUNDS = 20 };

struct slice {
  int flag;
  int data[N];
};

/* GA spins on plain memory. With more processes than cores the spinning process must yield. */
static void wait_for(const volatile int *flag, int value)
{
  for (long poll = 0; *flag != value; poll++)
    if (poll % 64 == 63) {
      ARMCIX_Progress();
      sched_yield();
    }
}

static int wrong(const int *data, int value)
{
  int count = 0;
  for (int i = 0; i < N; i++)
    count += data[i] != value + i;
  return count;
}

static void send(struct slice *to, int *source, int value, int process)
{
  int stride = 100 * (int)sizeof(int), count[2] = {stride, N / 100};
  for (int i = 0; i < N; i++)
    source[i] = value + i;
  const int result = value % 2 == 0 ? ARMCI_Put_flag(source, to->data, N * (int)sizeof(int),
                                                     &to->flag, value, process)
                                    : ARMCI_PutS_flag(source, &stride, to->data, &stride, count, 1,
                                                      &to->flag, value, process);
  kit_check_long(result, 0, "result");
}

int main(int argc, char **argv)
{
  static int source[N];
  armci_kit_start(&argc, &argv, "armci.flags");
  const int me = kit_me(), next = armci_kit_next();
  void **slices = armci_kit_malloc(sizeof(struct slice), 0);
  struct slice *mine = slices[me];
  for (int round = 1; round <= ROUNDS; round++) {
    kit_about("round %d", round);
    if (me == 0)
      send(slices[next], source, round, next);
    wait_for(&mine->flag, round);
    __atomic_thread_fence(__ATOMIC_ACQUIRE);
    kit_check_long(wrong(mine->data, round), 0, "numbers that had not arrived");
    if (me != 0)
      send(slices[next], source, round, next);
  }
  ARMCI_Barrier();
  armci_kit_free(slices);
  return armci_kit_finish();
}
