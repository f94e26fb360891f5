/* More processes than cores: who waits for the last one in a sum, a broadcast or a receive leaves
 * its core to others. Process 0 comes late, again and again; the CPU time of the others is a small
 * part of the time that they wait. */
#include "armci_kit.h"

#include "base/lock.h"

#include <message.h>
#include <time.h>
#include <unistd.h>

enum { ROUNDS = 30, LATE_MICROSECONDS = 10000, TAG = 1, NUMBERS = 1000 };
static const double MOST =
    0.2; /* who sleeps has less than 0.1; who spins 1, unless others compute */

static double seconds(clockid_t clock)
{
  struct timespec now;
  clock_gettime(clock, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static double numbers[NUMBERS];

static void sum(void)
{
  armci_msg_dgop(numbers, NUMBERS, armci_kit_sum);
}

static void broadcast(void)
{
  armci_msg_bcast(numbers, sizeof numbers, 0);
}

static void message(void)
{
  int length = 0;
  for (int to = 1; to < kit_processes() && kit_me() == 0; to++)
    armci_msg_snd(TAG, numbers, sizeof numbers, to);
  if (kit_me() != 0)
    armci_msg_rcv(TAG, numbers, sizeof numbers, &length, 0);
}

static void check(void (*wait)(void), const char *what)
{
  double waited = 0, used = 0;
  kit_about("%s", what);
  for (int round = 0; round < ROUNDS; round++) {
    ARMCI_Barrier();
    const double begin = seconds(CLOCK_MONOTONIC), cpu = seconds(CLOCK_THREAD_CPUTIME_ID);
    if (kit_me() == 0)
      usleep(LATE_MICROSECONDS);
    wait();
    waited += seconds(CLOCK_MONOTONIC) - begin;
    used += seconds(CLOCK_THREAD_CPUTIME_ID) - cpu;
  }
  kit_check(kit_me() == 0 || used < MOST * waited, "it used %.0f ms of CPU in a wait of %.0f ms",
            1e3 * used, 1e3 * waited);
}

int main(int argc, char **argv)
{
  armci_kit_start(&argc, &argv, "armci.waiting");
  int crowded = cwi_core_is_wanted();
  MPI_Allreduce(MPI_IN_PLACE, &crowded, 1, MPI_INT, MPI_MIN, kit_comm());
  if (!crowded)
    kit_skip("there are cores enough");
  check(sum, "sum");
  check(broadcast, "broadcast");
  check(message, "message");
  return armci_kit_finish();
}
