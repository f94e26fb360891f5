/* Like native.c, for views, their atomic updates and requests, memory handles and notifications. */
#include "verdict.h"

#include <causeway.h>

#include <stdlib.h>
#include <string.h>

enum { WORDS = 3000, COUNTERS = 8 };

static int64_t words[WORDS], seen[WORDS];

static void fill(int64_t begin)
{
  for (int i = 0; i < WORDS; i++)
    words[i] = begin + i;
}

/* --- Views ------------------------------------------------------------------------------------ */

static void move(cw_view view, int64_t *there)
{
  cw_handle handle = {0};
  fill(1000 * (int64_t)me);
  MUST(cw_view_put(view, words, there, sizeof words, peer));
  MUST(cw_view_flush(view, peer));
  MUST(cw_view_get(view, seen, there, sizeof seen, peer));
  MUST(cw_view_flush_local(view, peer));
  expect(memcmp(words, seen, sizeof words) == 0, "a get of a view brought wrong data");
  fill(5);
  for (int i = 0; i < 20; i++)
    MUST(cw_view_rrput(view, words + i, there + i, 8, peer, &handle));
  MUST(cw_view_rput(view, words + 20, there + 20, sizeof words - 160, peer, &handle));
  MUST(cw_wait(&handle));
  MUST(cw_view_flush_all(view));
  MUST(cw_view_rget(view, seen, there, sizeof seen, peer, &handle));
  MUST(cw_wait(&handle));
  expect(memcmp(words, seen, sizeof words) == 0, "requested puts brought wrong data");
}

/* Failed updates may have been applied, so each is of a kind that can be repeated. */
static void update(cw_view view, int64_t *there)
{
  const int64_t five = 5, six = 6, bits[2] = {3, 5};
  int64_t before = 0, two[2] = {0, 0};
  MUST(cw_view_fetch_op(view, CW_INT64, CW_REPLACE, &five, there, peer, &before));
  MUST(cw_view_flush(view, peer));
  MUST(cw_view_compare_swap(view, CW_INT64, &five, &six, there, peer, &before));
  MUST(cw_view_flush(view, peer));
  expect(before == 5 || before == 6, "a compare-and-swap of a view brought wrong data");
  MUST(cw_view_accumulate(view, CW_INT64, CW_BIT_OR, bits, there, 2, peer));
  MUST(cw_view_flush(view, peer));
  MUST(cw_view_get_accumulate(view, CW_INT64, CW_MAXIMUM, bits, two, there, 2, peer));
  MUST(cw_view_flush(view, peer));
  expect(two[0] == 7, "an update of a view brought wrong data");
}

static void use_views(cw_region region, int64_t *there)
{
  static const cw_view_settings wanted[] = {{.scope = CW_SCOPE_PROCESS},
                                            {.scope = CW_SCOPE_THREAD},
                                            {.ordered = true},
                                            {.scope = CW_SCOPE_THREAD, .ordered = true}};
  cw_view base = NULL, view = NULL;
  doing = "views";
  MUST(cw_view_of(region, &base));
  for (size_t i = 0; i < sizeof wanted / sizeof wanted[0]; i++) {
    cw_view_settings granted;
    MUST(cw_view_would_grant(base, &wanted[i], &granted));
    if (granted.scope != wanted[i].scope || granted.ordered != wanted[i].ordered)
      continue; /* not available on all routes */
    MUST(cw_view_dup(base, &wanted[i], &view));
    move(view, there);
    update(view, there);
    MUST(cw_view_free(&view));
  }
  MUST(cw_view_free(&base));
}

/* --- Memory handles --------------------------------------------------------------------------- */

static void use_handles(void)
{
  unsigned char name[CW_MEMORY_HANDLE_BYTES], names[2][CW_MEMORY_HANDLE_BYTES];
  static int64_t memory[WORDS];
  cw_view view = NULL;
  void *base = NULL;
  doing = "memory handles";
  MUST(cw_memory_handle_create(memory, sizeof memory, name));
  TOGETHER(2, cw_allgather(cw_team_world(), name, sizeof name, names));
  MUST(cw_view_from_memory(names[peer], &view));
  MUST(cw_view_address(view, peer, &base, NULL));
  move(view, base);
  update(view, base);
  MUST(cw_view_free(&view));
  TOGETHER(2, cw_barrier(cw_team_world()));
  MUST(cw_memory_handle_release(name));
}

/* --- Notifications ---------------------------------------------------------------------------- */

/* A failed notification has not been sent. It is repeated, and must arrive once. */
static void use_notifications(cw_region region, int64_t *there)
{
  cw_notifications set = NULL;
  cw_view view = NULL;
  cw_handle handle = {0};
  int64_t value = 0;
  doing = "notifications";
  TOGETHER(2, cw_notifications_create(cw_team_world(), COUNTERS, &set));
  MUST(cw_view_of(region, &view));
  /* No notification has arrived yet, so in each run the call needs the permanent table of handles.
   * */
  MUST(cw_notification_request(set, 0, CW_AT_LEAST, 1, &handle));
  TOGETHER(2, cw_barrier(cw_team_world()));
  MUST(cw_view_put_notify(view, words, there, sizeof words, peer, set, 0));
  MUST(cw_wait(&handle));
  MUST(cw_view_put_notify(view, NULL, NULL, 0, peer, set, 1));
  MUST(cw_notification_request(set, 1, CW_AT_LEAST, 1, &handle));
  MUST(cw_wait(&handle));
  MUST(cw_notification_read(set, 0, &value));
  expect(value >= 1, "a notification is not counted");
  MUST(cw_view_get_notify(view, seen, there, sizeof seen, peer, set, 2));
  MUST(cw_view_flush(view, peer));
  expect(memcmp(words, seen, sizeof words) == 0, "a notified get brought wrong data");
  TOGETHER(2, cw_barrier(cw_team_world()));
  MUST(cw_view_free(&view));
  TOGETHER(2, cw_notifications_free(&set));
}

int main(int argc, char **argv)
{
  void *addresses[2];
  cw_region region = NULL;
  faults_start(&argc, &argv);
  doing = "regions";
  TOGETHER(2, cw_region_create(cw_team_world(), sizeof words, &region, addresses));
  use_views(region, addresses[peer]);
  TOGETHER(2, cw_barrier(cw_team_world()));
  use_handles();
  use_notifications(region, addresses[peer]);
  TOGETHER(2, cw_region_free(cw_team_world(), &region));
  return faults_finish();
}
