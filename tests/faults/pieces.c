/* Like native.c, for exchanges, scans and pieces of several lengths, for non-blocking collective
 * calls, and for waits for a counter. The start of a non-blocking call fails on one process without
 * affecting the others, and is repeated. */
#include "verdict.h"

#include <causeway.h>

#include <stdlib.h>
#include <string.h>

/* LONG is more than one message of MPI's collectives between nodes carries. */
enum { SHORT = 300, LONG = (4 << 20) + 100 };

static char *mine, *all; /* of 2 * LONG bytes */

/* Fills in the data that rank `from` sends to rank `to`. */
static void fill(char *at, int from, int to, size_t bytes)
{
  memset(at, 1 + from + 7 * to, bytes);
}

static void check_piece(const char *at, int from, int to, size_t bytes, const char *what)
{
  const bool same = bytes < 2 || memcmp(at, at + 1, bytes - 1) == 0;
  expect(bytes == 0 || (at[0] == (char)(1 + from + 7 * to) && same), what);
}

static void exchange(cw_team team, size_t bytes)
{
  const size_t out[2] = {me == 0 ? 5 : bytes, bytes}, in[2] = {me == 0 ? 5 : bytes, bytes};
  const size_t places[2] = {bytes, 0};
  for (int to = 0; to < 2; to++)
    fill(mine + (size_t)to * bytes, me, to, bytes);
  TOGETHER(2, cw_alltoall(team, mine, bytes, all));
  for (int from = 0; from < 2; from++)
    check_piece(all + (size_t)from * bytes, from, me, bytes, "wrong bytes of an exchange");
  for (int to = 0; to < 2; to++)
    fill(mine + places[to], me, to, out[to]);
  TOGETHER(2, cw_alltoallv(team, mine, out, places, all, in, NULL));
  for (int from = 0; from < 2; from++)
    check_piece(all + (from == 0 ? 0 : in[0]), from, me, in[from],
                "wrong bytes of different lengths");
}

static void gather(cw_team team, size_t bytes)
{
  const size_t sizes[2] = {bytes, bytes / 2}, places[2] = {bytes, 0};
  fill(mine, me, 0, bytes);
  memset(all, 0, 2 * bytes);
  TOGETHER(2, cw_allgatherv(team, mine, sizes[me], all, sizes, places));
  for (int from = 0; from < 2; from++)
    check_piece(all + places[from], from, 0, sizes[from], "wrong bytes gathered by all");
  memset(all, 0, 2 * bytes);
  TOGETHER(2, cw_gatherv(team, 1, mine, sizes[me], all, sizes, places));
  for (int from = 0; me == 1 && from < 2; from++)
    check_piece(all + places[from], from, 0, sizes[from], "wrong bytes gathered");
  memset(mine, 0, bytes);
  TOGETHER(2, cw_scatterv(team, 1, all, sizes, places, mine, sizes[me]));
  check_piece(mine, me, 0, sizes[me], "wrong bytes of different lengths scattered");
  for (int to = 0; to < 2; to++)
    fill(all + (size_t)to * bytes, 0, to, bytes);
  TOGETHER(2, cw_scatter(team, 0, all, bytes, mine));
  check_piece(mine, 0, me, bytes, "wrong bytes scattered");
}

/* Starts each time from the same numbers. */
static void scan(cw_team team)
{
  enum { COUNT = 2000 };
  static long numbers[COUNT];
  do
    for (int i = 0; i < COUNT; i++)
      numbers[i] = i + me;
  while (again_together("cw_scan", cw_scan(team, CW_LONG, CW_SUM, COUNT, numbers), 2));
  expect(numbers[7] == (me == 0 ? 7 : 15), "a scan brought wrong numbers");
  do
    for (int i = 0; i < COUNT; i++)
      numbers[i] = i + 3 * me;
  while (again_together("cw_exclusive_scan",
                        cw_exclusive_scan(team, CW_LONG, CW_SUM, COUNT, numbers), 2));
  expect(numbers[COUNT - 1] == COUNT - 1, "an exclusive scan brought wrong numbers");
}

