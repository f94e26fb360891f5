/* Calls of causeway/view.h: operations on an ordered view of the next process's memory, completed
 * by flushes, by requests, and with notifications. */
#include "expect.h"

enum { LENGTH = 8 };

static cw_view view;
static int next;
static int64_t *remote;

static void settings(void)
{
  bool by_processor = false;
  cw_view_settings wanted = {.ordered = true}, granted;
  CW_MUST(cw_view_would_grant(view, &wanted, &granted));
  CW_MUST(cw_view_granted(view, &granted));
  EXPECT(granted.ordered && granted.scope == CW_SCOPE_PROCESS);
  CW_MUST(cw_view_op_intrinsic(view, "sum,cas", 1, CW_INT64, &by_processor));
  if (cw_process() == 0)
    printf("the processor makes sum and cas: %s\n", by_processor ? "yes" : "no");
}

static void flushes(void)
{
  const int64_t values[LENGTH] = {1, 2, 3, 4, 5, 6, 7, 8}, one = 1, ninety = 90;
  int64_t again[LENGTH] = {0}, before[2] = {-1, -1};
  CW_MUST(cw_view_put(view, values, remote, sizeof values, next));
  CW_MUST(cw_view_accumulate(view, CW_INT64, CW_SUM, &one, &remote[1], 1, next));
  CW_MUST(cw_view_get_accumulate(view, CW_INT64, CW_SUM, &one, before, &remote[1], 1, next));
  CW_MUST(cw_view_compare_swap(view, CW_INT64, &values[2], &ninety, &remote[2], next, before + 1));
  CW_MUST(cw_view_get(view, again, remote, sizeof again, next));
  CW_MUST(cw_view_flush_local_all(view)); /* the data of the get has arrived */
  EXPECT(again[0] == 1 && again[1] == 4 && again[2] == 90);
  CW_MUST(cw_view_flush(view, next));
  EXPECT(before[0] == 3 && before[1] == 3);

  const cw_transfer get = cw_contiguous(CW_GET, again, remote, sizeof again, next);
  CW_MUST(cw_view_start(view, &get, NULL));
  CW_MUST(cw_view_flush_all(view));
}

/* Requests of the first kind complete locally, those with rr when the target is updated. */
static void requests(void)
{
  const int64_t two = 2, three = 3;
  int64_t values[LENGTH] = {0}, before[2] = {-1, -1};
  cw_handle handle = {0, 0};
  CW_MUST(cw_view_rput(view, &two, &remote[3], sizeof two, next, &handle));
  CW_MUST(cw_view_raccumulate(view, CW_INT64, CW_SUM, &two, &remote[3], 1, next, &handle));
  CW_MUST(
      cw_view_rget_accumulate(view, CW_INT64, CW_SUM, &two, before, &remote[3], 1, next, &handle));
  CW_MUST(cw_view_rget(view, values, remote, sizeof values, next, &handle));
  CW_MUST(cw_wait(&handle));
  EXPECT(before[0] == 4 && values[3] == 6);

  CW_MUST(cw_view_rrput(view, &three, &remote[4], sizeof three, next, &handle));
  CW_MUST(cw_view_rraccumulate(view, CW_INT64, CW_SUM, &three, &remote[4], 1, next, &handle));
  CW_MUST(cw_view_rrget_accumulate(view, CW_INT64, CW_SUM, &three, before + 1, &remote[4], 1, next,
                                   &handle));
  CW_MUST(cw_wait(&handle));
  EXPECT(before[1] == 6);
}

static void notifications(void)
{
  const int64_t five = 5;
  int64_t value = 0;
  cw_notifications set = NULL;
  CW_MUST(cw_notifications_create(cw_team_world(), 1, &set));
  CW_MUST(cw_view_put_notify(view, &five, &remote[5], sizeof five, next, set, 0));
  CW_MUST(cw_view_accumulate_notify(view, CW_INT64, CW_SUM, &five, &remote[5], 1, next, set, 0));
  CW_MUST(cw_view_get_notify(view, &value, &remote[5], sizeof value, next, set, 0));
  CW_MUST(cw_view_flush(view, next));
  EXPECT(value == 10);
  CW_MUST(cw_notification_wait(set, 0, CW_AT_LEAST, 3, NULL)); /* of the process before me */
  CW_MUST(cw_barrier(cw_team_world()));
  CW_MUST(cw_notifications_free(&set));
}

int main(int argc, char **argv)
{
  start(&argc, &argv);
  cw_region region = NULL;
  cw_view plain = NULL;
  void *base = NULL;
  CW_MUST(cw_region_create(cw_team_world(), LENGTH * sizeof(int64_t), &region, NULL));
  next = (cw_process() + 1) % cw_processes();
  CW_MUST(cw_view_of(region, &plain));
  CW_MUST(cw_view_dup(plain, &(cw_view_settings){.ordered = true}, &view));
  CW_MUST(cw_view_address(view, next, &base, NULL));
  remote = base;
  settings();
  flushes();
  requests();
  notifications();
  CW_MUST(cw_barrier(cw_team_world()));
  CW_MUST(cw_view_free(&view));
  CW_MUST(cw_view_free(&plain));
  CW_MUST(cw_region_free(cw_team_world(), &region));
  return stop();
}
