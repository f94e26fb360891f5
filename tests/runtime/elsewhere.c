/* Without CW_CHECK: an exchange tells that a member is in another collective call, or gives other
 * options, and which. The last process is the odd one.
 *
 *   elsewhere options    arrays and pools whose options differ: refused on all members
 *   elsewhere barrier    it is in a barrier, where the others create an array: they are refused
 *   elsewhere team       it makes a team, where the others gather, on several nodes: all are
 * refused */
#include "kit/native.h"

#include <causeway.h>

#include <string.h>

static bool odd;
static const int64_t six[2] = {6, 6}, seven[2] = {6, 7}, cells[2] = {1, 1};

static cw_array_options options_of(const int64_t *extents)
{
  return (cw_array_options){.type = CW_DOUBLE, .dimensions = 2, .extents = extents};
}

static void test_options(void)
{
  cw_array array = NULL;
  cw_tasks pool = NULL;
  cw_array_options options = options_of(odd ? seven : six);
  KIT_MISUSE("cw_array_create: extents has to be|process 0 gives 6, 6|gives 6, 7",
             cw_array_create(cw_team_world(), &options, &array));
  options = options_of(six);
  options.type = odd ? CW_LONG : CW_DOUBLE;
  KIT_MISUSE("type has to be|process 0 gives CW_DOUBLE|gives CW_LONG",
             cw_array_create(cw_team_world(), &options, &array));
  options = options_of(six);
  options.distribution.ghosts = odd ? cells : NULL;
  KIT_MISUSE("ghosts has to be|process 0 gives 0, 0|gives 1, 1",
             cw_array_create(cw_team_world(), &options, &array));
  const cw_tasks_options tasks = {.body = odd ? 32 : 64};
  KIT_MISUSE("cw_tasks_create: body has to be|process 0 gives 64|gives 32",
             cw_tasks_create(cw_team_world(), &tasks, &pool));
  kit_check(array == NULL && pool == NULL, "a refused call made something");
  options = options_of(six);
  KIT_MUST(cw_array_create(cw_team_world(), &options, &array));
  KIT_OK(cw_array_destroy(&array));
}

/* One barrier each way: afterwards all are together again. */
static void test_barrier(void)
{
  cw_array array = NULL;
  const cw_array_options options = options_of(six);
  for (int round = 0; round < 3; round++) {
    KIT_MUST(cw_array_create(cw_team_world(), &options, &array));
    KIT_OK(cw_array_destroy(&array));
  }
  if (odd)
    KIT_OK(cw_barrier(cw_team_world()));
  else
    KIT_MISUSE("cw_array_create: |different collective calls|in cw_array_create|in cw_barrier",
               cw_array_create(cw_team_world(), &options, &array));
  KIT_MUST(cw_array_create(cw_team_world(), &options, &array));
  KIT_OK(cw_array_destroy(&array));
}

/* The team's nodes are not known yet: to find them members agree. */
static void test_team(void)
{
  cw_team copy = NULL;
  long mine = 0, all[16] = {0};
  if (odd)
    KIT_MISUSE("cw_team_dup: |different collective calls|in cw_gather",
               cw_team_dup(cw_team_world(), &copy));
  else
    KIT_MISUSE("cw_gather: |different collective calls|in cw_team_dup",
               cw_gather(cw_team_world(), 0, &mine, sizeof mine, all));
  KIT_OK(cw_gather(cw_team_world(), 0, &mine, sizeof mine, all));
  KIT_OK(cw_team_dup(cw_team_world(), &copy));
  KIT_OK(cw_team_free(&copy));
}

int main(int argc, char **argv)
{
  kit_start_native(&argc, &argv, "elsewhere");
  kit_hang_guard();
  odd = kit_me() == kit_processes() - 1;
  if (argc > 1 && strcmp(argv[1], "options") == 0)
    test_options();
  else if (argc > 1 && strcmp(argv[1], "team") == 0)
    test_team();
  else
    test_barrier();
  return kit_finish_native();
}
