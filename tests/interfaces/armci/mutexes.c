/* Mutexes: each protects an unfenced read-modify-write; sets of groups; trylock. */
#include "armci_kit.h"

enum { EACH = 10 };

static int me, all, times;

static void add_one(long *number, int process)
{
  ARMCI_PutValueLong(ARMCI_GetValueLong(number, process) + 1, number, process);
}

/* Ten mutexes on each process, locked by all processes. */
static void everywhere(void)
{
  void **numbers = armci_kit_malloc(EACH * sizeof(long), 0);
  kit_about("ten mutexes on each process");
  kit_check_long(ARMCI_Create_mutexes(EACH), 0, "ARMCI_Create_mutexes");
  for (int p = 0; p < all; p++)
    for (int m = 0; m < EACH; m++) {
      const int host = (p + me) % all;
      ARMCI_Lock(m, host);
      add_one((long *)numbers[host] + m, host);
      ARMCI_Unlock(m, host);
    }
  ARMCI_Barrier();
  for (int m = 0; m < EACH; m++)
    kit_check_long(((long *)numbers[me])[m], all, "a protected number");
  kit_check_long(ARMCI_Destroy_mutexes(), 0, "ARMCI_Destroy_mutexes");
  armci_kit_free(numbers);
}

/* One contended mutex on the last process alone; the data is on another process. */
static void contended(void)
{
  void **numbers = armci_kit_malloc(sizeof(long), 0);
  kit_about("one contended mutex");
  kit_check_long(ARMCI_Create_mutexes(me == all - 1), 0, "ARMCI_Create_mutexes");
  for (int i = 0; i < times; i++) {
    ARMCI_Lock(0, all - 1);
    add_one(numbers[0], 0);
    ARMCI_Unlock(0, all - 1);
  }
  ARMCI_Barrier();
  kit_check_long(ARMCI_GetValueLong(numbers[0], 0), (long)times * all, "the protected number");
  kit_check_long(ARMCI_Destroy_mutexes(), 0, "ARMCI_Destroy_mutexes");
  kit_check_long(ARMCI_Create_mutexes(0), 0, "ARMCI_Create_mutexes(0)");
  kit_check_long(ARMCI_Destroy_mutexes(), 0, "ARMCI_Destroy_mutexes");
  armci_kit_free(numbers);
}

/* Two sets on a group that is freed immediately; repeats trylock until it succeeds. */
static void sets(void)
{
  void **numbers = armci_kit_malloc(2 * sizeof(long), 0);
  ARMCI_Group world, group;
  kit_about("sets of a group");
  ARMCI_Group_get_world(&world);
  ARMCIX_Group_split(&world, 0, me, &group);
  armcix_mutex_hdl_t set[2] = {ARMCIX_Create_mutexes_hdl(me == 0, &group),
                               ARMCIX_Create_mutexes_hdl(1, &group)};
  ARMCI_Group_free(&group);
  for (int i = 0; i < times; i++) {
    while (ARMCIX_Trylock_hdl(set[0], 0, 0) != 0)
      ARMCIX_Progress();
    add_one(numbers[0], 0);
    ARMCIX_Unlock_hdl(set[0], 0, 0);
    ARMCIX_Lock_hdl(set[1], 0, all - 1);
    add_one((long *)numbers[0] + 1, 0);
    ARMCIX_Unlock_hdl(set[1], 0, all - 1);
  }
  ARMCI_Barrier();
  for (int i = 0; i < 2; i++)
    kit_check_long(ARMCI_GetValueLong((long *)numbers[0] + i, 0), (long)times * all,
                   "the number of a set");
  ARMCI_Barrier();
  kit_check_long(ARMCIX_Destroy_mutexes_hdl(set[0]), 0, "ARMCIX_Destroy_mutexes_hdl");
  kit_check_long(ARMCIX_Destroy_mutexes_hdl(set[1]), 0, "ARMCIX_Destroy_mutexes_hdl");
  armci_kit_free(numbers);
}

/* trylock of a held mutex fails at once for others, and succeeds after the release. */
static void busy(void)
{
  ARMCI_Group world;
  ARMCI_Group_get_world(&world);
  kit_about("trylock");
  armcix_mutex_hdl_t set = ARMCIX_Create_mutexes_hdl(1, &world);
  if (me == 0)
    kit_check_long(ARMCIX_Trylock_hdl(set, 0, 0), 0, "trylock of a free mutex");
  kit_barrier();
  if (me != 0)
    kit_check(ARMCIX_Trylock_hdl(set, 0, 0) != 0, "trylock of a held mutex gave it");
  kit_barrier();
  if (me == 0)
    ARMCIX_Unlock_hdl(set, 0, 0);
  kit_barrier();
  if (me == all - 1) {
    kit_check_long(ARMCIX_Trylock_hdl(set, 0, 0), 0, "trylock of a released mutex");
    ARMCIX_Unlock_hdl(set, 0, 0);
  }
  kit_barrier();
  ARMCIX_Destroy_mutexes_hdl(set);
}

int main(int argc, char **argv)
{
  armci_kit_start(&argc, &argv, "armci.mutexes");
  me = kit_me();
  all = kit_processes();
  times = armci_kit_rounds(50);
  everywhere();
  contended();
  sets();
  busy();
  return armci_kit_finish();
}
