/* Without CW_CHECK, an exchange detects that a member is in another collective call or passes other
 * options, and names it. The odd process is the last one, then each of them, then several.
 *
 *   elsewhere options    arrays and pools whose options differ: rejected on all members
 *   elsewhere barrier    some are in a barrier where the others create an array: all are rejected
 *   elsewhere team       one makes a team where the others gather, on several nodes: all are
 *                        rejected */
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
  KIT_MISUSE("cw_array_create: extents has to be|process 0 passes 6, 6|passes 6, 7",
             cw_array_create(cw_team_world(), &options, &array));
  options = options_of(six);
  options.type = odd ? CW_LONG : CW_DOUBLE;
  KIT_MISUSE("type has to be|process 0 passes CW_DOUBLE|passes CW_LONG",
             cw_array_create(cw_team_world(), &options, &array));
  options = options_of(six);
  options.distribution.ghosts = odd ? cells : NULL;
  KIT_MISUSE("ghosts has to be|process 0 passes 0, 0|passes 1, 1",
             cw_array_create(cw_team_world(), &options, &array));
  const cw_tasks_options tasks = {.body = odd ? 32 : 64};
  KIT_MISUSE("cw_tasks_create: body has to be|process 0 passes 64|passes 32",
             cw_tasks_create(cw_team_world(), &tasks, &pool));
  kit_check(array == NULL && pool == NULL, "a refused call made something");
  options = options_of(six);
  KIT_MUST(cw_array_create(cw_team_world(), &options, &array));
  KIT_OK(cw_array_destroy(&array));
}

static cw_error barrier_alone(cw_array array)
{
  (void)array;
  return cw_barrier(cw_team_world());
}

static cw_error update(cw_array array)
{
  return cw_array_update_ghosts(array, true);
}

static cw_error fill(cw_array array)
{
  const double value = 1;
  return cw_array_fill(array, NULL, NULL, &value);
}

/* Calls that begin with a barrier, and may have more steps after it. */
static const struct {
  const char *words;
  cw_error (*make)(cw_array array);
} barriers[] = {
    {"cw_array_create|in cw_barrier", barrier_alone},
    {"cw_array_create|in cw_array_sync", cw_array_sync},
    {"cw_array_create|in cw_array_update_ghosts", update},
    {"cw_array_create|in cw_array_fill", fill},
};

/* Each set of processes is in a barrier once where the others create an array. No process waits,
 * and afterwards all are synchronised again. */
static void test_barrier(void)
{
  cw_array array = NULL, other = NULL;
  cw_array_options options = options_of(six);
  options.distribution.ghosts = cells;
  KIT_MUST(cw_array_create(cw_team_world(), &options, &array));
  for (unsigned set = 1; set < (1U << kit_processes()) - 1; set++) {
    const unsigned kind = set % (sizeof barriers / sizeof barriers[0]);
    if ((set >> kit_me() & 1) != 0)
      KIT_MISUSE(barriers[kind].words, barriers[kind].make(array));
    else
      KIT_MISUSE(barriers[kind].words, cw_array_create(cw_team_world(), &options, &other));
    kit_check(other == NULL, "a refused call made an array");
    KIT_MUST(cw_array_create(cw_team_world(), &options, &other));
    KIT_OK(cw_array_destroy(&other));
    KIT_OK(cw_barrier(cw_team_world()));
  }
  KIT_OK(cw_array_destroy(&array));
}

/* The team's nodes are not known yet, so members communicate to find them. */
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

/* One process has a barrier more than the others. Afterwards all can end. */
static void test_end(void)
{
  if (odd)
    KIT_MISUSE("cw_barrier: |different collective calls|in cw_finalize",
               cw_barrier(cw_team_world()));
  else
    KIT_MISUSE("cw_finalize: |different collective calls|in cw_barrier", cw_finalize());
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
  test_end();
  return kit_finish_native();
}
