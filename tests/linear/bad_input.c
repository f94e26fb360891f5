/* Every bad argument of the calls of linear.h, while Causeway runs and while it does not. Not in
 * tests/runtime, because the calls exist only in builds with BLAS and ScaLAPACK. */
#include "kit/bad_input.h"
#include "kit/native.h"

#include <causeway/linear.h>

#include <string.h>

/* living: NULL is valid for these arguments. */
static struct bad_axis arrays, living, strange;
static cw_array square, other, wide, whole, freed;
static double values[4];
static int64_t order[4] = {0, 1, 2, 3};
static const int64_t twice[4] = {0, 1, 0, 3}, beyond[4] = {0, 4, 2, 3};

#define ARRAY ((cw_array)at(bad))

/* Up to three of them are used at a time. */
static const cw_operand *all(cw_array array)
{
  static cw_operand operands[4];
  static unsigned next;
  cw_operand *operand = &operands[next++ % 4];
  operand->array = array;
  return operand;
}

static void begin_axes(void)
{
  struct bad_axis *const both[2] = {&arrays, &living};
  for (int i = 0; i < 2; i++) {
    bad_begin_objects(both[i], both[i] == &arrays);
    bad_add_address(both[i], "a team", cw_team_world());
    bad_add_address(both[i], "a freed array", freed);
  }
}

static cw_array make(cw_type type, int64_t columns)
{
  const int64_t extents[2] = {4, columns};
  const cw_array_options options = {
      .name = "matrix", .type = type, .dimensions = 2, .extents = extents};
  cw_array made = NULL;
  KIT_MUST(cw_array_create(cw_team_world(), &options, &made));
  return made;
}

static void add_values(void)
{
  bad_add(&strange, "-1", -1);
  bad_add(&strange, "3", 3);
}

static void make_objects(void)
{
  KIT_MUST(cw_init(MPI_COMM_WORLD));
  cw_array freed_array = freed = make(CW_DOUBLE, 4);
  square = make(CW_DOUBLE, 4);
  other = make(CW_DOUBLE, 4);
  wide = make(CW_DOUBLE, 5);
  whole = make(CW_LONG, 4);
  KIT_OK(cw_array_destroy(&freed_array));
}

static void end_objects(void)
{
  freed = square;
  KIT_OK(cw_array_destroy(&square));
  KIT_OK(cw_array_destroy(&other));
  KIT_OK(cw_array_destroy(&wide));
  KIT_OK(cw_array_destroy(&whole));
  KIT_MUST(cw_finalize());
}

static const struct bad_program program = {.name = "linear_bad_input",
                                           .manner = BAD_RETURNS,
                                           .add = add_values,
                                           .begin = begin_axes,
                                           .make = make_objects,
                                           .end = end_objects};

#define BAD_RUNNING "linear/bad_input.def"
#define BAD_IDLE "linear/not_running.def"
#include "kit/bad_program.inc"
