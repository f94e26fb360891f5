/* Teams: every way to make one, its properties, and its end. */
#include "kit/native.h"

#include <limits.h>
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

/* Checks that the team has these processes and works: every member puts its number to the next
 * one. */
static void check_team(cw_team team, int members, const int *processes)
{
  const int rank = cw_team_rank(team);
  kit_check_long(cw_team_size(team), members, "size of the team");
  if (members != cw_team_size(team))
    return;
  for (int i = 0; i < members; i++)
    kit_check(cw_team_process(team, i) == processes[i], "rank %d is process %d; it should be %d", i,
              cw_team_process(team, i), processes[i]);
  kit_check_long(cw_team_process(team, rank), kit_me(), "process of my rank");
  kit_check_long(cw_team_process(team, members), -1, "process of a rank past the last");
  void **addresses = kit_alloc((size_t)members, sizeof *addresses);
  cw_region region = NULL;
  long got = -1;
  const int next = (rank + 1) % members;
  const long sent = 100 * kit_me() + members;
  KIT_MUST(cw_region_create(team, sizeof got, &region, addresses));
  KIT_OK(cw_put(&sent, addresses[next], sizeof sent, processes[next]));
  KIT_OK(cw_barrier(team));
  KIT_OK(cw_get(&got, addresses[rank], sizeof got, kit_me()));
  kit_check_long(got, 100 * processes[(rank + members - 1) % members] + members,
                 "value put by my neighbour in the team");
  int sum = 0, mine = 1;
  MPI_Allreduce(&mine, &sum, 1, MPI_INT, MPI_SUM, cw_team_comm(team));
  kit_check_long(sum, members, "sum over the team's communicator");
  KIT_OK(cw_region_free(team, &region));
  free(addresses);
}

static void check_none(cw_team team)
{
  kit_check(team == NULL, "a process that is no member got a team");
  kit_check_long(cw_team_rank(NULL), -1, "rank in no team");
  kit_check_long(cw_team_size(NULL), 0, "size of no team");
  kit_check(cw_team_comm(NULL) == MPI_COMM_NULL, "no team has a communicator");
}

static bool in_list(int members, const int *ranks)
{
  for (int i = 0; i < members; i++)
    if (ranks[i] == kit_me())
      return true;
  return false;
}

static void create_and_check(int members, const int *ranks)
{
  cw_team team = NULL;
  KIT_MUST(cw_team_create(cw_team_world(), (size_t)members, ranks, 0, &team));
  if (in_list(members, ranks))
    check_team(team, members, ranks);
  else
    check_none(team);
  KIT_OK(cw_team_free(&team));
  kit_check(team == NULL, "freeing leaves the handle");
  KIT_OK(cw_team_free(&team));
}

/* All processes call with the same list, members or not: every subset, in a random order of ranks.
 */
static void test_same_list(void)
{
  const int n = kit_processes();
  int ranks[16];
  for (int subset = 0; subset < 1 << n; subset++) {
    int members = 0;
    for (int process = 0; process < n; process++)
      if (subset >> process & 1)
        ranks[members++] = process;
    for (int i = members - 1; i > 0; i--) {
      const int other = kit_common(i + 1), mine = ranks[i];
      ranks[i] = ranks[other];
      ranks[other] = mine;
    }
    kit_about("all call with the same list, subset 0x%x", subset);
    create_and_check(members, ranks);
  }
}

/* Each process calls once with its own list; the lists are disjoint. Then each makes a team of
 * itself. */
static void test_own_lists(void)
{
  const int n = kit_processes();
  int ranks[16], members = 0;
  kit_about("disjoint lists");
  for (int process = kit_me() % 2; process < n; process += 2)
    ranks[members++] = process;
  create_and_check(members, ranks);
  kit_about("singletons");
  ranks[0] = kit_me();
  create_and_check(1, ranks);
}

/* Only members call; the others make other calls meanwhile. */
static void test_members_only(void)
{
  const int n = kit_processes();
  int ranks[16];
  for (int left_out = 0; left_out < n; left_out++) {
    int members = 0;
    for (int process = 0; process < n; process++)
      if (process != left_out)
        ranks[members++] = process;
    kit_about("members only, without process %d", left_out);
    if (kit_me() != left_out && members > 0)
      create_and_check(members, ranks);
  }
  KIT_OK(cw_barrier(cw_team_world()));
}

static void test_split(void)
{
  const int n = kit_processes();
  cw_team team = NULL, copy = NULL;
  int expected[16], members = 0;
  kit_about("split by parity, last first");
  for (int process = n - 1; process >= 0; process--)
    if (process % 2 == kit_me() % 2)
      expected[members++] = process;
  KIT_MUST(cw_team_split(cw_team_world(), kit_me() % 2, -kit_me(), &team));
  check_team(team, members, expected);
  kit_about("dup of a split");
  KIT_MUST(cw_team_dup(team, &copy));
  KIT_OK(cw_team_free(&team));
  check_team(copy, members, expected);
  kit_about("a team made of a team");
  KIT_MUST(cw_team_create(copy, 1, &(int){cw_team_rank(copy)}, 0, &team));
  check_team(team, 1, &(int){kit_me()});
  KIT_OK(cw_team_free(&team));
  KIT_OK(cw_team_free(&copy));
  kit_about("split without colour");
  KIT_MUST(cw_team_split(cw_team_world(), kit_me() == 0 ? MPI_UNDEFINED : 1, 0, &team));
  if (kit_me() == 0)
    check_none(team);
  else
    check_team(team, n - 1, (const int[]){1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15});
  KIT_OK(cw_team_free(&team));
}

