/* Atomic updates through views of every setting: all processes update the same elements, by every
 * call; the results and the final values must be consistent. Also tests misuse of asserted views.
 *
 * atomics ROUNDS */
#include "kit/native.h"

#include <stdlib.h>
#include <string.h>

enum { COUNT = 300, CALLS = 8 };

/* Elements of process 0. Each line of them is updated by one kind of call. */
struct slice {
  int64_t sums[COUNT];
  int64_t ticket, swapped, rounds;
  int32_t bits;
  float most;
};

static cw_region region;
static cw_notifications notifications;
static void **at;
static int me, all;

static void clear(cw_view view)
{
  struct slice zeros;
  memset(&zeros, 0, sizeof zeros);
  KIT_MUST(cw_barrier(cw_team_world()));
  if (me == 0)
    KIT_OK(cw_put(&zeros, at[0], sizeof zeros, 0));
  KIT_OK(cw_notification_reset(notifications, 0, NULL));
  KIT_OK(cw_view_flush_all(view));
  KIT_MUST(cw_barrier(cw_team_world()));
}

/* One of the ways to add to all sums; `before` receives something or stays -1. */
static void add_to_all(cw_view view, int way, const int64_t *ones, int64_t *before)
{
  struct slice *there = at[0];
  cw_handle handle = {0, 0};
  switch (way) {
  case 0:
    KIT_OK(cw_view_accumulate(view, CW_INT64, CW_SUM, ones, there->sums, COUNT, 0));
    break;
  case 1:
    KIT_OK(cw_view_get_accumulate(view, CW_INT64, CW_SUM, ones, before, there->sums, COUNT, 0));
    break;
  case 2:
    KIT_OK(cw_view_raccumulate(view, CW_INT64, CW_SUM, ones, there->sums, COUNT, 0, &handle));
    break;
  case 3:
    KIT_OK(cw_view_rraccumulate(view, CW_INT64, CW_SUM, ones, there->sums, COUNT, 0, &handle));
    break;
  case 4:
    KIT_OK(cw_view_rget_accumulate(view, CW_INT64, CW_SUM, ones, before, there->sums, COUNT, 0,
                                   &handle));
    break;
  case 5:
    KIT_OK(cw_view_rrget_accumulate(view, CW_INT64, CW_SUM, ones, before, there->sums, COUNT, 0,
                                    &handle));
    break;
  case 6:
    KIT_OK(cw_view_accumulate_notify(view, CW_INT64, CW_SUM, ones, there->sums, COUNT, 0,
                                     notifications, 0));
    break;
  default:
    for (size_t i = 0; i < COUNT; i++)
      KIT_OK(cw_view_fetch_op(view, CW_INT64, CW_SUM, ones, &there->sums[i], 0, &before[i]));
  }
  KIT_OK(cw_wait(&handle));
  KIT_OK(cw_view_flush_local(view, 0));
}

static void run_sums(cw_view view, int rounds)
{
  static int64_t ones[COUNT], before[COUNT], left[COUNT];
  long wrong = 0;
  clear(view);
  for (size_t i = 0; i < COUNT; i++)
    ones[i] = 1;
  for (int round = 0; round < rounds; round++)
    for (int way = 0; way < CALLS; way++) {
      memset(before, 0xff, sizeof before);
      add_to_all(view, way, ones, before);
      const bool fetches = way == 1 || way == 4 || way == 5 || way == 7;
      for (size_t i = 0; fetches && i < COUNT; i++) /* this process's own update came before */
        wrong += before[i] < (int64_t)round * CALLS + way || before[i] >= rounds * CALLS * all;
    }
  KIT_OK(cw_view_flush(view, 0));
  kit_check(wrong == 0, "%ld old values cannot be", wrong);
  KIT_MUST(cw_barrier(cw_team_world()));
  KIT_OK(cw_view_get_accumulate(view, CW_INT64, CW_NO_OP, NULL, left, ((struct slice *)at[0])->sums,
                                COUNT, 0));
  KIT_OK(cw_view_flush_local(view, 0));
  wrong = 0;
  for (size_t i = 0; i < COUNT; i++)
    wrong += left[i] != (int64_t)rounds * CALLS * all;
  kit_check(wrong == 0, "%ld of %d sums are wrong, the first is %ld and not %ld", wrong, COUNT,
            (long)left[0], (long)rounds * CALLS * all);
  if (me == 0) {
    int64_t value = 0;
    KIT_OK(cw_notification_read(notifications, 0, &value));
    kit_check_long((long)value, (long)rounds * all, "notifications of accumulates");
  }
}

/* A lock of compare-and-swap guards a number that is not atomic. */
static void run_lock(cw_view view, int rounds)
{
  struct slice *there = at[0];
  const int64_t free = 0, mine = me + 1;
  int64_t number = 0;
  clear(view);
  for (int round = 0; round < rounds; round++) {
    int64_t before = -1;
    do {
      KIT_OK(cw_view_compare_swap(view, CW_INT64, &free, &mine, &there->ticket, 0, &before));
      KIT_OK(cw_view_flush_local(view, 0));
      cw_progress();
    } while (before != 0);
    KIT_OK(cw_view_get(view, &number, &there->rounds, 8, 0));
    KIT_OK(cw_view_flush_local(view, 0));
    number++;
    KIT_OK(cw_view_put(view, &number, &there->rounds, 8, 0));
    KIT_OK(cw_view_flush(view, 0));
    KIT_OK(cw_view_fetch_op(view, CW_INT64, CW_REPLACE, &free, &there->ticket, 0, &before));
    KIT_OK(cw_view_flush(view, 0));
    kit_check(before == mine, "the lock was %ld's, and not mine", (long)before);
  }
  KIT_MUST(cw_barrier(cw_team_world()));
  KIT_OK(cw_get(&number, &there->rounds, 8, 0));
  kit_check_long((long)number, (long)rounds * all, "the number that the lock guards");
}

