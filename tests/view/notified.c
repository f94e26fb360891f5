/* Notified puts and gets: a process that sees the counter sees the data, and an owner that is
 * notified of a get may overwrite what was read. Many to one, one to many, and requests of every
 * comparison. */
#include "kit/native.h"

#include <stdlib.h>
#include <string.h>

enum { WORDS = 9000, SLOTS = 2 };
enum { READY, TAKEN, CALLS, COUNTERS };

static cw_region region;
static cw_notifications notifications;
static void **at;
static int me, all;

static int64_t word(int from, int round, size_t i)
{
  return (int64_t)from << 40 | (int64_t)round << 20 | (int64_t)i;
}

static void wait_for(size_t number, int64_t least)
{
  cw_handle handle = {0, 0};
  KIT_OK(cw_notification_request(notifications, number, CW_AT_LEAST, least, &handle));
  KIT_OK(cw_wait(&handle));
}

static cw_error put_by(cw_view view, int way, const int64_t *from, int64_t *to, size_t count,
                       int process)
{
  if (way == 0)
    return cw_put_notify(from, to, count * 8, process, notifications, READY);
  if (way == 1 || count < 4)
    return cw_view_put_notify(view, from, to, count * 8, process, notifications, READY);
  /* rows, and the notification after them */
  const size_t counts[1] = {count / 4};
  const ptrdiff_t strides[1] = {32};
  const cw_transfer rows =
      cw_strided(CW_PUT, (void *)(uintptr_t)from, strides, to, strides, 24, counts, 1, process);
  const cw_transfer column = cw_strided(CW_PUT, (void *)(uintptr_t)(from + 3), strides, to + 3,
                                        strides, 8, counts, 1, process);
  if (cw_view_start(view, &rows, NULL) != CW_OK || cw_view_start(view, &column, NULL) != CW_OK)
    return CW_OUTSIDE;
  const size_t done = count / 4 * 4;
  return cw_view_put_notify(view, from + done, to + done, (count - done) * 8, process,
                            notifications, READY);
}

/* Each process sends to the next one, and reads the data of the previous one when its notification
 * has arrived. */
static void run_puts(cw_view view, int rounds)
{
  static const size_t sizes[] = {1, 60, 700, WORDS};
  static int64_t out[SLOTS][WORDS];
  const int next = (me + 1) % all, last = (me + all - 1) % all;
  int64_t(*mine)[WORDS] = at[me], (*there)[WORDS] = at[next];
  kit_about("notified puts");
  KIT_OK(cw_notification_reset(notifications, READY, NULL));
  KIT_OK(cw_notification_reset(notifications, TAKEN, NULL));
  KIT_MUST(cw_barrier(cw_team_world()));
  for (int round = 1; round <= rounds; round++) {
    const size_t count = sizes[round % 4];
    int64_t *from = out[round % SLOTS];
    size_t wrong = 0;
    wait_for(TAKEN, round - SLOTS);
    KIT_OK(cw_view_flush_local(view, next));
    for (size_t i = 0; i < count; i++)
      from[i] = word(me, round, i);
    KIT_OK(put_by(view, round % 3, from, there[round % SLOTS], count, next));
    wait_for(READY, round);
    for (size_t i = 0; i < count; i++)
      wrong += mine[round % SLOTS][i] != word(last, round, i);
    kit_check(wrong == 0, "round %d: %zu of %zu words are not there yet", round, wrong, count);
    KIT_OK(cw_view_put_notify(view, NULL, NULL, 0, last, notifications, TAKEN));
  }
  KIT_MUST(cw_barrier(cw_team_world()));
}

/* Words are put as fast as possible: a process that has seen a count finds the words that it
 * counts. */
