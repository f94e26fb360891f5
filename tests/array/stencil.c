/* A heat equation with ghost cells. All members step their blocks and compare with the result of a
 * single process. */
#include "array/stencil_model.h"
#include "kit/native.h"

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

struct place {
  cw_array_view view; /* with ghost cells */
  int dimensions;
};

static double *cell_of(const void *where, const int64_t *index, const int64_t *away)
{
  const struct place *place = where;
  char *address = place->view.address;
  for (int d = 0; d < place->dimensions; d++)
    address += (index[d] + away[d] - place->view.lo[d]) * place->view.strides[d];
  return (double *)(void *)address;
}

static void for_mine(const struct stencil *stencil, cw_array from, cw_array to,
                     enum stencil_task task)
{
  int64_t lo[STENCIL_MOST] = {0}, hi[STENCIL_MOST] = {0};
  struct place source = {.dimensions = stencil->dimensions};
  struct place target = {.dimensions = stencil->dimensions};
  KIT_OK(cw_array_part(from, kit_me(), lo, hi));
  for (int d = 0; d < stencil->dimensions; d++)
    if (hi[d] < lo[d])
      return;
  KIT_MUST(cw_array_access_block(from, kit_me(), true, &source.view));
  KIT_MUST(cw_array_access_block(to, kit_me(), true, &target.view));
  stencil_visit(stencil, task, lo, hi, cell_of, &source, &target);
  KIT_OK(cw_array_release(from, &source.view));
  KIT_OK(cw_array_release(to, &target.view));
}

static void test(struct stencil stencil, const int *grid)
{
  kit_about("%d dimensions, width %d, %s, %s grid", stencil.dimensions, stencil.width,
            stencil.corners ? "corners" : "no corners", grid != NULL ? "a given" : "the usual");
  cw_array values = make(&stencil, grid), next = make(&stencil, grid);
  stencil_start(&stencil);
  for_mine(&stencil, values, values, STENCIL_SET);
  for (int step = 0; step < STEPS; step++) {
    KIT_MUST(cw_array_update_ghosts(values, stencil.corners));
    for_mine(&stencil, values, next, STENCIL_STEP);
    stencil_step(&stencil);
    const cw_array swapped = values;
    values = next;
    next = swapped;
    for_mine(&stencil, values, values, STENCIL_COMPARE);
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
      test(small, NULL); /* blocks may be narrower than their ghosts */
    }
  return kit_finish_native();
}