static void pieces(void)
{
  cw_team copy = NULL;
  doing = "pieces";
  TOGETHER(2, cw_team_dup(cw_team_world(), &copy));
  exchange(copy, SHORT);
  gather(copy, SHORT);
  scan(copy);
  exchange(copy, LONG);
  gather(copy, LONG);
  MUST(cw_team_free(&copy));
}

/* --- Non-blocking calls ----------------------------------------------------------------------- */

enum { WORDS = 500, AT_ONCE = 5 };

/* Starts several calls at once, of a team that is freed before they are waited for. */
static void starts(void)
{
  static long sums[WORDS], sent[2 * WORDS], received[2 * WORDS], gathered[2 * WORDS], word;
  cw_handle handles[AT_ONCE] = {{0, 0}};
  cw_team copy = NULL;
  doing = "calls that do not wait";
  TOGETHER(2, cw_team_dup(cw_team_world(), &copy));
  for (int i = 0; i < 2 * WORDS; i++)
    sent[i] = 10 * me + i / WORDS;
  for (int i = 0; i < WORDS; i++)
    sums[i] = i + me;
  word = me == 1 ? 77 : 0;
  MUST(cw_iallreduce(copy, CW_LONG, CW_SUM, WORDS, sums, &handles[0]));
  MUST(cw_ibroadcast(copy, 1, &word, sizeof word, &handles[1]));
  MUST(cw_ialltoall(copy, sent, WORDS * sizeof(long), received, &handles[2]));
  MUST(cw_iallgather(copy, sent, WORDS * sizeof(long), gathered, &handles[3]));
  MUST(cw_ibarrier(copy, &handles[4]));
  MUST(cw_team_free(&copy));
  for (bool done = false; !done;)
    MUST(cw_test(&handles[4], &done));
  MUST(cw_handle_wait_all(handles, AT_ONCE));
  expect(word == 77 && sums[3] == 7, "a call that did not wait brought wrong data");
  for (int i = 0; i < 2 * WORDS; i++)
    expect(received[i] == i / WORDS * 10 + me && gathered[i] == i / WORDS * 10,
           "pieces of a call that did not wait are wrong");
}

/* Starts more of them than there are handles initially, and distinguishes those of one kind from
 * others. */
static void many_starts(void)
{
  enum { MANY = 70 };
  static long numbers[MANY];
  cw_handle handles[MANY] = {{0, 0}};
  doing = "many calls that do not wait";
  for (int i = 0; i < MANY; i++) {
    numbers[i] = i + me;
    MUST(cw_iallreduce(cw_team_world(), CW_LONG, CW_SUM, 1, &numbers[i], &handles[i]));
  }
  MUST(cw_handle_wait_all(handles, MANY));
  for (int i = 0; i < MANY; i++)
    expect(numbers[i] == 2 * i + 1, "one of many calls brought wrong data");
}

static void counters(void)
{
  cw_notifications set = NULL;
  int64_t now = 0;
  doing = "counters";
  TOGETHER(2, cw_notifications_create(cw_team_world(), 2, &set));
  MUST(cw_put_notify(NULL, NULL, 0, peer, set, 1));
  MUST(cw_notification_wait(set, 1, CW_AT_LEAST, 1, &now));
  expect(now == 1, "a counter has another value than was waited for");
  TOGETHER(2, cw_barrier(cw_team_world()));
  TOGETHER(2, cw_notifications_free(&set));
}

int main(int argc, char **argv)
{
  static long left = 1;
  cw_handle handle = {0, 0};
  faults_start(&argc, &argv);
  mine = malloc((size_t)2 * LONG);
  all = malloc((size_t)2 * LONG);
  if (mine == NULL || all == NULL)
    fail("the program has no memory");
  pieces();
  starts();
  many_starts();
  counters();
  /* This one is left to cw_finalize. */
  MUST(cw_iallreduce(cw_team_world(), CW_LONG, CW_SUM, 1, &left, &handle));
  const int status = faults_finish();
  if (left != 2)
    fail("a call that was left to cw_finalize is not complete");
  free(mine);
  free(all);
  return status;
}
