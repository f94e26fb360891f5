/* Mutexes: exclusion, trylock, several sets, subgroups, first come first served.
 *
 *   mutexes [number of times that each process takes each host's mutexes]   */
#include "kit/native.h"

#include "region/region.h"
#include "sync/mutex.h"

#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MUTEXES = 3 };

static int repeats = 60; /* a multiple of MUTEXES */

/* Counters that only the holder of a mutex accesses, by get and put without a fence between them.
 */
struct counters {
  cw_team team; /* team of the region, whose slices have [MUTEXES] counters, then as many numbers of
                   holders */
  cw_region region;
  void **addresses; /* [team] */
  cw_mutexes mutexes;
};

static void begin(struct counters *counters, cw_team team, size_t mutexes)
{
  const int members = cw_team_size(team), rank = cw_team_rank(team);
  const size_t bytes = 2 * MUTEXES * sizeof(long);
  counters->team = team;
  counters->addresses = kit_alloc((size_t)members, sizeof *counters->addresses);
  KIT_MUST(cw_region_create(team, bytes, &counters->region, counters->addresses));
  memset(counters->addresses[rank], 0, bytes);
  KIT_MUST(cw_mutexes_create(team, mutexes, &counters->mutexes));
  KIT_MUST(cw_barrier(team));
}

static void end(struct counters *counters)
{
  KIT_OK(cw_mutexes_free(&counters->mutexes));
  KIT_OK(cw_region_free(counters->team, &counters->region));
  free(counters->addresses);
}

/* linger: hold the mutex long enough that a process that is not excluded would enter. */
static void add_one(const struct counters *counters, size_t number, int rank, bool linger)
{
  const int process = cw_team_process(counters->team, rank);
  long *counter = (long *)counters->addresses[rank] + number, value = 0;
  int64_t *inside = (int64_t *)counters->addresses[rank] + MUTEXES + number, others = -1;
  KIT_OK(cw_fetch_add_int64(inside, 1, process, &others));
  kit_check(others == 0, "%ld others hold mutex %zu of process %d too", (long)others, number,
            process);
  KIT_OK(cw_get(&value, counter, sizeof value, process));
  value++;
  for (int pass = 0; linger && pass < 1000; pass++) {
    cw_progress(); /* the others may need this process's progress to enter */
    if (pass % 50 == 0)
      sched_yield();
  }
  KIT_OK(cw_put(&value, counter, sizeof value, process));
  KIT_OK(cw_fetch_add_int64(inside, -1, process, NULL));
}

/* Takes the mutex by lock or, sometimes, by trylock until it succeeds. */
static void take(const struct counters *counters, size_t number, int process)
{
  bool acquired = false;
  if (kit_own(4) != 0) {
    KIT_OK(cw_mutex_lock(counters->mutexes, number, process));
    return;
  }
  while (KIT_OK(cw_mutex_trylock(counters->mutexes, number, process, &acquired)) && !acquired)
    cw_progress();
}

static void test_exclusion(cw_team team, const char *name)
{
  struct counters counters;
  const int members = cw_team_size(team);
  kit_about("exclusion, %s of %d", name, members);
  begin(&counters, team, MUTEXES);
  for (int i = 0; i < repeats * members; i++) {
    const bool together = i % 8 == 0;
    if (together)
      KIT_OK(cw_barrier(team));
    const int rank = i % members, process = cw_team_process(team, rank);
    const size_t number = (size_t)(i / members) % MUTEXES;
    take(&counters, number, process);
    add_one(&counters, number, rank, together);
    KIT_OK(cw_mutex_unlock(counters.mutexes, number, process));
  }
  KIT_OK(cw_barrier(team));
  const long *mine = counters.addresses[cw_team_rank(team)];
  for (size_t number = 0; number < MUTEXES; number++)
    kit_check(mine[number] == repeats / MUTEXES * members,
              "counter %zu of process %d is %ld; it should be %d: the mutex did not exclude",
              number, kit_me(), mine[number], repeats / MUTEXES * members);
  end(&counters);
}

/* One mutex, hosted by the last process; sets of zero mutexes; several held at once. */
static void test_sets(void)
{
  cw_team world = cw_team_world();
  const int last = kit_processes() - 1;
  struct counters sets[3];
  kit_about("several sets");
  for (int i = 0; i < 3; i++)
    begin(&sets[i], world, i == 1 && kit_me() != last ? 0 : 1);
  for (int i = 0; i < repeats / 3; i++) {
    KIT_OK(cw_barrier(world));
    for (int set = 0; set < 3; set++)
      KIT_OK(cw_mutex_lock(sets[set].mutexes, 0, last));
    for (int set = 2; set >= 0; set--) {
      add_one(&sets[set], 0, last, set == 2);
      KIT_OK(cw_mutex_unlock(sets[set].mutexes, 0, last));
    }
  }
  KIT_OK(cw_barrier(world));
  for (int set = 0; set < 3; set++) {
    long value = 0;
    KIT_OK(cw_get(&value, sets[set].addresses[last], sizeof value, last));
    kit_check_long(value, (long)(repeats / 3) * kit_processes(), "counter under a set's mutex");
  }
  KIT_OK(cw_barrier(world));
  for (int i = 0; i < 3; i++)
    end(&sets[i]);
}

/* A trylock of a held mutex fails for all other processes, and succeeds after the release. */
/* The even processes have made one more set than the others. With CW_CHECK=1 a set of all
 * processes must have the same number on all of them. */
