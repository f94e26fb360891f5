/* Requests of views, local and remote completion, and tests of several handles of all kinds. */
#include "kit/native.h"

#include <stdlib.h>
#include <string.h>

enum { WORDS = 6000, MANY = 6 };

static cw_region region;
static cw_notifications notifications;
static void **at;
static int me, next, last;

static int64_t word(int from, int round, size_t i)
{
  return (int64_t)from << 40 | (int64_t)round << 20 | (int64_t)i;
}

static void fill(int64_t *words, int round, size_t count)
{
  for (size_t i = 0; i < count; i++)
    words[i] = word(me, round, i);
}

/* Remote completion: the target sees the data without another call of the origin. */
static void run_remote(cw_view view)
{
  static const size_t sizes[] = {1, 3, 500, WORDS};
  static int64_t out[WORDS], seen[WORDS], want[WORDS];
  kit_about("remote completion");
  for (int round = 1; round <= 8; round++) {
    const size_t count = sizes[round % 4];
    cw_handle handle = {0, 0};
    fill(out, round, count);
    for (int part = 0; part < 2; part++) { /* two operations on one handle */
      const size_t begin = part * (count / 2), end = part == 0 ? count / 2 : count;
      KIT_OK(cw_view_rrput(view, out + begin, (int64_t *)at[next] + begin, (end - begin) * 8, next,
                           &handle));
    }
    KIT_OK(cw_wait(&handle));
    kit_barrier();
    for (size_t i = 0; i < count; i++)
      want[i] = word(last, round, i);
    KIT_OK(cw_get(seen, at[me], count * 8, me));
    kit_check_bytes(seen, want, count * 8, "what the last process has put");
    kit_barrier();
  }
}

static void run_local(cw_view view)
{
  static int64_t out[WORDS], back[WORDS];
  kit_about("local completion");
  for (int round = 1; round <= 4; round++) {
    cw_handle put = {0, 0}, get = {0, 0};
    bool complete = false;
    const size_t count = round % 2 == 0 ? WORDS : 5;
    fill(out, round, count);
    KIT_OK(cw_view_rput(view, out, at[next], count * 8, next, &put));
    while (!complete)
      KIT_OK(cw_test(&put, &complete));
    KIT_OK(cw_view_rget(view, back, at[next], count * 8, next, &get));
    memset(out, 0, count * 8);
    KIT_OK(cw_wait(&get));
    for (size_t i = 0; i < count; i++)
      out[i] = word(me, round, i);
    kit_check_bytes(back, out, count * 8, "what was put");
    KIT_OK(cw_view_flush(view, next));
    kit_barrier();
  }
}

/* Each handle is returned once if the program removes those that were returned. */
static void run_any(cw_view view)
{
  static int64_t back[MANY][WORDS];
  cw_handle handles[MANY + 1] = {{0, 0}};
  size_t numbers[MANY + 1], left = MANY + 1;
  unsigned named[MANY + 1] = {0};
  int64_t before = 0;
  kit_about("several handles");
  KIT_OK(cw_notification_reset(notifications, 0, NULL));
  kit_barrier();
  for (size_t i = 0; i < MANY; i++) {
    numbers[i] = i;
    if (i % 2 == 0)
      KIT_OK(cw_view_rget(view, back[i], at[next], (1 + i * 999) * 8, next, &handles[i]));
    else
      KIT_OK(cw_view_rrput(view, back[i], at[next], 8, next, &handles[i]));
  }
  numbers[MANY] = MANY;
  KIT_OK(cw_notification_request(notifications, 0, CW_AT_LEAST, 1, &handles[MANY]));
  while (left > 0) {
    size_t which = left;
    KIT_OK(cw_handle_wait_any(handles, left, &which));
    if (!kit_check(which < left && handles[which].index == 0, "which is %zu of %zu", which, left))
      return;
    named[numbers[which]]++;
    handles[which] = handles[--left];
    numbers[which] = numbers[left];
    if (left == 1) /* this process makes the update for which the last one waits */
      KIT_OK(cw_put_notify(NULL, NULL, 0, next, notifications, 0));
  }
  for (size_t i = 0; i <= MANY; i++)
    kit_check(named[i] == 1, "handle %zu was named %u times", i, named[i]);
  KIT_OK(cw_notification_read(notifications, 0, &before));
  kit_check_long((long)before, 1, "the counter");
  kit_barrier();
}