/* Splits the processes of this node, in the parent's order. */
static void test_split_node(void)
{
  cw_team parent = NULL, team = NULL;
  int expected[16], members = 0;
  kit_about("the members on my node");
  KIT_MUST(cw_team_split(cw_team_world(), 0, -kit_me(), &parent));
  for (int process = kit_processes() - 1; process >= 0; process--)
    if (cw_process_node(process) == cw_process_node(kit_me()))
      expected[members++] = process;
  KIT_MUST(cw_team_split_node(parent, &team));
  check_team(team, members, expected);
  KIT_OK(cw_team_free(&team));
  KIT_OK(cw_team_free(&parent));
}

static void test_translate(void)
{
  const int n = kit_processes();
  cw_team team = NULL;
  int ranks[16], there[16], back[16];
  kit_about("translate");
  KIT_MUST(cw_team_split(cw_team_world(), kit_me() % 2, -kit_me(), &team));
  for (int i = 0; i < n; i++)
    ranks[i] = i;
  KIT_OK(cw_team_translate(cw_team_world(), (size_t)n, ranks, team, there));
  for (int process = 0; process < n; process++)
    if (process % 2 != kit_me() % 2)
      kit_check_long(there[process], -1, "rank of a process of the other parity");
    else
      kit_check_long(cw_team_process(team, there[process]), process, "process of its rank");
  KIT_OK(cw_team_translate(team, (size_t)cw_team_size(team), ranks, cw_team_world(), back));
  for (int rank = 0; rank < cw_team_size(team); rank++)
    kit_check_long(there[back[rank]], rank, "rank there and back");
  KIT_MISUSE("cw_team_translate|ranks[0]|-1",
             cw_team_translate(team, 1, &(int){-1}, cw_team_world(), back));
  KIT_OK(cw_team_free(&team));
}

/* The team is freed before the region and the mutexes that were made with it. */
static void test_freed_early(void)
{
  cw_team team = NULL;
  cw_region region = NULL;
  cw_mutexes mutexes = NULL;
  const int n = kit_processes(), next = (kit_me() + 1) % n;
  void **addresses = kit_alloc((size_t)n, sizeof *addresses);
  kit_about("team freed before its region");
  KIT_MUST(cw_team_dup(cw_team_world(), &team));
  KIT_MUST(cw_region_create(team, 300000, &region, addresses));
  KIT_MUST(cw_mutexes_create(team, 1, &mutexes));
  KIT_OK(cw_team_free(&team));
  KIT_OK(cw_mutex_lock(mutexes, 0, next));
  KIT_OK(cw_put(&next, addresses[next], sizeof next, next));
  KIT_OK(cw_mutex_unlock(mutexes, 0, next));
  KIT_OK(cw_barrier(cw_team_world()));
  kit_check_long(*(int *)addresses[kit_me()], kit_me(), "value put on the freed team's region");
  kit_check(cw_region_team(region) != NULL, "the region has lost its team");
  KIT_OK(cw_mutexes_free(&mutexes));
  KIT_OK(cw_region_free(NULL, &region));
  free(addresses);
}

/* Makes more teams than MPI has context numbers, which must therefore be released. */
static void test_many(int rounds)
{
  cw_team teams[20];
  for (int round = 0; round < rounds; round++) {
    kit_about("many teams, round %d", round);
    for (int i = 0; i < 20; i++)
      KIT_MUST(cw_team_dup(cw_team_world(), &teams[i]));
    for (int i = 0; i < 20; i++) {
      KIT_OK(cw_barrier(teams[i]));
      KIT_OK(cw_team_free(&teams[i]));
    }
  }
}

/* Values that MPI would end the job for. No other process may be left waiting. */
static void test_misuse(void)
{
  const int n = kit_processes();
  cw_team team = NULL;
  kit_about("bad tags");
  KIT_MISUSE("cw_team_create|tag is -1|0 to ",
             cw_team_create(cw_team_world(), 1, &(int){kit_me()}, -1, &team));
  KIT_MISUSE("cw_team_create|tag is 2147483647|0 to ",
             cw_team_create(cw_team_world(), 1, &(int){kit_me()}, INT_MAX, &team));
  check_none(team);
  kit_about("bad colours of all");
  KIT_MISUSE("cw_team_split|color is -1|0 to |MPI_UNDEFINED",
             cw_team_split(cw_team_world(), -1, 0, &team));
  check_none(team);
  kit_about("a bad colour of one");
  if (kit_me() == n - 1)
    KIT_MISUSE("cw_team_split|color is -5|0 to |MPI_UNDEFINED",
               cw_team_split(cw_team_world(), -5, 0, &team));
  else
    KIT_MISUSE("cw_team_split|in process", cw_team_split(cw_team_world(), 1, 0, &team));
  check_none(team);
}

int main(int argc, char **argv)
{
  kit_start_native(&argc, &argv, "teams");
  test_same_list();
  test_own_lists();
  test_members_only();
  test_split();
  test_split_node();
  test_translate();
  test_freed_early();
  test_misuse();
  test_many(argc > 1 ? atoi(argv[1]) : 5);
  return kit_finish_native();
}
