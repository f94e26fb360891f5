/* Calls of members that are in different calls of the team: all members get the error, objects that
 * were to be freed or cleared are unchanged, and later calls are right.
 *
 *   met objects       calls on an object, while others create one
 *   met collectives   calls that transfer data, in all combinations, and with other arguments: on
 *                     one node
 *   met nodes         members of one of several nodes differ */
#include "kit/native.h"

#include "team/world.h"

#include <stdlib.h>

enum { LONG = 60000 }; /* longs: through larger pages, in several pieces */

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

/* All members free them together. */
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
  KIT_MISUSE("array", cw_array_destroy(&array)); /* it is attached on all members */
  KIT_OK(cw_mutex_lock(mutexes, 0, 0));
  KIT_OK(cw_mutex_unlock(mutexes, 0, 0));
  KIT_OK(cw_notification_read(notifications, 0, &value));
  kit_check_long((long)value, 0, "notifications");
}

/* Each set of processes makes the call while the others create something. */
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

/* --- Collectives ------------------------------------------------------------------------------ */

static long *from, *to;
static size_t ones[16], places[16];

static cw_error barrier(size_t n)
{
  (void)n;
  return cw_barrier(world);
}

static cw_error make(size_t n)
{
  cw_region made = NULL;
  const cw_error error = cw_region_create(world, n, &made, NULL);
  return error == CW_OK ? cw_region_free(world, &made) : error;
}

static cw_error broadcast(size_t n)
{
  return cw_broadcast(world, last, to, n * sizeof *to);
}

static cw_error reduce(size_t n)
{
  return cw_allreduce(world, CW_LONG, CW_SUM, n, to);
}

static cw_error gather(size_t n)
{
  return cw_allgather(world, from, n * sizeof *from, to);
}

static cw_error scatter(size_t n)
{
  return cw_scatter(world, 0, from, n * sizeof *from, to);
}

static cw_error all_to_all(size_t n)
{
  return cw_alltoall(world, from, n * sizeof *from, to);
}

static cw_error scan(size_t n)
{
  return cw_scan(world, CW_LONG, CW_SUM, n, to);
}

static cw_error varied(size_t n)
{
  (void)n;
  return cw_alltoallv(world, from, ones, places, to, ones, places);
}

static const struct call {
  const char *name;
  cw_error (*make)(size_t n);
  bool has_data;
} calls[] = {{"cw_barrier", barrier, false},    {"cw_region_create", make, false},
             {"cw_broadcast", broadcast, true}, {"cw_allreduce", reduce, true},
             {"cw_allgather", gather, true},    {"cw_scatter", scatter, true},
             {"cw_alltoall", all_to_all, true}, {"cw_scan", scan, true},
             {"cw_alltoallv", varied, false}};
enum { CALLS = sizeof calls / sizeof calls[0] };

/* Checks the result of the sum, and the data of the last process. */
static void check_data(size_t n)
{
  for (size_t i = 0; i < n; i++)
    to[i] = (long)i + me;
  KIT_OK(reduce(n));
  long wrong = 0;
  for (size_t i = 0; i < n; i++)
    wrong += to[i] != (long)i * (last + 1) + last * (last + 1) / 2;
  kit_check_long(wrong, 0, "wrong sums");
  for (size_t i = 0; i < n; i++)
    to[i] = me == last ? (long)(3 * i) : -1;
  KIT_OK(broadcast(n));
  wrong = 0;
  for (size_t i = 0; i < n; i++)
    wrong += to[i] != (long)(3 * i);
  kit_check_long(wrong, 0, "wrong words of the broadcast");
}

static void check_after(unsigned number)
{
  check_data(1);
  if (number % 4 == 0)
    check_data(LONG);
  if (number % 3 == 0)
    KIT_OK(cw_barrier(world));
}

/* Tries calls that differ in arguments or in the call; a set of processes makes the first. */
static void try_pair(const struct call *one, size_t n, const struct call *two, size_t m)
{
  char words[128];
  static unsigned number = 1;
  const unsigned sets = (1u << (last + 1)) - 2, set = 1 + number++ % sets;
  const bool first = (set >> me & 1) != 0;
  kit_about("%s %zu and %s %zu, set %u", one->name, n, two->name, m, set);
  snprintf(words, sizeof words, one != two ? "in %s|in %s" : "another step of %s|CW_CHECK",
           one->name, two->name);
  KIT_MISUSE(words, first ? one->make(n) : two->make(m));
  check_after(number);
}