/* All are complete: each is returned in turn. */
static void run_fair(void)
{
  cw_handle handles[4] = {{0, 0}};
  unsigned named[4] = {0};
  bool complete = false;
  size_t which = 0;
  kit_about("fairness");
  for (int i = 0; i < 8; i++) {
    if (i % 2 == 0)
      KIT_OK(cw_handle_wait_any(handles, 4, &which));
    else
      KIT_OK(cw_handle_test_any(handles, 4, &which, &complete));
    named[which % 4]++;
  }
  for (int i = 0; i < 4; i++)
    kit_check(named[i] == 2, "handle %d had %u of 8 turns", i, named[i]);
  KIT_OK(cw_handle_wait_all(handles, 4));
  KIT_OK(cw_handle_wait_all(NULL, 0));
  KIT_MISUSE("cw_handle_wait_any|count is 0", cw_handle_wait_any(handles, 0, &which));
}

/* The loop of docs/reference/views.md: requests of MPI and handles, side by side. */
static void run_mixed(cw_view view)
{
  enum { REQUESTS = 2, HANDLES = 2 };
  static int64_t back[WORDS];
  MPI_Request requests[REQUESTS];
  cw_handle handles[HANDLES] = {{0, 0}};
  size_t handles_left = HANDLES;
  int requests_left = REQUESTS, sent = me, got = -1;
  kit_about("handles and requests of MPI");
  KIT_OK(cw_notification_reset(notifications, 0, NULL));
  kit_barrier();
  MPI_Irecv(&got, 1, MPI_INT, last, 3, kit_comm(), &requests[0]);
  KIT_OK(cw_notification_request(notifications, 0, CW_EQUAL, 1, &handles[0]));
  KIT_OK(cw_view_rget(view, back, at[next], sizeof back, next, &handles[1]));
  MPI_Isend(&sent, 1, MPI_INT, next, 3, kit_comm(), &requests[1]);
  KIT_OK(cw_put_notify(NULL, NULL, 0, next, notifications, 0));
  while (requests_left > 0 || handles_left > 0) {
    int index = 0, flag = 0;
    size_t which = 0;
    bool complete = false;
    MPI_Testany(REQUESTS, requests, &index, &flag, MPI_STATUS_IGNORE);
    if (flag && index != MPI_UNDEFINED)
      requests_left--;
    if (handles_left > 0)
      KIT_OK(cw_handle_test_any(handles, handles_left, &which, &complete));
    if (complete)
      handles[which] = handles[--handles_left];
  }
  kit_check_long(got, last, "the message");
  kit_barrier();
}

/* A handle names operations of one scope. */
static void run_scopes(cw_view view)
{
  const cw_view_settings alone = {.scope = CW_SCOPE_THREAD};
  cw_view mine = NULL;
  cw_handle handle = {0, 0};
  int64_t back = 0;
  int level = 0;
  MPI_Query_thread(&level);
  if (cw_view_dup(view, &alone, &mine) != CW_OK)
    return;
  kit_about("scopes");
  KIT_OK(cw_view_rget(mine, &back, at[next], 8, next, &handle));
  KIT_OK(cw_wait(&handle));
  KIT_OK(cw_notification_reset(notifications, 0, NULL));
  KIT_OK(cw_notification_request(notifications, 0, CW_CHANGED, 0, &handle));
  kit_barrier();
  if (cw_nodes() > 1 && level == MPI_THREAD_MULTIPLE)
    KIT_MISUSE("cw_view_rget|another scope", cw_view_rget(mine, &back, at[next], 8, next, &handle));
  kit_barrier();
  KIT_OK(cw_put_notify(NULL, NULL, 0, next, notifications, 0));
  KIT_OK(cw_wait(&handle));
  KIT_OK(cw_view_free(&mine));
  kit_barrier();
}

int main(int argc, char **argv)
{
  static const cw_view_settings kinds[] = {
      {.scope = CW_SCOPE_PROCESS}, {.ordered = true}, {.scope = CW_SCOPE_THREAD}};
  cw_view plain = NULL, view = NULL;
  kit_start_native(&argc, &argv, "requests");
  kit_make_region(sizeof(int64_t) * WORDS, &region, &at);
  KIT_MUST(cw_notifications_create(cw_team_world(), 1, &notifications));
  KIT_MUST(cw_view_of(region, &plain));
  me = cw_process();
  next = (me + 1) % cw_processes();
  last = (me + cw_processes() - 1) % cw_processes();
  for (int kind = 0; kind < 3; kind++) {
    if (cw_view_dup(plain, &kinds[kind], &view) != CW_OK)
      continue;
    run_remote(view);
    run_local(view);
    run_any(view);
    run_mixed(view);
    KIT_OK(cw_view_free(&view));
  }
  run_fair();
  run_scopes(plain);
  KIT_OK(cw_view_free(&plain));
  KIT_MUST(cw_notifications_free(&notifications));
  kit_free_region(&region, at);
  return kit_finish_native();
}
