/* Several threads make and free regions at once, each on a team of its own, without barriers in
 * between. The next region of a member may reuse freed memory at once, while other members have not
 * yet forgotten the first region. */
#include "kit/native.h"

#include <mpi.h>
#include <pthread.h>
#include <stdlib.h>

enum { THREADS = 3, MOST_PROCESSES = 16 };

struct work {
  cw_team team;
  int number, rounds, done;
  char message[256];
};

static bool ok(struct work *work, cw_error error)
{
  if (error != CW_OK)
    snprintf(work->message, sizeof work->message, "%s", cw_error_message());
  return error == CW_OK;
}

/* Returns a size of a few granules, so that each slice overlaps several that were freed before. */
static size_t size_of(const struct work *work)
{
  return 64 + (size_t)((work->number * 7 + work->done * 5) % 11) * 20000;
}

static bool one_round(struct work *work)
{
  cw_region region = NULL;
  void *addresses[MOST_PROCESSES];
  const int rank = cw_team_rank(work->team), size = cw_team_size(work->team);
  const int next = (rank + 1) % size, target = cw_team_process(work->team, next);
  const long sent = work->number * 1000000L + work->done * 10L + rank;
  long got = -1;
  if (!ok(work, cw_region_create(work->team, size_of(work), &region, addresses)) ||
      !ok(work, cw_put(&sent, addresses[next], sizeof sent, target)) ||
      !ok(work, cw_get(&got, addresses[next], sizeof got, target)) ||
      !ok(work, cw_region_free(work->team, &region)))
    return false;
  if (got != sent)
    snprintf(work->message, sizeof work->message, "got %ld; it should be %ld", got, sent);
  return got == sent;
}

static void *churn(void *argument)
{
  struct work *work = argument;
  while (work->done < work->rounds && one_round(work))
    work->done++;
  return NULL;
}

int main(int argc, char **argv)
{
  pthread_t threads[THREADS];
  struct work work[THREADS] = {{0}};
  kit_start_native(&argc, &argv, "region threads");
  kit_need_threads();
  kit_hang_guard();
  for (int i = 0; i < THREADS; i++) {
    work[i].number = i;
    work[i].rounds = argc > 1 ? atoi(argv[1]) : 300;
    KIT_MUST(cw_team_dup(cw_team_world(), &work[i].team));
  }
  for (int i = 0; i < THREADS; i++)
    pthread_create(&threads[i], NULL, churn, &work[i]);
  for (int i = 0; i < THREADS; i++) {
    pthread_join(threads[i], NULL);
    kit_about("thread %d", i);
    kit_check(work[i].done == work[i].rounds, "stopped in round %d: %s", work[i].done,
              work[i].message);
  }
  for (int i = 0; i < THREADS; i++)
    KIT_OK(cw_team_free(&work[i].team));
  return kit_finish_native();
}
