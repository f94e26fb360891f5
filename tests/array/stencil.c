/* A heat equation with ghost cells: all members step their blocks, and find what one process finds
 * alone. */
#include "array/stencil_model.h"
#include "kit/native.h"

#include <string.h>

enum { STEPS = 3 };

static cw_array make(const struct stencil *stencil, const int *grid)
{
  const int64_t ghosts[STENCIL_MOST] = {stencil->width, stencil->width, stencil->width};
  const cw_array_options options = {.name = "grid",
                                    .type = CW_DOUBLE,
                                    .dimensions = stencil->dimensions,
                                    .extents = stencil->extents,
                                    .distribution = {.ghosts = ghosts, .grid = grid}};
  cw_array array = NULL;
  KIT_MUST(cw_array_create(cw_team_world(), &options, &array));
  return array;
}

/* A cell of a view with ghosts; index: in the array. */
static double *cell_of(const cw_array_view *view, int dimensions, const int64_t *index,
                       const int64_t *away)
{
  char *address = view->address;
  for (int d = 0; d < dimensions; d++)
    address += (index[d] + (away != NULL ? away[d] : 0) - view->lo[d]) * view->strides[d];
  return (double *)(void *)address;
}

struct place {
  const cw_array_view *view;
  int dimensions;
};

static double read_view(const void *where, const int64_t *index, const int64_t *away)
{
  const struct place *place = where;
  return *cell_of(place->view, place->dimensions, index, away);
}

/* What happens to a cell of mine. */
enum task { SET, STEP, COMPARE };

static void for_mine(const struct stencil *stencil, cw_array from, cw_array to, enum task task)
{
  int64_t lo[STENCIL_MOST], hi[STENCIL_MOST], at[STENCIL_MOST];
  static const int64_t none[STENCIL_MOST];
  cw_array_view source, target;
  KIT_OK(cw_array_part(from, kit_me(), lo, hi));
  for (int d = 0; d < stencil->dimensions; d++)
    if (hi[d] < lo[d])
      return;
  memcpy(at, lo, sizeof at);
  KIT_MUST(cw_array_access_block(from, kit_me(), true, &source));
  KIT_MUST(cw_array_access_block(to, kit_me(), true, &target));
  const struct place place = {&source, stencil->dimensions};
  do {
    double *cell = cell_of(&target, stencil->dimensions, at, NULL);
    const double model = stencil_read_model(stencil, at, none);
    if (task == SET)
      *cell = model;
    else if (task == STEP)
      *cell = stencil_value(stencil, read_view, &place, at);
    else if (!kit_check(*cell == model, "cell %lld, %lld is %.17g; it should be %.17g",
                        (long long)at[0], (long long)at[1], *cell, model))
      break;
  } while (stencil_next(stencil->dimensions, lo, hi, at));
  KIT_OK(cw_array_release(from, &source));
  KIT_OK(cw_array_release(to, &target));
}

static void test(struct stencil stencil, const int *grid)
{
  kit_about("%d dimensions, width %d, %s, %s grid", stencil.dimensions, stencil.width,
            stencil.corners ? "corners" : "no corners", grid != NULL ? "a given" : "the usual");
  cw_array values = make(&stencil, grid), next = make(&stencil, grid);
  stencil_start(&stencil);
  for_mine(&stencil, values, values, SET);
  for (int step = 0; step < STEPS; step++) {
    KIT_MUST(cw_array_update_ghosts(values, stencil.corners));
    for_mine(&stencil, values, next, STEP);
    stencil_step(&stencil);
    const cw_array swapped = values;
    values = next;
    next = swapped;
    for_mine(&stencil, values, values, COMPARE);
  }
  KIT_OK(cw_array_destroy(&values));
  KIT_OK(cw_array_destroy(&next));
  stencil_end(&stencil);
}

int main(int argc, char **argv)
{
  kit_start_native(&argc, &argv, "array_stencil");
  const int processes = kit_processes(), tall[STENCIL_MOST] = {processes, 1, 1};
  for (int width = 1; width <= 2; width++)
    for (int corners = 0; corners < 2; corners++) {
      const int64_t more = kit_common(4);
      const struct stencil flat = {2, width, corners != 0, {13 + more, 17, 1}, NULL, NULL};
      const struct stencil deep = {3, width, corners != 0, {8 + more, 9, 7}, NULL, NULL};
      const struct stencil small = {2, width, corners != 0, {4, 5, 1}, NULL, NULL};
      test(flat, NULL);
      test(flat, tall);
      test(deep, NULL);
      test(deep, tall);
      test(small, NULL); /* blocks that may be less wide than their ghosts */
    }
  return kit_finish_native();
}