static void run_stream(int many)
{
  const int next = (me + 1) % all, last = (me + all - 1) % all;
  const volatile int64_t *mine = at[me];
  int64_t *there = at[next], seen = 0, wrong = 0;
  kit_about("a stream of notified puts");
  memset(at[me], 0xff, (size_t)many * sizeof *there);
  KIT_OK(cw_notification_reset(notifications, READY, NULL));
  KIT_MUST(cw_barrier(cw_team_world()));
  for (int i = 0; i < many || seen < many; i++) {
    const int64_t value = word(me, 0, (size_t)i), before = seen;
    if (i < many)
      KIT_OK(cw_put_notify(&value, there + i, sizeof value, next, notifications, READY));
    else
      cw_progress();
    KIT_OK(cw_notification_read(notifications, READY, &seen));
    for (int64_t k = before; k < seen; k++)
      wrong += mine[k] != word(last, 0, (size_t)k);
  }
  kit_check(wrong == 0, "%ld of %d words came after their notification", (long)wrong, many);
  KIT_MUST(cw_barrier(cw_team_world()));
}

/* The owner overwrites what the last process has read as soon as it is notified. */
static void run_gets(cw_view view, int rounds)
{
  static const size_t sizes[] = {1, 60, 700, WORDS};
  static int64_t back[WORDS];
  const int next = (me + 1) % all, last = (me + all - 1) % all;
  int64_t *mine = at[me];
  kit_about("notified gets");
  KIT_OK(cw_notification_reset(notifications, READY, NULL));
  KIT_OK(cw_notification_reset(notifications, TAKEN, NULL));
  KIT_MUST(cw_barrier(cw_team_world()));
  for (int round = 1; round <= rounds; round++) {
    const size_t count = sizes[round % 4];
    size_t wrong = 0;
    for (size_t i = 0; i < count; i++)
      mine[i] = word(me, round, i);
    KIT_OK(cw_view_put_notify(view, NULL, NULL, 0, last, notifications, READY));
    wait_for(READY, round);
    KIT_OK(cw_view_get_notify(view, back, at[next], count * 8, next, notifications, TAKEN));
    wait_for(TAKEN, round);
    memset(mine, 0xff, count * 8);
    KIT_OK(cw_view_flush_local(view, next));
    for (size_t i = 0; i < count; i++)
      wrong += back[i] != word(next, round, i);
    kit_check(wrong == 0, "round %d: %zu of %zu words were overwritten", round, wrong, count);
  }
  KIT_MUST(cw_barrier(cw_team_world()));
}

/* All processes notify process 0, which notifies all. */
static void run_many(cw_view view, int rounds)
{
  int64_t value = 0;
  kit_about("many to one, one to many");
  for (int round = 1; round <= rounds; round++) {
    KIT_OK(cw_view_put_notify(view, NULL, NULL, 0, 0, notifications, CALLS));
    if (me == 0) {
      wait_for(CALLS, all);
      KIT_OK(cw_notification_reset(notifications, CALLS, &value));
      kit_check_long((long)value, all, "notifications of all");
      for (int process = 0; process < all; process++)
        KIT_OK(cw_put_notify(NULL, NULL, 0, process, notifications, CALLS));
    }
    if (me != 0 || all == 1)
      wait_for(CALLS, 1);
    else
      wait_for(CALLS, 1);
    KIT_OK(cw_notification_reset(notifications, CALLS, NULL));
    KIT_MUST(cw_barrier(cw_team_world()));
  }
}

static void check_request(cw_comparison comparison, int64_t value, bool want)
{
  cw_handle handle = {0, 0};
  bool complete = !want;
  KIT_OK(cw_notification_request(notifications, CALLS, comparison, value, &handle));
  KIT_OK(cw_test(&handle, &complete));
  kit_check(complete == want, "comparison %d with %ld says %d", (int)comparison, (long)value,
            complete);
  if (!complete) { /* its condition becomes true, or its set is freed */
    KIT_OK(cw_put_notify(NULL, NULL, 0, me, notifications, CALLS));
    if (comparison == CW_NOT_EQUAL || comparison == CW_CHANGED)
      KIT_OK(cw_wait(&handle));
    KIT_OK(cw_notification_reset(notifications, CALLS, NULL));
    for (int i = 0; i < 5; i++)
      KIT_OK(cw_put_notify(NULL, NULL, 0, me, notifications, CALLS));
  }
}

