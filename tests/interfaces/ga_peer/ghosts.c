/* Ghost cells: after each way of updating them, every process's halo must hold what the neighbours
 * own, around the edges of the array too (GA's ghosts are periodic), corners included. */
#include "ga_model.h"

#include <string.h>

typedef struct ghosts {
  model m;
  int array, width[GA_MAX_DIM];
} ghosts;

/* The block of this process with its halo, as GA lays it out: the patch is used as a walk. */
static bool open_halo(const ghosts *g, patch *p, void **cells)
{
  int lo[GA_MAX_DIM], hi[GA_MAX_DIM], dims[GA_MAX_DIM], ld[GA_MAX_DIM];

  NGA_Distribution(g->array, kit_me(), lo, hi);
  if (lo[0] < 0)
    return false;
  for (int d = 0; d < g->m.ndim; d++) {
    lo[d] -= g->width[d];
    hi[d] += g->width[d];
  }
  patch_init(p, &g->m, lo, hi, NULL, 0);
  NGA_Access_ghosts(g->array, dims, cells, ld);
  for (int d = 0; d < g->m.ndim; d++)
    kit_check_long(dims[d], p->extent[d], "extent with ghosts");
  memcpy(p->ld, ld, sizeof ld);
  return true;
}

/* Returns the number of dimensions in which the n-th cell of the walk lies outside the block
 * itself. */
static int outside(const ghosts *g, const patch *p, size_t n)
{
  int count = 0;

  for (int d = g->m.ndim - 1; d >= 0; d--) {
    int k = (int)(n % (size_t)p->extent[d]);
    count += k < g->width[d] || k >= p->extent[d] - g->width[d];
    n /= (size_t)p->extent[d];
  }
  return count;
}

/* Overwrites all ghost cells, so that an update that does nothing is seen. */
static void spoil(const ghosts *g)
{
  patch p;
  void *cells;

  if (open_halo(g, &p, &cells)) {
    for (size_t n = 0; n < p.count; n++)
      if (outside(g, &p, n))
        model_store(g->m.type, cells, patch_find(&p, n).in_buffer, -7);
    NGA_Release_update_ghosts(g->array);
    patch_free(&p);
  }
  GA_Sync();
}

/* Checks the cells that lie outside the block in at most `depth` dimensions. */
static void check_halo(const ghosts *g, int depth)
{
  patch p;
  void *cells;

  GA_Sync();
  if (open_halo(g, &p, &cells)) {
    for (size_t n = 0; n < p.count; n++) {
      patch_spot at = patch_find(&p, n);
      if (outside(g, &p, n) > depth)
        continue;
      if (!model_check(&g->m, at.in_model, model_load(g->m.type, cells, at.in_buffer), "halo"))
        break;
    }
    NGA_Release_ghosts(g->array);
    patch_free(&p);
  }
  GA_Sync();
}

/* Ways to update ghost cells. Each returns the number of dimensions in which a cell that it updates
 * may lie outside the block. */
static int update_all(const ghosts *g)
{
  GA_Update_ghosts(g->array);
  return g->m.ndim;
}

static int update_nonblocking(const ghosts *g)
{
  ga_nbhdl_t handle;

  NGA_Update_ghosts_nb(g->array, &handle);
  NGA_NbWait(&handle);
  return g->m.ndim;
}

/* Updates one dimension after the other; each update includes the ghost cells that earlier ones
 * have filled. */
static int update_directions(const ghosts *g)
{
  for (int d = 0; d < g->m.ndim; d++)
    for (int side = -1; side <= 1; side += 2)
      kit_check(NGA_Update_ghost_dir(g->array, d, side, 1), "update_ghost_dir %d %d failed", d,
                side);
  return g->m.ndim;
}

/* Updates the cells of each of the 3^n - 1 neighbours by a call of its own. The mask should have
 * -1, 0, 1 for before, beside, after; GA 5.8.2's C binding adds 1, as it does to indices, so it
 * must be given one less. Ours does not. */
