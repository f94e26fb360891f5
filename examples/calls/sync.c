/* Calls of causeway/sync.h: notifications in a region, sets of counters, and a mutex. */
#include "expect.h"

/* A counter in a region: the previous process increments it after its data has arrived. */
static void counters(int64_t *mine, int64_t *theirs, int next)
{
  int64_t value = 0;
  bool holds = false;
  CW_MUST(cw_notify(theirs, 2, next));
  CW_MUST(cw_notify_wait(mine, 2, &value));
  EXPECT(value == 2);
  CW_MUST(cw_notify_test(mine, CW_EQUAL, 2, &holds, &value));
  EXPECT(holds);
  CW_MUST(cw_notify_reset(mine, &value));
  EXPECT(value == 2 && *mine == 0);
}

static void sets(int64_t *theirs, int next)
{
  cw_notifications set = NULL;
  const int64_t data = cw_process();
  int64_t value = -1;
  CW_MUST(cw_notifications_create(cw_team_world(), 1, &set));
  CW_MUST(cw_put_notify(&data, theirs + 1, sizeof data, next, set, 0));
  CW_MUST(cw_notification_wait(set, 0, CW_AT_LEAST, 1, NULL));
  CW_MUST(cw_notification_reset(set, 0, &value));
  EXPECT(value == 1);
  CW_MUST(cw_notification_read(set, 0, &value));
  EXPECT(value == 0);
  CW_MUST(cw_notifications_free(&set));
}

static void mutexes(void)
{
  cw_mutexes set = NULL;
  bool acquired = false;
  CW_MUST(cw_mutexes_create(cw_team_world(), cw_process() == 0 ? 1 : 0, &set));
  while (!acquired) /* a program would do other work between the attempts */
    CW_MUST(cw_mutex_trylock(set, 0, 0, &acquired));
  CW_MUST(cw_mutex_unlock(set, 0, 0));
  CW_MUST(cw_barrier(cw_team_world()));
  CW_MUST(cw_mutexes_free(&set));
}

int main(int argc, char **argv)
{
  start(&argc, &argv);
  const int me = cw_process(), next = (me + 1) % cw_processes();
  void **address = calloc((size_t)cw_processes(), sizeof *address);
  cw_region region = NULL;
  CW_MUST(cw_region_create(cw_team_world(), 2 * sizeof(int64_t), &region, address));
  int64_t *mine = address[me];
  mine[0] = mine[1] = 0;
  CW_MUST(cw_barrier(cw_team_world()));
  counters(mine, address[next], next);
  sets(address[next], next);
  mutexes();
  CW_MUST(cw_fence_all());
  CW_MUST(cw_region_free(cw_team_world(), &region));
  free(address);
  return stop();
}
