/* Calls that meet another call of the team: all members hear of it, what was to end or to be
 * emptied is as it was, and what they call next is right.
 *
 *   met objects       calls on an object, while others make one */
#include "kit/native.h"

#include <string.h>

static int me, last;
static cw_team world;

/* --- Objects ---------------------------------------------------------------------------------- */

static cw_tasks pool;
static cw_notifications notifications;
static cw_array array, other;
static cw_matrix matrix;
static cw_mutexes mutexes;
static cw_region region;
static int class;
static long ran;

static cw_error count(const cw_task *task, void *argument)
{
  (void)task;
  (void)argument;
  __atomic_add_fetch(&ran, 1, __ATOMIC_RELAXED);
  return CW_OK;
}

static cw_error reset_pool(void)
{
  return cw_tasks_reset(pool);
}

static cw_error free_pool(void)
{
  return cw_tasks_free(&pool);
}

static cw_error free_notifications(void)
{
  return cw_notifications_free(&notifications);
}

static cw_error detach(void)
{
  return cw_matrix_detach(&matrix);
}

static cw_error destroy(void)
{
  return cw_array_destroy(&other);
}

static cw_error free_mutexes(void)
{
  return cw_mutexes_free(&mutexes);
}

static cw_error free_region(void)
{
  return cw_region_free(world, &region);
}

static const struct {
  const char *name;
  cw_error (*make)(void);
} ends[] = {{"cw_tasks_reset", reset_pool},
            {"cw_tasks_free", free_pool},
            {"cw_notifications_free", free_notifications},
            {"cw_matrix_detach", detach},
            {"cw_array_destroy", destroy},
            {"cw_mutexes_free", free_mutexes},
            {"cw_region_free", free_region}};
enum { ENDS = sizeof ends / sizeof ends[0], TASKS = 10 };

static void make_objects(void)
{
  const int64_t extents[] = {20, 20};
  const cw_array_options options = {.type = CW_DOUBLE, .dimensions = 2, .extents = extents};
  KIT_MUST(cw_tasks_create(world, NULL, &pool));
  KIT_MUST(cw_tasks_register(pool, "count", count, NULL, &class));
  KIT_MUST(cw_notifications_create(world, 2, &notifications));
  KIT_MUST(cw_array_create(world, &options, &array));
  KIT_MUST(cw_array_create(world, &options, &other));
  KIT_MUST(cw_matrix_attach(array, CW_ROW_MAJOR, &matrix));
  KIT_MUST(cw_mutexes_create(world, 1, &mutexes));
  KIT_MUST(cw_region_create(world, 64, &region, NULL));
}

/* All members end them together. */
static void end_objects(void)
{
  for (int i = 0; i < ENDS; i++)
    KIT_OK(ends[i].make());
  kit_check(pool == NULL && notifications == NULL && matrix == NULL && other == NULL &&
                mutexes == NULL && region == NULL,
            "an object has not ended");
  KIT_OK(cw_array_destroy(&array));
}

static void check_pool(void)
{
  ran = 0;
  KIT_OK(cw_tasks_process(pool));
  KIT_OK(cw_allreduce(world, CW_LONG, CW_SUM, 1, &ran));
  kit_check_long(ran, (long)TASKS * (last + 1), "tasks that ran");
}

static void check_all_alive(void)
{
  int64_t value = -1;
  kit_check(pool != NULL && notifications != NULL && matrix != NULL && other != NULL &&
                mutexes != NULL && region != NULL,
            "an object has gone");
  KIT_MISUSE("array", cw_array_destroy(&array)); /* it is attached, for all */
  KIT_OK(cw_mutex_lock(mutexes, 0, 0));
  KIT_OK(cw_mutex_unlock(mutexes, 0, 0));
  KIT_OK(cw_notification_read(notifications, 0, &value));
  kit_check_long((long)value, 0, "notifications");
}

/* Each set of processes calls it, while the others make something. */
static void test_objects(void)
{
  for (int end = 0; end < ENDS; end++)
    for (unsigned set = 1; set < (1u << (last + 1)) - 1; set++) {
      char words[64];
      cw_mutexes made = NULL;
      kit_about("%s, set %u", ends[end].name, set);
      make_objects();
      for (int i = 0; i < TASKS; i++)
        KIT_OK(cw_tasks_add(pool, class, &i, sizeof i));
      snprintf(words, sizeof words, "in %s|in cw_mutexes_create", ends[end].name);
      KIT_MISUSE(words,
                 (set >> me & 1) != 0 ? ends[end].make() : cw_mutexes_create(world, 1, &made));
      kit_check(made == NULL, "mutexes were made");
      check_pool();
      check_all_alive();
      end_objects();
    }
}

int main(int argc, char **argv)
{
  static const struct {
    const char *name;
    void (*run)(void);
  } tests[] = {{"objects", test_objects}};
  kit_start_native(&argc, &argv, "met");
  kit_hang_guard();
  me = kit_me();
  last = kit_processes() - 1;
  world = cw_team_world();
  for (size_t test = 0; test < sizeof tests / sizeof tests[0]; test++)
    if (argc > 1 && strcmp(argv[1], tests[test].name) == 0)
      tests[test].run();
  return kit_finish_native();
}