static void start_data(void)
{
  const size_t longest = (size_t)(last + 1) * LONG;
  from = kit_alloc(longest, sizeof *from);
  to = kit_alloc(longest, sizeof *to);
  for (int rank = 0; rank <= last; rank++) {
    ones[rank] = sizeof *to;
    places[rank] = (size_t)rank * sizeof *to;
  }
}

static cw_error differ_root(int odd)
{
  return cw_broadcast(world, me == odd ? odd : (odd + 1) % (last + 1), to, 8);
}

static void test_arguments(void)
{
  static const char words[] = "another step|CW_CHECK";
  for (int odd = 0; odd <= last; odd++) {
    const bool is = me == odd;
    kit_about("arguments of process %d", odd);
    KIT_MISUSE(words, differ_root(odd));
    check_after(0);
    KIT_MISUSE(words, cw_allreduce(world, CW_LONG, is ? CW_SUM : CW_MINIMUM, 1, to));
    KIT_MISUSE(words, cw_allreduce(world, is ? CW_LONG : CW_DOUBLE, CW_SUM, 1, to));
    KIT_MISUSE(words, cw_reduce(world, is ? odd : (odd + 1) % (last + 1), CW_LONG, CW_SUM, 1, to));
    check_after(1);
  }
}

/* Numbers in a region are reduced in place. */
static void test_in_place(void)
{
  enum { NUMBERS = 4096 };
  static const char words[] = "another step|CW_CHECK";
  void *all[16];
  cw_region rows = NULL;
  KIT_MUST(cw_region_create(world, NUMBERS * sizeof(long), &rows, all));
  long *numbers = all[me];
  for (int odd = 0; odd <= last; odd++) {
    const bool is = me == odd;
    kit_about("in place, process %d", odd);
    KIT_MISUSE(words, cw_reduce(world, is ? odd : (odd + 1) % (last + 1), CW_LONG, CW_SUM, NUMBERS,
                                numbers));
    KIT_MISUSE(words, cw_allreduce(world, CW_LONG, is ? CW_SUM : CW_MAXIMUM, NUMBERS, numbers));
    for (long i = 0; i < NUMBERS; i++)
      numbers[i] = i + me;
    KIT_OK(cw_allreduce(world, CW_LONG, CW_MAXIMUM, NUMBERS, numbers));
    kit_check_long(numbers[NUMBERS - 1], NUMBERS - 1 + last, "the greatest number");
  }
  KIT_OK(cw_region_free(world, &rows));
}

static void test_collectives(void)
{
  start_data();
  for (int twice = 0; twice < 2; twice++)
    for (int one = 0; one < CALLS; one++)
      for (int two = 0; two < CALLS; two++) {
        const bool data = calls[one].has_data, own = one == two;
        if (own && !data)
          continue;
        try_pair(&calls[one], 1, &calls[two], own ? 2 : 1);
        try_pair(&calls[one], 1, &calls[two], LONG);
        try_pair(&calls[one], LONG, &calls[two], own ? LONG / 2 : LONG);
      }
  test_arguments();
  test_in_place();
  free(from);
  free(to);
}

/* --- Nodes ------------------------------------------------------------------------------------ */

/* The last process passes other lengths than those on its node; the other nodes continue. */
static void test_nodes(void)
{
  const bool mine = cwi_same_node(last), odd = me == last;
  start_data();
  check_data(1);
  for (int number = 0; number < 20; number++) {
    kit_about("turn %d", number);
    const cw_error broadcasts = cw_broadcast(world, 0, to, odd ? 16 : 8);
    kit_check(broadcasts == (mine ? CW_MISUSE : CW_OK), "broadcast: %s", cw_error_message());
    check_data(number % 5 == 0 ? LONG : 1);
    const cw_error reduces = cw_allreduce(world, CW_LONG, CW_SUM, odd ? 2 : 1, to);
    kit_check(reduces == (mine ? CW_MISUSE : CW_OK), "reduction: %s", cw_error_message());
    check_data(1);
    const cw_error gathers = cw_allgather(world, from, odd ? 16 : 8, to);
    kit_check(gathers == (mine ? CW_MISUSE : CW_OK), "gather: %s", cw_error_message());
    check_data(1);
  }
  free(from);
  free(to);
}

int main(int argc, char **argv)
{
  static const struct kit_part tests[] = {
      {"objects", test_objects}, {"collectives", test_collectives}, {"nodes", test_nodes}};
  kit_start_native(&argc, &argv, "met");
  kit_hang_guard();
  me = kit_me();
  last = kit_processes() - 1;
  world = cw_team_world();
  KIT_RUN_PARTS(argc, argv, tests);
  return kit_finish_native();
}