/* Tries each comparison with a counter of 5. */
static void run_comparisons(void)
{
  int64_t value = 0, *counter = at[me];
  bool holds = false;
  kit_about("comparisons");
  KIT_OK(cw_notification_reset(notifications, CALLS, NULL));
  for (int i = 0; i < 5; i++)
    KIT_OK(cw_put_notify(NULL, NULL, 0, me, notifications, CALLS));
  KIT_OK(cw_notification_read(notifications, CALLS, &value));
  kit_check_long((long)value, 5, "the counter");
  check_request(CW_AT_LEAST, 5, true);
  check_request(CW_AT_LEAST, 6, false);
  check_request(CW_EQUAL, 5, true);
  check_request(CW_EQUAL, 4, false);
  check_request(CW_NOT_EQUAL, 4, true);
  check_request(CW_NOT_EQUAL, 5, false);
  check_request(CW_CHANGED, 4, false);
  *counter = 0;
  KIT_OK(cw_notify(counter, 7, me));
  KIT_OK(cw_notify_test(counter, CW_EQUAL, 7, &holds, &value));
  kit_check(holds && value == 7, "the counter in my memory is %ld", (long)value);
  KIT_OK(cw_notify_test(counter, CW_CHANGED, 7, &holds, NULL));
  kit_check(!holds, "7 is taken to be other than 7");
  KIT_OK(cw_notify_reset(counter, &value));
  kit_check(value == 7 && *counter == 0, "reset gave %ld and left %ld", (long)value,
            (long)*counter);
}

/* A set without counters on some processes, and requests on a freed one. */
static void run_sets(void)
{
  cw_notifications odd = NULL, freed = NULL;
  cw_handle handle = {0, 0};
  kit_about("sets");
  KIT_MUST(cw_notifications_create(cw_team_world(), me % 2 == 0 ? 0 : 3, &odd));
  KIT_MISUSE("process 0 has 0", cw_put_notify(NULL, NULL, 0, 0, odd, 0));
  if (all > 1)
    KIT_OK(cw_put_notify(NULL, NULL, 0, 1, odd, 2));
  if (me % 2 == 1)
    KIT_OK(cw_notification_request(odd, 0, CW_CHANGED, 0, &handle));
  freed = odd;
  KIT_MUST(cw_notifications_free(&odd));
  KIT_MISUSE("not an existing set of counters", cw_notification_read(freed, 0, &(int64_t){0}));
  if (me % 2 == 1)
    KIT_MISUSE("cw_wait|has been freed", cw_wait(&handle));
  KIT_OK(cw_wait(&handle)); /* it is empty */
}

static void run_shared(void)
{
  void *mine = NULL;
  kit_about("cw_address_shared");
  for (int process = 0; process < all; process++) {
    const bool near = cw_process_node(process) == cw_process_node(me);
    KIT_OK(cw_address_shared(process, at[process], 64, &mine));
    kit_check((mine != NULL) == near, "process %d is %s, and its memory at %p", process,
              near ? "near" : "far", mine);
    KIT_OK(cw_address_shared(process, at[process], ((size_t)1 << 40), &mine));
    kit_check(mine == NULL, "bytes of no slice are shared");
  }
}

int main(int argc, char **argv)
{
  const int rounds = argc > 1 ? atoi(argv[1]) : 60;
  static const cw_view_settings kinds[] = {
      {.scope = CW_SCOPE_PROCESS}, {.ordered = true}, {.scope = CW_SCOPE_THREAD}};
  cw_view plain = NULL, view = NULL;
  kit_start_native(&argc, &argv, "notified");
  me = cw_process();
  all = cw_processes();
  kit_make_region(sizeof(int64_t) * SLOTS * WORDS, &region, &at);
  KIT_MUST(cw_notifications_create(cw_team_world(), COUNTERS, &notifications));
  KIT_MUST(cw_view_of(region, &plain));
  for (int kind = 0; kind < 3; kind++) {
    if (cw_view_dup(plain, &kinds[kind], &view) != CW_OK)
      continue;
    run_puts(view, rounds);
    run_gets(view, rounds);
    run_many(view, rounds / 10);
    KIT_OK(cw_view_free(&view));
  }
  run_stream(rounds < SLOTS * WORDS / 100 ? 100 * rounds : SLOTS * WORDS);
  run_comparisons();
  run_sets();
  run_shared();
  KIT_OK(cw_view_free(&plain));
  KIT_MUST(cw_notifications_free(&notifications));
  kit_free_region(&region, at);
  return kit_finish_native();
}
