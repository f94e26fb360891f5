/* Every bad argument of the calls of matrix.h, while Causeway runs and while it does not. */
#include "kit/bad_input.h"
#include "kit/native.h"

#include <causeway/matrix.h>

#include <string.h>

enum { SIDE = 4 };

static struct bad_axis arrays, matrices, epochs, strange, numbers, sizes;
static cw_array array;
static cw_matrix matrix;
static cw_axpy axpy;
static const void *freed_array, *freed_matrix, *freed_axpy;
static double values[SIDE * SIDE];
static struct {
  cw_matrix matrix;
  cw_axpy axpy;
} out;

#define ARRAY ((cw_array)at(bad))
#define MATRIX ((cw_matrix)at(bad))
#define AXPY ((cw_axpy)at(bad))

static const cw_local_matrix local = {.data = values, .height = SIDE, .width = SIDE};
static const cw_local_matrix nowhere = {.height = 1, .width = 1};
static const cw_local_matrix narrow = {.data = values, .height = 2, .width = SIDE, .ld = SIDE - 1};

static const cw_local_matrix *sized(int64_t height, int64_t width)
{
  static cw_local_matrix made;
  made = (cw_local_matrix){.data = values, .height = height, .width = width};
  return &made;
}

static const cw_local_matrix *ordered(intptr_t order)
{
  static cw_local_matrix made;
  made = local;
  made.order = (cw_matrix_order)order;
  return &made;
}

static cw_error detach(cw_matrix what)
{
  return cw_matrix_detach(&what);
}

static cw_error end_epoch(cw_axpy what)
{
  return cw_axpy_detach(&what);
}

static cw_error destroy(cw_array what)
{
  return cw_array_destroy(&what);
}

static void begin_axis(struct bad_axis *axis, const void *freed)
{
  bad_begin_objects(axis, true);
  bad_add_address(axis, "a team", cw_team_world());
  bad_add_address(axis, "one that was freed", freed);
}

static void begin_axes(void)
{
  begin_axis(&arrays, freed_array);
  begin_axis(&matrices, freed_matrix);
  begin_axis(&epochs, freed_axpy);
}

static void add_values(void)
{
  bad_add(&strange, "-1", -1);
  bad_add(&strange, "2", 2);
  bad_add_numbers(&numbers, SIDE);
  bad_add_sizes(&sizes);
}

static void make_objects(void)
{
  const int64_t extents[2] = {SIDE, SIDE};
  const cw_array_options options = {.type = CW_DOUBLE, .dimensions = 2, .extents = extents};
  cw_matrix detached = NULL;
  cw_axpy ended = NULL;
  KIT_MUST(cw_init(MPI_COMM_WORLD));
  KIT_MUST(cw_array_create(cw_team_world(), &options, &array));
  KIT_MUST(cw_matrix_attach(array, CW_ROW_MAJOR, &matrix));
  KIT_MUST(cw_matrix_attach(array, CW_ROW_MAJOR, &detached));
  KIT_MUST(cw_axpy_attach(array, CW_ROW_MAJOR, CW_LOCAL_TO_GLOBAL, CW_CONSENSUS, &axpy));
  KIT_MUST(cw_axpy_attach(array, CW_ROW_MAJOR, CW_LOCAL_TO_GLOBAL, CW_CONSENSUS, &ended));
  freed_matrix = detached;
  freed_axpy = ended;
  KIT_OK(cw_matrix_detach(&detached));
  KIT_OK(cw_axpy_detach(&ended));
}

static void end_objects(void)
{
  freed_array = array;
  freed_matrix = matrix;
  freed_axpy = axpy;
  KIT_OK(cw_matrix_detach(&matrix));
  KIT_OK(cw_axpy_detach(&axpy));
  KIT_OK(cw_array_destroy(&array));
  KIT_MUST(cw_finalize());
}

static const struct bad_program program = {.name = "matrix_bad_input",
                                           .manner = BAD_RETURNS,
                                           .add = add_values,
                                           .begin = begin_axes,
                                           .make = make_objects,
                                           .end = end_objects};

#define BAD_RUNNING "matrix/bad_input.def"
#define BAD_IDLE "matrix/not_running.def"
#include "kit/bad_program.inc"