#ifdef CWGA_GA_H
enum { MASK_ERROR = 0 };
#else
enum { MASK_ERROR = 1 };
#endif
static int update_neighbours(const ghosts *g)
{
  int masks = 1;

  for (int d = 0; d < g->m.ndim; d++)
    masks *= 3;
  for (int i = 0; i < masks; i++) {
    int mask[GA_MAX_DIM], rest = i;
    ga_nbhdl_t handle;

    for (int d = 0; d < g->m.ndim; d++, rest /= 3)
      mask[d] = rest % 3 - 1 - MASK_ERROR;
    if (i == masks / 2)
      continue; /* the block itself */
    NGA_NbGet_ghost_dir(g->array, mask, &handle);
    NGA_NbWait(&handle);
  }
  return g->m.ndim;
}

static int update_faces(const ghosts *g)
{
  GA_Update_ghosts(g->array);
  return 1;
}

static const struct way {
  const char *name;
  int (*update)(const ghosts *g);
  int corners;
} ways[] = {
    {"Update_ghosts", update_all, 1},
    {"Update_ghosts without corners", update_faces, 0},
    {"Update_ghosts_nb", update_nonblocking, 1},
    {"Update_ghost_dir", update_directions, 1},
    {"NbGet_ghost_dir", update_neighbours, 1},
};

static void test_way(const struct way *way, const model_type *type, int ndim, const int dims[],
                     int width)
{
  ghosts g;
  int extents[GA_MAX_DIM];

  kit_about("%s, %s, %d dimensions, width %d", way->name, type->name, ndim, width);
  model_init(&g.m, type, ndim, dims);
  memcpy(extents, g.m.dims, sizeof extents);
  for (int d = 0; d < ndim; d++)
    g.width[d] = width;
  if (width > 1)
    g.width[ndim - 1] = 1; /* not the same in all dimensions */
  g.array = GA_Create_handle();
  GA_Set_data(g.array, ndim, extents, type->code);
  GA_Set_ghosts(g.array, g.width);
  GA_Set_ghost_corner_flag(g.array, way->corners);
  kit_check(GA_Allocate(g.array) == 1, "cannot create the array");
  kit_check(GA_Has_ghosts(g.array) == 1, "the array has no ghosts");
  for (int round = 0; round < 2; round++) { /* the second time over old ghosts */
    model_fill(&g.m, g.array, round);
    spoil(&g);
    check_halo(&g, way->update(&g));
    model_verify(&g.m, g.array);
  }
  GA_Destroy(g.array);
  model_free(&g.m);
}

/* Transfers of patches that cross blocks neither read nor write ghosts: GA must skip the halos in
 * memory. */
static void test_patches(const model_type *type)
{
  model m;
  int dims[2] = {23, 19}, width[2] = {2, 3}, array;

  kit_about("put and get with ghosts, %s", type->name);
  model_init(&m, type, 2, dims);
  array = NGA_Create_ghosts(type->code, 2, dims, width, kit_name, NULL);
  model_fill(&m, array, 0);
  for (int round = 0; round < 5; round++)
    for (int q = 0; q < kit_processes(); q++) {
      patch p;
      if (!patch_draw(&p, &m, (q + round) % kit_processes(), kit_processes()))
        continue;
      patch_payload(&p, q, round);
      patch_put(&p, &m);
      if (q == kit_me())
        NGA_Put(array, p.lo, p.hi, p.buffer, p.ld);
      patch_free(&p);
      if (q == kit_processes() - 1)
        GA_Sync();
    }
  model_verify(&m, array);
  GA_Destroy(array);
  model_free(&m);
}

int main(int argc, char **argv)
{
  kit_start(&argc, &argv, "ghosts");
  for (int t = 0; t < MODEL_TYPES; t++) {
    for (size_t w = 0; w < sizeof ways / sizeof *ways; w++) {
      int d = kit_common(3);
      test_way(&ways[w], &model_types[t], 1, (int[]){41 + d}, 1 + t % 2);
      test_way(&ways[w], &model_types[t], 2, (int[]){14 + d, 17}, 1 + t % 3);
      test_way(&ways[w], &model_types[t], 3, (int[]){11, 9 + d, 12}, 1 + t % 2);
    }
    test_patches(&model_types[t]);
  }
  return kit_finish();
}
