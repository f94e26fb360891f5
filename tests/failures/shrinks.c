/* Processes die while the others agree on who has died, shrink their teams and try them: further
 * ones, several at once, all but one. Nested teams and teams of one member go through the same;
 * with `threads`, two threads of each process do so at the same time, each with a team of its own.
 *
 *   shrinks ROUNDS VICTIMS timer|call|exit MOST [threads]     (see survivor_choose) */
#include "failures/survivor.h"
#include "kit/kit.h"

#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_MEMBERS = 8 };

/* Makes a call at which this process may die. Returns true if it succeeds; otherwise it must be
 * because a process has failed. */
static bool works(cw_error error)
{
  return kit_check(error == CW_OK || error == CW_FAILED, "error %d: %s", (int)error,
                   cw_error_message()) &&
         error == CW_OK;
}
#define WORKS(call) (survivor_call(), works(CW_MAY_FAIL(call)))

/* Returns the agreed set of failed members, a bit for each rank. */
static unsigned agreed(cw_team team)
{
  int ranks[MOST_MEMBERS];
  size_t failed = 0;
  unsigned set = 0;
  MUST(cw_team_agree_failed(team, MOST_MEMBERS, ranks, &failed));
  for (size_t i = 0; i < failed; i++)
    set |= 1U << ranks[i];
  return set;
}

/* Returns true if all members of the team have the same number. */
static bool same(cw_team team, long number)
{
  long least_most[2] = {number, -number};
  if (!WORKS(cw_allreduce(team, CW_LONG, CW_MAXIMUM, 2, least_most)))
    return false;
  kit_check(least_most[0] == -least_most[1], "members have %ld and %ld", -least_most[1],
            least_most[0]);
  return true;
}

static bool sum_is_right(cw_team team)
{
  const long size = cw_team_size(team);
  long ranks = cw_team_rank(team);
  if (!WORKS(cw_allreduce(team, CW_LONG, CW_SUM, 1, &ranks)))
    return false;
  kit_check_long(ranks, size * (size - 1) / 2, "sum of the ranks");
  return true;
}

/* Returns a team of the survivors that works, and frees `team` unless it is the world. All of them
 * have agreed on the same sets. */
static cw_team recover(cw_team team)
{
  bool done = false;
  while (!done) {
    cw_team survivors = NULL;
    const unsigned first = agreed(team), second = agreed(team);
    kit_check((first & ~second) == 0, "a failed member is alive again: 0x%x, 0x%x", first, second);
    MUST(cw_team_shrink(team, &survivors));
    kit_check(cw_team_size(survivors) <= cw_team_size(team) - __builtin_popcount(second),
              "%d members survive", cw_team_size(survivors));
    if (team != cw_team_world())
      MUST(cw_team_free(&team));
    team = survivors;
    done = WORKS(cw_barrier(team)) && same(team, (long)first) && same(team, (long)second) &&
           sum_is_right(team);
  }
  return team;
}

static bool make_round(cw_team team, uint64_t *state)
{
  cw_team inner = NULL;
  bool right = false;
  switch (kit_random(state, 4)) {
  case 0:
    return WORKS(cw_barrier(team));
  case 1:
    return sum_is_right(team);
  case 2:
    return WORKS(cw_barrier(team)) && agreed(team) == 0;
  default:
    right = WORKS(cw_team_dup(team, &inner)) && sum_is_right(inner);
    MUST(cw_team_free(&inner));
    return right;
  }
}

/* Makes random rounds on the team, which it replaces by one of the survivors when a member fails.
 * All members end together. */
static cw_team exercise(cw_team team, uint64_t sequence, long rounds)
{
  uint64_t state = survivor_sequence(sequence, 0);
  for (long round = 0, part = 1; round < rounds; round++) {
    if (make_round(team, &state) &&
        (round < rounds - 1 || (WORKS(cw_barrier(team)) && agreed(team) == 0)))
      continue;
    team = recover(team);
    state = survivor_sequence(sequence, (uint64_t)part++);
    round = -1;
  }
  return team;
}

struct thread {
  pthread_t id;
  cw_team team;
  uint64_t sequence;
  long rounds;
};

static void *thread_run(void *argument)
{
  struct thread *thread = argument;
  thread->team = exercise(thread->team, thread->sequence, thread->rounds);
  return NULL;
}

/* Two threads with their own teams. */
static void run_threads(cw_team team, long rounds)
{
  struct thread threads[2] = {{.sequence = 1, .rounds = rounds}, {.sequence = 2, .rounds = rounds}};
  for (int i = 0; i < 2; i++)
    MUST(cw_team_dup(team, &threads[i].team));
  survivor_begin_deaths();
  for (int i = 0; i < 2; i++)
    if (pthread_create(&threads[i].id, NULL, thread_run, &threads[i]) != 0)
      abort();
  for (int i = 0; i < 2; i++)
    pthread_join(threads[i].id, NULL);
  for (int i = 0; i < 2; i++)
    MUST(cw_team_free(&threads[i].team));
}

/* Teams that were made before the deaths: one within another, halves, and each process alone. */
static void run_nested(long rounds)
{
  cw_team outer = NULL, inner = NULL, half = NULL, alone = NULL;
  MUST(cw_team_dup(cw_team_world(), &outer));
  MUST(cw_team_split(outer, 0, -cw_team_rank(outer), &inner));
  MUST(cw_team_split(inner, cw_team_rank(inner) % 2, 0, &half));
  MUST(cw_team_split(half, cw_team_rank(half), 0, &alone));
  survivor_begin_deaths();
  cw_team all = exercise(cw_team_world(), 1, rounds);
  cw_team *const teams[] = {&half, &inner, &outer};
  for (size_t i = 0; i < sizeof teams / sizeof *teams; i++) {
    *teams[i] = exercise(*teams[i], 2 + i, rounds / 4 + 1);
    MUST(cw_team_free(teams[i]));
  }
  kit_check(sum_is_right(alone), "a team of one member works");
  MUST(cw_team_free(&alone));
  if (all != cw_team_world())
    MUST(cw_team_free(&all));
}

int main(int argc, char **argv)
{
  int level = 0;
  const bool threads = argc > 5 && strcmp(argv[5], "threads") == 0;
  MPI_Init_thread(&argc, &argv, threads ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE, &level);
  survivor_start(&argc, &argv, "shrinks");
  CW_MUST(cw_init(MPI_COMM_WORLD));
  survivor_choose(atoi(argv[2]), survivor_death_of(argv[3]), atoi(argv[4]));
  kit_about("%s", threads ? "threads" : "nested teams");
  if (threads)
    run_threads(cw_team_world(), kit_rounds(argv[1], 100));
  else
    run_nested(kit_rounds(argv[1], 100));
  survivor_end();
}