static void run_types(cw_view view)
{
  struct slice *there = at[0];
  const int32_t bit = (int32_t)(1u << me);
  const float mine = 0.5F + (float)me;
  struct slice left;
  clear(view);
  KIT_OK(cw_view_accumulate(view, CW_INT32, CW_BIT_OR, &bit, &there->bits, 1, 0));
  KIT_OK(cw_view_fetch_op(view, CW_FLOAT, CW_MAXIMUM, &mine, &there->most, 0, NULL));
  KIT_OK(cw_view_flush(view, 0));
  KIT_MUST(cw_barrier(cw_team_world()));
  KIT_OK(cw_get(&left, there, sizeof left, 0));
  kit_check_long(left.bits, (1 << all) - 1, "bits of all");
  kit_check(left.most > (float)all - 0.6F && left.most < (float)all, "the most is %g",
            (double)left.most);
}

/* One element, fetched: atomic against asserted views and those that are not, and plain calls. */
static void run_together(cw_view plain, cw_view asserted, int rounds)
{
  struct slice *there = at[0];
  const int64_t one = 1;
  int64_t left = 0;
  clear(plain);
  for (int round = 0; round < rounds; round++) {
    KIT_OK(cw_view_fetch_op((round + me) % 2 == 0 ? plain : asserted, CW_INT64, CW_SUM, &one,
                            &there->ticket, 0, NULL));
    KIT_OK(cw_view_accumulate(asserted, CW_INT64, CW_SUM, &one, &there->ticket, 1, 0));
    KIT_OK(cw_fetch_add_int64(&there->ticket, 1, 0, NULL));
  }
  KIT_MUST(cw_barrier(cw_team_world()));
  KIT_OK(cw_get(&left, &there->ticket, 8, 0));
  kit_check_long((long)left, (long)rounds * 3 * all, "updates by all ways");
}

static void run_asserted(cw_view plain, int rounds)
{
  const cw_view_settings sums = {.intrinsic = "sum,no_op,replace,cas",
                                 .intrinsic_type = CW_INT64,
                                 .intrinsic_count = COUNT,
                                 .checked = true};
  cw_view view = NULL;
  int64_t words[COUNT + 1] = {0};
  char *odd = (char *)at[0] + 4;
  if (cw_view_dup(plain, &sums, &view) != CW_OK)
    return;
  kit_about("an asserted view");
  run_sums(view, rounds);
  run_lock(view, rounds);
  run_together(plain, view, 20 * rounds);
  KIT_MISUSE("cw_view_accumulate|CW_MAXIMUM|sum,no_op",
             cw_view_accumulate(view, CW_INT64, CW_MAXIMUM, words, at[0], 1, 0));
  KIT_MISUSE("cw_view_fetch_op|type is",
             cw_view_fetch_op(view, CW_INT32, CW_SUM, words, at[0], 0, NULL));
  KIT_MISUSE("cw_view_get_accumulate|count is 301|300",
             cw_view_get_accumulate(view, CW_INT64, CW_SUM, words, words, at[0], COUNT + 1, 0));
  KIT_MISUSE("cw_view_accumulate|multiple of 8",
             cw_view_accumulate(view, CW_INT64, CW_SUM, words, odd, 1, 0));
  const cw_transfer real = {
      .operation = CW_ACCUMULATE, .type = CW_DOUBLE, .local = words, .remote = at[0], .bytes = 8};
  KIT_MISUSE("cw_view_start|type is", cw_view_start(view, &real, NULL));
  KIT_OK(cw_view_free(&view));
}

int main(int argc, char **argv)
{
  const int rounds = argc > 1 ? atoi(argv[1]) : 5;
  static const cw_view_settings kinds[] = {
      {.scope = CW_SCOPE_PROCESS}, {.ordered = true}, {.scope = CW_SCOPE_THREAD}};
  cw_view plain = NULL, view = NULL;
  kit_start_native(&argc, &argv, "atomics");
  me = cw_process();
  all = cw_processes();
  kit_make_region(sizeof(struct slice), &region, &at);
  KIT_MUST(cw_notifications_create(cw_team_world(), 1, &notifications));
  KIT_MUST(cw_view_of(region, &plain));
  for (int kind = 0; kind < 3; kind++) {
    if (cw_view_dup(plain, &kinds[kind], &view) != CW_OK)
      continue;
    kit_about("view %d", kind);
    run_sums(view, rounds);
    run_lock(view, rounds);
    run_types(view);
    KIT_OK(cw_view_free(&view));
  }
  run_asserted(plain, rounds);
  KIT_OK(cw_view_free(&plain));
  KIT_MUST(cw_notifications_free(&notifications));
  kit_free_region(&region, at);
  return kit_finish_native();
}
