/* Several threads make teams at the same time, with tags of their own, and use them. */
#include "kit/native.h"

#include <mpi.h>
#include <pthread.h>
#include <stdlib.h>

enum { THREADS = 3, TEAMS = 15 };

struct work {
  int tag;
  int first; /* the team is the processes from here on */
  int done;
  char message[256];
};

static bool failed(struct work *work, cw_error error)
{
  if (error != CW_OK)
    snprintf(work->message, sizeof work->message, "team %d: %s", work->done, cw_error_message());
  return error != CW_OK;
}

static cw_error put_first(const long *value, void *address, int process)
{
  return cw_put(value, address, sizeof *value, process);
}

static bool use(struct work *work, cw_team team, int members)
{
  cw_region region = NULL;
  void *addresses[16];
  long got = -1;
  const int rank = cw_team_rank(team), next = (rank + 1) % members;
  const long sent = work->tag * 1000 + work->done;
  if (failed(work, cw_region_create(team, sizeof got, &region, addresses)) ||
      failed(work, put_first(&sent, addresses[next], cw_team_process(team, next))) ||
      failed(work, cw_barrier(team)) ||
      failed(work, cw_get(&got, addresses[rank], sizeof got, kit_me())) ||
      failed(work, cw_region_free(team, &region)))
    return false;
  if (got != sent)
    snprintf(work->message, sizeof work->message, "team %d: got %ld; it should be %ld", work->done,
             got, sent);
  return got == sent;
}

static void *make_teams(void *argument)
{
  struct work *work = argument;
  const int members = kit_processes() - work->first;
  int ranks[16];
  for (int i = 0; i < members; i++)
    ranks[i] = work->first + i;
  for (work->done = 0; work->done < TEAMS; work->done++) {
    cw_team team = NULL;
    if (failed(work, cw_team_create(cw_team_world(), (size_t)members, ranks, work->tag, &team)))
      return NULL;
    if (kit_me() < work->first)
      continue;
    if (!use(work, team, members) || failed(work, cw_team_free(&team)))
      return NULL;
  }
  return NULL;
}

int main(int argc, char **argv)
{
  pthread_t threads[THREADS];
  struct work work[THREADS] = {{0}};
  kit_start_native(&argc, &argv, "team threads");
  kit_need_threads();
  kit_hang_guard();
  for (int i = 0; i < THREADS; i++) {
    work[i].tag = i + 1;
    work[i].first = i % 2 < kit_processes() - 1 ? i % 2 : 0;
    pthread_create(&threads[i], NULL, make_teams, &work[i]);
  }
  for (int i = 0; i < THREADS; i++) {
    pthread_join(threads[i], NULL);
    kit_about("thread %d", i);
    kit_check(work[i].done == TEAMS && work[i].message[0] == '\0', "made %d of %d teams: %s",
              work[i].done, TEAMS, work[i].message);
  }
  return kit_finish_native();
}
