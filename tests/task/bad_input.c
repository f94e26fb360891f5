/* Every bad argument of the calls of task.h, while Causeway runs and while it does not. */
#include "kit/bad_input.h"
#include "kit/native.h"

#include <string.h>

static struct bad_axis teams, pools, long_bodies, odd_slots, odd_threads, odd_choices, odd_percents,
    classes, lengths, counts, numbers, others, odd_ahead, devices, arrays, odd_modes, scalars;
static cw_region region;
static cw_tasks pool, empty, alone, freed;
static cw_team single; /* I alone */
static int target;
static cw_array array;
static const int64_t corner[] = {0, 0}, outside[] = {4, 0};
static const cw_kernel_source source;
static cw_plan plan;
static cw_plan full = {.patches = CW_PLAN_PATCHES, .scalars = CW_PLAN_SCALARS};
static char here[64];

/* Valid objects that a rejected call may use. */
static struct {
  cw_tasks pool;
  cw_tasks_options options;
  cw_tasks_counts counts;
  void *object;
  int number;
  bool wanted;
} out;

#define POOL ((cw_tasks)at(bad))
#define TEAM ((cw_team)at(bad))

static cw_error never(const cw_task *task, void *argument)
{
  (void)task, (void)argument;
  kit_check(false, "a refused task runs");
  return CW_OK;
}

static cw_error nothing(const cw_task *task, void *argument, cw_plan *given)
{
  (void)task, (void)argument, (void)given;
  return CW_OK;
}

static const cw_task_class plain = {.function = never};

static const char *too_long(void)
{
  static char name[300];
  memset(name, 'n', sizeof name - 1);
  return name;
}

static cw_error free_pool(cw_tasks given)
{
  cw_tasks handle = given;
  return cw_tasks_free(&handle);
}

static void begin_axes(void)
{
  bad_begin_objects(&teams, true);
  bad_begin_objects(&pools, true);
  bad_begin_objects(&arrays, true);
  numbers.count = others.count = devices.count = 0;
  bad_add_numbers(&numbers, kit_processes());
  if (kit_processes() > 1)
    bad_add(&others, "another process", kit_me() == 0 ? 1 : 0);
  bad_add_other_processes(&devices);
  bad_add_address(&pools, "a freed pool", freed);
  if (region != NULL) {
    bad_add_address(&pools, "a region", region);
    bad_add_address(&pools, "the inside of a pool", (char *)pool + 16);
    bad_add_address(&teams, "a pool", pool);
  }
}

static void add_values(void)
{
  bad_add_numbers(&classes, 1);
  bad_add_sizes(&long_bodies);
  bad_add(&long_bodies, "one more than the most", CW_TASKS_MOST_BODY + 1);
  bad_add_sizes(&odd_slots);
  bad_add(&odd_slots, "1", 1);
  bad_add(&odd_slots, "one more than the most", CW_TASKS_MOST_SLOTS + 1);
  bad_add(&odd_threads, "-1", -1);
  bad_add(&odd_threads, "one more than the most", CW_TASKS_MOST_THREADS + 1);
  bad_add(&odd_choices, "-1", -1);
  bad_add(&odd_choices, "3", 3);
  bad_add(&odd_ahead, "-1", -1);
  bad_add(&odd_ahead, "one more than the most", CW_TASKS_MOST_AHEAD + 1);
  bad_add(&odd_modes, "-1", -1);
  bad_add(&odd_modes, "5", 5);
  bad_add(&scalars, "0", 0);
  bad_add(&scalars, "one more than the most", CW_PLAN_SCALAR_BYTES + 1);
  bad_add(&odd_percents, "-1", -1);
  bad_add(&odd_percents, "101", 101);
  bad_add_sizes(&lengths);
  bad_add(&lengths, "65", 65);
  bad_add(&counts, "so many that their bytes wrap", (intptr_t)1 << 62);
  bad_add(&counts, "the greatest", -1);
}

static void make_pool(cw_team team, cw_tasks *made)
{
  int number = 0;
  KIT_MUST(cw_tasks_create(team, NULL, made));
  KIT_MUST(cw_tasks_register(*made, "class", never, NULL, &number));
}

static void make_objects(void)
{
  int number = 0;
  KIT_MUST(cw_init(MPI_COMM_WORLD));
  cw_team world = cw_team_world();
  target = kit_processes() - 1;
  KIT_MUST(cw_region_create(world, 100, &region, NULL));
  KIT_MUST(cw_team_split(world, kit_me(), 0, &single));
  const int64_t extents[] = {4, 4};
  const cw_array_options options = {.type = CW_INT, .dimensions = 2, .extents = extents};
  KIT_MUST(cw_array_create(world, &options, &array));
  make_pool(world, &pool);
  make_pool(single, &alone);
  KIT_MUST(cw_tasks_share(pool, "object", here, &number));
  KIT_MUST(cw_tasks_create(world, NULL, &empty));
  KIT_MUST(cw_tasks_create(world, NULL, &freed));
  cw_tasks handle = freed;
  KIT_OK(cw_tasks_free(&handle));
}

/* Runs the tasks: no rejected one was added. */
static void end_objects(void)
{
  KIT_OK(cw_tasks_process(pool));
  KIT_OK(cw_tasks_process(alone));
  KIT_OK(cw_tasks_free(&alone));
  KIT_OK(cw_team_free(&single));
  KIT_OK(cw_array_destroy(&array));
  KIT_OK(cw_region_free(cw_team_world(), &region));
  freed = pool; /* cw_finalize frees it */
  KIT_MUST(cw_finalize());
}

static const struct bad_program program = {.name = "task_bad_input",
                                           .manner = BAD_RETURNS,
                                           .add = add_values,
                                           .begin = begin_axes,
                                           .make = make_objects,
                                           .end = end_objects};

#define BAD_RUNNING "task/bad_input.def"
#define BAD_IDLE "task/not_running.def"
#include "kit/bad_program.inc"
