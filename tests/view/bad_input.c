/* Every bad argument of the calls of view.h, and of those of sync.h and transfer.h that belong to
 * them, while Causeway runs and while it does not. */
#include "kit/bad_input.h"
#include "kit/native.h"

#include <string.h>

enum { BYTES = 4000 };

static struct bad_axis views, views_not_null, regions, numbers, sizes, types, remotes, handles,
    teams, sets, kinds, operations;
static cw_region region, freed_region;
static cw_view view, freed, orphan; /* orphan: its region has been freed */
static cw_notifications set, freed_set;
static cw_handle empty;
static int target;
static void *slices[16];
static char *there;
static char here[BYTES];

/* Valid objects that a rejected call may use. */
static struct {
  cw_view view;
  cw_view_settings settings;
  cw_handle handle;
  bool flag;
  cw_notifications set;
  int64_t value;
  size_t which;
  void *address;
} out;

#define VIEW ((cw_view)at(bad))
#define REGION ((cw_region)at(bad))
#define ADDRESS at(bad)
#define TEAM ((cw_team)at(bad))
#define SET ((cw_notifications)at(bad))

static const cw_view_settings plain;

static const cw_view_settings *asserted(const char *list)
{
  static cw_view_settings settings;
  settings = (cw_view_settings){.intrinsic = list};
  return &settings;
}

static const cw_view_settings *typed(int type)
{
  static cw_view_settings settings;
  settings = (cw_view_settings){.intrinsic = "sum", .intrinsic_type = (cw_type)type};
  return &settings;
}

static const cw_view_settings *scoped(int scope)
{
  static cw_view_settings settings;
  settings = (cw_view_settings){.scope = (cw_scope)scope};
  return &settings;
}

static const char *too_long(void)
{
  static char list[CW_MAX_INTRINSIC + 2];
  static const char names[] = "sum,max,";
  for (size_t i = 0; i + 1 < sizeof list; i++)
    list[i] = names[i % 8];
  list[sizeof list - 2] = 'm';
  return list;
}

static cw_error free_view(cw_view given)
{
  cw_view handle = given;
  return cw_view_free(&handle);
}

static cw_error free_set(cw_notifications given)
{
  cw_notifications handle = given;
  return cw_notifications_free(&handle);
}

static int64_t *at_mine(void)
{
  return slices[kit_me()];
}

static const cw_transfer *put(void *remote, int process)
{
  static cw_transfer transfer;
  transfer = cw_contiguous(CW_PUT, here, remote, 8, process);
  return &transfer;
}

static cw_handle *handle_of(intptr_t bad)
{
  static cw_handle handle;
  handle = (cw_handle){(uint32_t)bad, (uint32_t)((uint64_t)bad >> 32)};
  return &handle;
}

static void begin_axes(void)
{
  bad_begin_objects(&views, true);
  bad_begin_objects(&views_not_null, false);
  bad_begin_objects(&regions, true);
  bad_begin_objects(&teams, true);
  bad_begin_objects(&sets, true);
  bad_add_address(&views, "a freed view", freed);
  bad_add_address(&views_not_null, "a freed view", freed);
  bad_add_address(&regions, "a view", freed);
  bad_add_address(&sets, "a freed set", freed_set);
  if (region != NULL) {
    bad_add_address(&sets, "a region", region);
    bad_add_address(&teams, "a set of counters", set);
    bad_add_address(&views, "a region", region);
    bad_add_address(&views, "the inside of a view", (char *)view + 16);
    bad_add_address(&views, "a view whose region was freed", orphan);
  }
  numbers.count = remotes.count = 0;
  bad_add_numbers(&numbers, kit_processes());
  bad_add(&remotes, "NULL", 0);
  bad_add(&remotes, "-8", -8);
  bad_add_address(&remotes, "private memory", here);
  if (there != NULL) {
    bad_add_address(&remotes, "behind the slice", there + BYTES);
    bad_add_address(&remotes, "before the slice", there - 8);
  }
}

static void make_objects(void)
{
  KIT_MUST(cw_init(MPI_COMM_WORLD));
  cw_team world = cw_team_world();
  target = kit_processes() - 1;
  KIT_MUST(cw_region_create(world, BYTES, &region, slices));
  there = slices[target];
  memset(slices[kit_me()], 3, BYTES);
  KIT_MUST(cw_region_create(world, BYTES, &freed_region, NULL));
  KIT_MUST(cw_view_of(region, &view));
  KIT_MUST(cw_view_of(freed_region, &orphan));
  KIT_MUST(cw_view_dup(view, NULL, &freed));
  cw_view handle = freed;
  KIT_OK(cw_view_free(&handle));
  KIT_OK(cw_region_free(world, &freed_region));
  KIT_MUST(cw_notifications_create(world, 1, &set));
  KIT_MUST(cw_notifications_create(world, 1, &freed_set));
  cw_notifications freed_notifications = freed_set;
  KIT_OK(cw_notifications_free(&freed_notifications));
  KIT_OK(cw_barrier(world));
}

/* Checks that no data was moved. */
static void end_objects(void)
{
  char seen[BYTES], threes[BYTES];
  memset(threes, 3, BYTES);
  KIT_OK(cw_barrier(cw_team_world()));
  KIT_OK(cw_get(seen, there, BYTES, target));
  kit_check_bytes(seen, threes, BYTES, "the slice after all refused calls");
  KIT_OK(cw_barrier(cw_team_world()));
  KIT_OK(cw_region_free(cw_team_world(), &region));
  freed = view; /* cw_finalize frees it and the set */
  freed_set = set;
  there = NULL;
  KIT_MUST(cw_finalize());
}

static void add_values(void)
{
  bad_add_sizes(&sizes);
  bad_add(&types, "-1", -1);
  bad_add(&types, "the number of types", CW_TYPES);
  bad_add(&types, "24", 24);
  bad_add(&types, "an opaque one", CW_OPAQUE);
  bad_add(&kinds, "-1", -1);
  bad_add(&kinds, "the number of types", CW_TYPES);
  bad_add(&kinds, "an opaque one", CW_OPAQUE);
  bad_add(&operations, "-1", -1);
  bad_add(&operations, "compare-and-swap", CW_NO_OP + 1);
  bad_add(&operations, "32", 32);
  bad_add(&handles, "a place that never was", (intptr_t)7777);
  bad_add(&handles, "the greatest place", (intptr_t)UINT32_MAX);
}

static const struct bad_program program = {.name = "view_bad_input",
                                           .manner = BAD_RETURNS,
                                           .add = add_values,
                                           .begin = begin_axes,
                                           .make = make_objects,
                                           .end = end_objects};

#define BAD_RUNNING "view/bad_input.def"
#define BAD_IDLE "view/not_running.def"
#include "kit/bad_program.inc"
