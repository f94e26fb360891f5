/* Arrays of all types and layouts are saved to files and loaded: to other layouts, other teams, and
 * new arrays.
 *
 * round_trip [device] [ROUNDS]; device: parts of the arrays lie on devices */
#include "file/arrays.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { KINDS = 9, MOST = 5 };

static const struct {
  cw_type type;
  size_t bytes;
} kinds[KINDS] = {{CW_INT, 4},       {CW_LONG, 8},          {CW_FLOAT, 4},
                  {CW_DOUBLE, 8},    {CW_FLOAT_COMPLEX, 8}, {CW_DOUBLE_COMPLEX, 16},
                  {CW_LONG_LONG, 8}, {CW_OPAQUE, 3},        {CW_OPAQUE, 40}};

static char path[PATH_BYTES];

struct shape {
  int kind, dimensions;
  int64_t extents[CW_MAX_DIMENSIONS];
};

static struct shape choose_shape(int kind)
{
  static const int longest[] = {0, 3000, 70, 20, 9, 6, 4, 3, 3};
  struct shape shape = {kind, 1 + kit_common(CW_MAX_DIMENSIONS), {0}};
  for (int d = 0; d < shape.dimensions; d++)
    shape.extents[d] = 1 + kit_common(longest[shape.dimensions]);
  return shape;
}

static cw_array make(cw_team team, const char *name, const struct shape *shape)
{
  return make_array(team, name, kinds[shape->kind].type, kinds[shape->kind].bytes,
                    shape->dimensions, shape->extents);
}

/* Returns a team of some members or of the others: two teams read at once. */
static cw_team choose_team(void)
{
  const int members = 1 + kit_common(cw_processes());
  cw_team team = NULL;
  KIT_MUST(cw_team_split(cw_team_world(), cw_process() < members, -cw_process(), &team));
  return team;
}

/* Loads into an array with contents, and into a new one. */
static void load_one(cw_team team, const char *name, const struct shape *shape, int seed)
{
  cw_array_description is;
  cw_array fresh = NULL, old = make(team, "old", shape);
  fill_array(old, seed + 1);
  KIT_OK(cw_array_load(path, name, old));
  check_array(old, seed);
  KIT_OK(cw_array_create_from_file(team, path, name, NULL, &fresh));
  check_array(fresh, seed);
  KIT_OK(cw_array_describe(fresh, &is));
  kit_check(is.type == kinds[shape->kind].type, "the type of the new array is %d", (int)is.type);
  kit_check(is.name[0] == name[0], "the name of the new array is '%s'", is.name);
  KIT_OK(cw_array_sync(fresh));
  KIT_OK(cw_array_destroy(&fresh));
  KIT_OK(cw_array_destroy(&old));
}

static void load_all(int count, const struct shape *shapes, const char *const *names, int seed)
{
  cw_team team = choose_team();
  for (int i = 0; i < count; i++)
    load_one(team, names[i], &shapes[i], seed + i);
  KIT_OK(cw_team_free(&team));
}

static void go_round(int round)
{
  static const char *const names[MOST] = {"a", "b/c", "b/d/e", "f g", "h"};
  cw_array arrays[MOST];
  struct shape shapes[MOST];
  const int count = 1 + kit_common(MOST), seed = kit_common(1000);
  for (int i = 0; i < count; i++) {
    shapes[i] = choose_shape((round + i) % KINDS);
    arrays[i] = make(cw_team_world(), names[i], &shapes[i]);
    fill_array(arrays[i], seed + i);
  }
  kit_about("round %d, %d arrays", round, count);
  KIT_OK(cw_arrays_save(path, (size_t)count, arrays, kit_common(2) ? names : NULL));
  for (int i = 0; i < count; i++) {
    check_array(arrays[i], seed + i);
    KIT_OK(cw_array_sync(arrays[i]));
    KIT_OK(cw_array_destroy(&arrays[i]));
  }
  load_all(count, shapes, names, seed);
  kit_barrier();
}

/* Uses wide blocks, which each process writes itself; also with ghosts, whose contents must not
 * change. */
static void go_wide(int64_t ghosts)
{
  const int64_t extents[2] = {64, 20000}, width[2] = {ghosts, ghosts};
  const cw_array_options options = {.name = "wide",
                                    .type = CW_DOUBLE,
                                    .dimensions = 2,
                                    .extents = extents,
                                    .distribution = {.ghosts = width}};
  const double value = 77;
  char copy[sizeof value];
  cw_array array = NULL;
  cw_array_view view = {.address = NULL};
  kit_about("wide blocks with %d ghosts", (int)ghosts);
  KIT_MUST(kit_array_create(cw_team_world(), &options, &array));
  fill_array(array, 5);
  KIT_OK(cw_arrays_save(path, 1, &array, NULL));
  fill_array(array, 6);
  kit_access_all_mine(array, &view);
  char *corner = (char *)view.address - ghosts * (view.strides[0] + view.strides[1]);
  if (ghosts > 0)
    KIT_OK(cw_put(&value, corner, sizeof value, kit_me()));
  KIT_OK(cw_array_load(path, NULL, array));
  check_array(array, 5);
  if (ghosts > 0)
    kit_check_bytes(kit_host_bytes(corner, sizeof value, copy), &value, sizeof value,
                    "a ghost cell");
  KIT_OK(cw_array_release(array, &view));
  KIT_OK(cw_array_sync(array));
  KIT_OK(cw_array_destroy(&array));
}

/* Uses more blocks of different lengths than the file can describe. */
static void go_many_blocks(void)
{
  enum { BLOCKS = 4100 };
  static int64_t boundaries[BLOCKS];
  const int64_t extent[1] = {3 * BLOCKS};
  const int blocks[1] = {BLOCKS};
  const cw_array_options options = {
      .name = "many",
      .type = CW_INT,
      .dimensions = 1,
      .extents = extent,
      .distribution = {.layout = CW_TILED, .boundaries = boundaries, .blocks = blocks}};
  cw_array array = NULL;
  for (int64_t b = 0; b < BLOCKS; b++)
    boundaries[b] = 3 * b - b % 2;
  KIT_MUST(kit_array_create(cw_team_world(), &options, &array));
  fill_array(array, 5);
  KIT_OK(cw_arrays_save(path, 1, &array, NULL));
  fill_array(array, 6);
  KIT_OK(cw_array_load(path, NULL, array));
  check_array(array, 5);
  KIT_OK(cw_array_sync(array));
  KIT_OK(cw_array_destroy(&array));
}

int main(int argc, char **argv)
{
  kit_start_native(&argc, &argv, "round_trip");
  kit_take_devices(&argc, argv);
  const int rounds = (int)kit_rounds(argc > 1 ? argv[1] : NULL, 10);
  make_path(path, NULL, "round_trip");
  for (int round = 0; round < rounds; round++)
    go_round(round);
  go_wide(0);
  go_wide(2);
  go_many_blocks();
  kit_barrier();
  if (kit_me() == 0) {
    kit_check(count_beside(path) == 0, "files are left beside '%s'", path);
    kit_check(unlink(path) == 0, "there is no '%s'", path);
  }
  kit_close_devices();
  return kit_finish_native();
}