static void test_numbers(cw_team half)
{
  cw_mutexes mine = NULL, common = NULL;
  kit_about("sets of processes that have made others before");
  if (kit_me() % 2 == 0)
    KIT_OK(cw_mutexes_create(half, 1, &mine));
  KIT_OK(cw_mutexes_create(cw_team_world(), 1, &common));
  KIT_OK(cw_mutexes_free(&common));
  if (mine != NULL)
    KIT_OK(cw_mutexes_free(&mine));
}

/* The team is freed before the set. */
static void test_empty(void)
{
  cw_team all = NULL;
  cw_mutexes none = NULL;
  kit_about("a set without mutexes");
  KIT_MUST(cw_team_split(cw_team_world(), 0, kit_me(), &all));
  KIT_OK(cw_mutexes_create(all, 0, &none));
  KIT_OK(cw_team_free(&all));
  KIT_OK(cw_mutexes_free(&none));
  kit_check(none == NULL, "the handle of a freed set is not cleared");
}

/* One member holds a mutex of the set: all members get the error, and the set is not freed. */
static void test_held(void)
{
  cw_mutexes set = NULL;
  kit_about("a set with a mutex that is held");
  KIT_MUST(cw_mutexes_create(cw_team_world(), 1, &set));
  if (kit_me() == kit_processes() - 1)
    KIT_OK(cw_mutex_lock(set, 0, 0));
  KIT_MISUSE("mutex 0 of process 0 is still locked", cw_mutexes_free(&set));
  kit_check(set != NULL, "the handle of a set that stays is lost");
  if (kit_me() == kit_processes() - 1)
    KIT_OK(cw_mutex_unlock(set, 0, 0));
  KIT_OK(cw_mutexes_free(&set));
}

static void test_trylock(void)
{
  struct counters counters;
  bool acquired = true;
  kit_about("trylock");
  begin(&counters, cw_team_world(), 1);
  if (kit_me() == 0)
    KIT_OK(cw_mutex_lock(counters.mutexes, 0, 0));
  KIT_OK(cw_barrier(cw_team_world()));
  if (kit_me() != 0) {
    KIT_OK(cw_mutex_trylock(counters.mutexes, 0, 0, &acquired));
    kit_check(!acquired, "trylock gave process %d a mutex that process 0 holds", kit_me());
  }
  KIT_OK(cw_barrier(cw_team_world()));
  if (kit_me() == 0)
    KIT_OK(cw_mutex_unlock(counters.mutexes, 0, 0));
  KIT_OK(cw_barrier(cw_team_world()));
  if (kit_me() == kit_processes() - 1) {
    KIT_OK(cw_mutex_trylock(counters.mutexes, 0, 0, &acquired));
    kit_check(acquired, "trylock did not give process %d a free mutex", kit_me());
    KIT_OK(cw_mutex_unlock(counters.mutexes, 0, 0));
  }
  KIT_OK(cw_barrier(cw_team_world()));
  end(&counters);
}

/* Tickets drawn so far: the first word of the lock (mutex_node.c). */
static uint32_t tickets(cw_mutexes mutexes)
{
  return __atomic_load_n((uint32_t *)cw_region_address(mutexes->state, 0), __ATOMIC_ACQUIRE);
}

/* The holder waits until all others have drawn a ticket, unlocks and locks again: all of them must
 * have been served in between. */
static void test_order(void)
{
  struct counters counters;
  const int others = kit_processes() - 1;
  kit_about("first come, first served");
  begin(&counters, cw_team_world(), 1);
  for (int round = 0; round < 20; round++) {
    if (kit_me() == 0) {
      KIT_OK(cw_mutex_lock(counters.mutexes, 0, 0));
      const uint32_t mine = tickets(counters.mutexes);
      KIT_OK(cw_barrier(cw_team_world()));
      while (tickets(counters.mutexes) != mine + (uint32_t)others)
        nanosleep(&(struct timespec){.tv_nsec = 10000}, NULL);
      KIT_OK(cw_mutex_unlock(counters.mutexes, 0, 0));
      KIT_OK(cw_mutex_lock(counters.mutexes, 0, 0));
      kit_check_long(*(const long *)counters.addresses[0], (long)(round + 1) * others,
                     "times that others were served before the second lock of process 0");
      KIT_OK(cw_mutex_unlock(counters.mutexes, 0, 0));
    } else {
      KIT_OK(cw_barrier(cw_team_world()));
      KIT_OK(cw_mutex_lock(counters.mutexes, 0, 0));
      add_one(&counters, 0, 0, false);
      KIT_OK(cw_mutex_unlock(counters.mutexes, 0, 0));
    }
    KIT_OK(cw_barrier(cw_team_world()));
  }
  end(&counters);
}

int main(int argc, char **argv)
{
  kit_start_native(&argc, &argv, "mutexes");
  kit_hang_guard();
  repeats = MUTEXES * (int)kit_rounds(NULL, (argc > 1 ? atol(argv[1]) : repeats) / MUTEXES);
  cw_team half = NULL;
  KIT_MUST(cw_team_split(cw_team_world(), kit_me() % 2, -kit_me(), &half));
  test_exclusion(cw_team_world(), "world");
  test_exclusion(half, "half");
  test_sets();
  test_numbers(half);
  test_empty();
  test_held();
  test_trylock();
  if (!kit_by_rma())
    test_order();
  KIT_OK(cw_team_free(&half));
  return kit_finish_native();
}
