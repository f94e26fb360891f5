/* Every bad argument of the calls of file.h, while Causeway runs and while it does not. Not in
 * tests/runtime, because the calls exist only in builds with HDF5. */
#include "kit/bad_input.h"
#include "kit/native.h"

#include <causeway/file.h>

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static struct bad_axis arrays, teams, sizes;
static cw_array array, freed, out;
static cw_team world;
static char path[64];
static const char *const nothing[1] = {NULL}, *const empty[1] = {""};
static const cw_distribution strange = {.layout = (cw_layout)9};

#define ARRAY ((cw_array)at(bad))
#define TEAM ((cw_team)at(bad))

static cw_error save_one(cw_array bad)
{
  return cw_arrays_save(path, 1, &bad, NULL);
}

static cw_error save_second(cw_array bad)
{
  static const char *const names[2] = {"a", "b"};
  const cw_array two[2] = {array, bad};
  return cw_arrays_save(path, 2, two, names);
}

static void add_values(void)
{
  bad_add_sizes(&sizes);
}

static void begin_axes(void)
{
  struct bad_axis *const all[2] = {&arrays, &teams};
  for (int i = 0; i < 2; i++) {
    bad_begin_objects(all[i], true);
    bad_add_address(all[i], "a freed array", freed);
  }
  bad_add_address(&arrays, "a team", world);
  bad_add_address(&teams, "an array", array);
}

static cw_array make(void)
{
  const int64_t extents[1] = {100};
  const cw_array_options options = {
      .name = "array", .type = CW_LONG, .dimensions = 1, .extents = extents};
  cw_array made = NULL;
  KIT_MUST(cw_array_create(world, &options, &made));
  return made;
}

static void make_objects(void)
{
  int number = (int)getpid();
  MPI_Bcast(&number, 1, MPI_INT, 0, MPI_COMM_WORLD);
  snprintf(path, sizeof path, "./bad_input-%d.h5", number);
  KIT_MUST(cw_init(MPI_COMM_WORLD));
  world = cw_team_world();
  array = make();
  cw_array freed_array = freed = make();
  KIT_OK(cw_array_destroy(&freed_array));
  KIT_OK(cw_arrays_save(path, 1, &array, NULL));
}

static void end_objects(void)
{
  kit_check(out == NULL, "a refused call made an array");
  KIT_OK(cw_array_load(path, NULL, array));
  freed = array;
  KIT_OK(cw_array_destroy(&array));
  world = NULL;
  KIT_MUST(cw_finalize());
  if (kit_me() == 0)
    kit_check(unlink(path) == 0, "there is no '%s'", path);
}

static const struct bad_program program = {.name = "file_bad_input",
                                           .manner = BAD_RETURNS,
                                           .add = add_values,
                                           .begin = begin_axes,
                                           .make = make_objects,
                                           .end = end_objects};

#define BAD_RUNNING "file/bad_input.def"
#define BAD_IDLE "file/not_running.def"
#include "kit/bad_program.inc"
