/* The heat equation of tests/array/stencil.c through the GA interface: ghost cells of GA. */
#include "array/stencil_model.h"
#include "kit/kit.h"

#include <ga.h>
#include <macdecls.h>

enum { STEPS = 3 };

static int make(const struct stencil *stencil)
{
  static char name[] = "grid";
  int extents[STENCIL_MOST], ghosts[STENCIL_MOST], any[STENCIL_MOST] = {-1, -1, -1};
  for (int d = 0; d < stencil->dimensions; d++) {
    extents[d] = (int)stencil->extents[d];
    ghosts[d] = stencil->width;
  }
  return NGA_Create_ghosts(C_DBL, stencil->dimensions, extents, ghosts, name, any);
}

/* This process's block with its ghost cells. */
struct halo {
  double *cells; /* the first ghost cell */
  int64_t lo[STENCIL_MOST], hi[STENCIL_MOST], strides[STENCIL_MOST];
  int dimensions, width;
};

/* Returns false if this process has no block. */
static bool open_halo(const struct stencil *stencil, int g_a, struct halo *halo)
{
  int lo[STENCIL_MOST], hi[STENCIL_MOST], dims[STENCIL_MOST], ld[STENCIL_MOST];
  NGA_Distribution(g_a, GA_Nodeid(), lo, hi);
  halo->dimensions = stencil->dimensions;
  halo->width = stencil->width;
  if (lo[0] < 0 || hi[0] < lo[0])
    return false;
  NGA_Access_ghosts(g_a, dims, (void *)&halo->cells, ld);
  int64_t stride = 1;
  for (int d = stencil->dimensions - 1; d >= 0; d--) {
    halo->lo[d] = lo[d];
    halo->hi[d] = hi[d];
    halo->strides[d] = stride;
    kit_check_long(dims[d], hi[d] - lo[d] + 1 + 2 * stencil->width, "an extent with ghosts");
    stride *= d > 0 ? ld[d - 1] : 1;
  }
  return true;
}

static double *cell_of(const void *where, const int64_t *index, const int64_t *away)
{
  const struct halo *halo = where;
  int64_t at = 0;
  for (int d = 0; d < halo->dimensions; d++)
    at += (index[d] + away[d] - halo->lo[d] + halo->width) * halo->strides[d];
  return halo->cells + at;
}

static void for_mine(const struct stencil *stencil, int from, int to, enum stencil_task task)
{
  struct halo source = {0}, target = {0};
  if (!open_halo(stencil, from, &source) || !open_halo(stencil, to, &target))
    return;
  stencil_visit(stencil, task, source.lo, source.hi, cell_of, &source, &target);
  NGA_Release_ghosts(from);
  NGA_Release_update_ghosts(to);
}

static void test(struct stencil stencil)
{
  kit_about("%d dimensions, width %d", stencil.dimensions, stencil.width);
  int values = make(&stencil), next = make(&stencil);
  stencil_start(&stencil);
  for_mine(&stencil, values, values, STENCIL_SET);
  GA_Sync();
  for (int step = 0; step < STEPS; step++) {
    GA_Update_ghosts(values);
    for_mine(&stencil, values, next, STENCIL_STEP);
    GA_Sync();
    stencil_step(&stencil);
    const int swapped = values;
    values = next;
    next = swapped;
    for_mine(&stencil, values, values, STENCIL_COMPARE);
  }
  GA_Destroy(values);
  GA_Destroy(next);
  stencil_end(&stencil);
}

int main(int argc, char **argv)
{
  kit_start(&argc, &argv, "stencil");
  GA_Initialize();
  for (int width = 1; width <= 2; width++) {
    test((struct stencil){2, width, true, {13 + kit_common(4), 17, 1}, NULL, NULL});
    test((struct stencil){3, width, true, {8 + kit_common(4), 9, 7}, NULL, NULL});
  }
  GA_Terminate();
  return kit_finish();
}
