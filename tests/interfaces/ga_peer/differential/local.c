/* Local access: own blocks, blocks of cyclic arrays, ghost cells. */
#include "differ.h"

#include <stdlib.h>
#include <string.h>

/* Returns the row-major index of an element in the whole array. */
static size_t whole_index(const array *a, const int *sub)
{
  size_t index = 0;

  for (int d = 0; d < a->ndim; d++) {
    int s = sub[d] % a->dims[d];
    index = index * (size_t)a->dims[d] + (size_t)(s < 0 ? s + a->dims[d] : s);
  }
  return index;
}

/* Stores the indices in the array of element n of a box. */
static void spot_sub(const box *b, size_t n, int *sub)
{
  for (int d = b->of->ndim - 1; d >= 0; d--) {
    sub[d] = b->lo[d] + (int)(n % (size_t)b->extent[d]);
    n /= (size_t)b->extent[d];
  }
}

/* Writes values into the memory of a block that depend only on the elements' indices. */
static void write_block(const box *b, void *values, uint64_t stamp)
{
  int sub[DIMS];

  for (size_t n = 0; n < b->count; n++) {
    uint64_t x;

    spot_sub(b, n, sub);
    x = mix(stamp + whole_index(b->of, sub));
    store(b->of->type, values, box_spot(b, n), (double)(x % 19) - 9, (double)(x / 19 % 19) - 9);
  }
}

static void own_values(const box *b, const void *values)
{
  uint64_t h = 0;

  for (size_t n = 0; n < b->count; n++)
    h = digest(h, b->of->type, values, box_spot(b, n));
  own(" %016llx", (unsigned long long)h);
}

static bool find_block(const array *a, int process, int *lo, int *hi)
{
  NGA_Distribution(a->handle, process, lo, hi);
  for (int d = 0; d < a->ndim; d++)
    if (lo[d] < 0 || hi[d] < lo[d])
      return false;
  return true;
}

static bool block_layout(const array *a)
{
  return is_block(a);
}

/* Changes this process's block through a pointer, the whole or a part of it. */
static void access_own(void)
{
  array *a = array_any(block_layout);
  int lo[DIMS], hi[DIMS], ld[DIMS] = {0};
  bool part = chance(30), wide = chance(30);
  uint64_t stamp = (uint64_t)draw(1 << 30);
  void *values;

  log_text(" %s%s%s", a->name, part ? " part" : "", wide ? " 64" : "");
  GA_Sync();
  if (find_block(a, run.me, lo, hi)) {
    int64_t lo64[DIMS], hi64[DIMS], ld64[DIMS] = {0};
    box b;

    for (int d = 0; d < a->ndim; d++) {
      lo[d] += part && hi[d] > lo[d];
      lo64[d] = lo[d];
      hi64[d] = hi[d];
    }
    if (wide)
      NGA_Access64(a->handle, lo64, hi64, &values, ld64);
    else
      NGA_Access(a->handle, lo, hi, &values, ld);
    box_set(&b, a, lo, hi, NULL, 0);
    for (int d = 0; d + 1 < a->ndim; d++)
      b.ld[d] = wide ? (int)ld64[d] : ld[d];
    own_ints("lo", a->ndim, lo);
    own_ints("ld", a->ndim - 1, b.ld);
    own_values(&b, values);
    if (!part)
      write_block(&b, values, stamp);
    if (wide)
      NGA_Release_update64(a->handle, lo64, hi64);
    else
      NGA_Release_update(a->handle, lo, hi);
    box_free(&b);
  }
  GA_Sync();
  if (a->bound < 18)
    a->bound = 18;
  array_log(a);
}

static bool simple_cyclic(const array *a)
{
  return a->layout == CYCLIC;
}

static bool grid_cyclic(const array *a)
{
  return a->layout == GRID;
}

/* Reads and writes one block of a cyclic array that is open at `values`. */
static void use_block(const array *a, const int *index, void *values, const int *ld, uint64_t stamp)
{
  int lo[DIMS], hi[DIMS];
  box b;

  for (int d = 0; d < a->ndim; d++) {
    lo[d] = index[d] * a->blocks[d];
    hi[d] = lo[d] + a->blocks[d] - 1;
    if (hi[d] >= a->dims[d])
      hi[d] = a->dims[d] - 1;
  }
  box_set(&b, a, lo, hi, NULL, 0);
  memcpy(b.ld, ld, (size_t)(a->ndim - 1) * sizeof *ld);
  own_ints("block", a->ndim, index);
  own_ints("ld", a->ndim - 1, ld);
  own_values(&b, values);
  write_block(&b, values, stamp);
  box_free(&b);
}

static int blocks_along(const array *a, int d)
{
  return (a->dims[d] - 1) / a->blocks[d] + 1;
}

/* Blocks are distributed round robin, rows of blocks first. */
static void access_cyclic(void)
{
  array *a = array_any(simple_cyclic);
  uint64_t stamp = (uint64_t)draw(1 << 30);
  int total = 1;

  log_text(" %s", a->name);
  for (int d = 0; d < a->ndim; d++)
    total *= blocks_along(a, d);
  GA_Sync();
  for (int block = run.me; block < total; block += run.processes) {
    int index[DIMS], ld[DIMS] = {0}, rest = block;
    void *values;

    for (int d = a->ndim - 1; d >= 0; d--) {
      index[d] = rest % blocks_along(a, d);
      rest /= blocks_along(a, d);
    }
    NGA_Access_block(a->handle, block, &values, ld);
    use_block(a, index, values, ld, stamp);
    NGA_Release_update_block(a->handle, block);
  }
  GA_Sync();
  a->bound = 18;
  array_log(a);
}

/* Blocks are distributed round robin over a grid of processes in each dimension. The grid is not
 * queried: from C, GA 5.8.2 returns its extents in reverse order, unlike GA_Get_proc_index. */
static void access_grid(void)
{
  array *a = array_any(grid_cyclic);
  uint64_t stamp = (uint64_t)draw(1 << 30);
  int place[DIMS], total = 1;

  log_text(" %s", a->name);
  GA_Get_proc_index(a->handle, run.me, place);
  own_ints("place", a->ndim, place);
  for (int d = 0; d < a->ndim; d++)
    total *= blocks_along(a, d);
  GA_Sync();
  for (int block = 0; block < total; block++) {
    int index[DIMS], ld[DIMS] = {0}, rest = block;
    bool mine = true;
    void *values;

    for (int d = a->ndim - 1; d >= 0; d--) {
      index[d] = rest % blocks_along(a, d);
      rest /= blocks_along(a, d);
      mine = mine && index[d] % a->grid[d] == place[d];
    }
    if (!mine)
      continue;
    NGA_Access_block_grid(a->handle, index, &values, ld);
    use_block(a, index, values, ld, stamp);
    NGA_Release_update_block_grid(a->handle, index);
  }
  GA_Sync();
  a->bound = 18;
  array_log(a);
}

static bool cyclic(const array *a)
{
  return is_cyclic(a);
}

/* All of a process's elements in one piece: their number, and their values in any order. */
static void access_segment(void)
{
  array *a = array_any(cyclic);
  int length = 0;
  void *values;
  uint64_t h = 0;

  log_text(" %s", a->name);
  GA_Sync();
  NGA_Access_block_segment(a->handle, run.me, &values, &length);
  for (int i = 0; i < length; i++)
    h = digest(h, a->type, values, (size_t)i);
  own(" %d elements %016llx", length, (unsigned long long)h);
  NGA_Release_block_segment(a->handle, run.me);
  GA_Sync();
}

/* GA 5.8.2 updates the ghosts of a duplicate from and to wrong addresses: it writes into other
 * arrays. */
static bool ghosted(const array *a)
{
  return has_ghosts(a) && !a->twin;
}

/* GA 5.8.2 crashes in one dimension. */
static bool has_ghost_parts(const array *a)
{
  return ghosted(a) && a->ndim > 1;
}

/* Opens the block of this process with its ghosts. */
static bool open_halo(const array *a, box *b, void **cells)
{
  int lo[DIMS], hi[DIMS], dims[DIMS], ld[DIMS] = {0};

  if (!find_block(a, run.me, lo, hi))
    return false;
  for (int d = 0; d < a->ndim; d++) {
    lo[d] -= a->width[d];
    hi[d] += a->width[d];
  }
  box_set(b, a, lo, hi, NULL, 0);
  NGA_Access_ghosts(a->handle, dims, cells, ld);
  own_ints("with ghosts", a->ndim, dims);
  own_ints("ld", a->ndim - 1, ld);
  memcpy(b->ld, ld, (size_t)(a->ndim - 1) * sizeof *ld);
  return true;
}

static bool in_halo(const box *b, size_t n)
{
  const array *a = b->of;

  for (int d = a->ndim - 1; d >= 0; d--) {
    int k = (int)(n % (size_t)b->extent[d]);
    if (k < a->width[d] || k >= b->extent[d] - a->width[d])
      return true;
    n /= (size_t)b->extent[d];
  }
  return false;
}

static void update_ghosts(void)
{
  array *a = array_any(ghosted);
  int how = draw(3);
  void *cells;
  box b;
  ga_nbhdl_t handle;

  log_text(" %s %s", a->name, (const char *[]){"all", "nonblocking", "by direction"}[how]);
  log_ints("width", a->ndim, a->width);
  GA_Sync();
  if (open_halo(a, &b, &cells)) { /* overwrite first, to detect an update that does nothing */
    for (size_t n = 0; n < b.count; n++)
      if (in_halo(&b, n))
        store(a->type, cells, box_spot(&b, n), -7, -7);
    NGA_Release_update_ghosts(a->handle);
    box_free(&b);
  }
  GA_Sync();
  if (how == 0)
    GA_Update_ghosts(a->handle);
  if (how == 1) {
    NGA_Update_ghosts_nb(a->handle, &handle);
    NGA_NbWait(&handle);
  }
  for (int d = 0; how == 2 && d < a->ndim; d++)
    for (int side = -1; side <= 1; side += 2)
      own(" %d", NGA_Update_ghost_dir(a->handle, d, side, 1));
  GA_Sync();
  if (open_halo(a, &b, &cells)) {
    own_values(&b, cells);
    NGA_Release_ghosts(a->handle);
    box_free(&b);
  }
  array_log(a);
}

/* One element of this process's block, by a pointer; a patch that reaches into the ghosts, by copy.
 * */
static void ghost_parts(void)
{
  array *a = array_any(has_ghost_parts);
  int lo[DIMS], hi[DIMS], ld[DIMS] = {0}, corner[DIMS] = {0};
  void *element;
  box b;

  log_text(" %s", a->name);
  log_ints("dims", a->ndim, a->dims);
  log_ints("width", a->ndim, a->width);
  GA_Update_ghosts(a->handle);
  GA_Sync();
  if (find_block(a, run.me, lo, hi)) {
    uint64_t h;

    NGA_Access_ghost_element(a->handle, &element, corner, ld);
    own(" corner %016llx", (unsigned long long)digest(0, a->type, element, 0));
    NGA_Release_ghost_element(a->handle, corner);
    for (int d = 0; d < a->ndim; d++)
      lo[d] -= a->width[d];
    box_set(&b, a, lo, hi, NULL, 1);
    NGA_Get_ghost_block(a->handle, b.lo, b.hi, b.buffer, b.ld);
    h = box_digest(&b);
    own(" block %016llx", (unsigned long long)h);
    box_free(&b);
  }
  GA_Sync();
}

const operation local_operations[] = {
    {"access", "local", 5, false, access_own},
    {"access_block", "cyclic", 2, true, access_cyclic},
    {"access_grid", "cyclic", 2, true, access_grid},
    {"access_segment", "cyclic", 2, true, access_segment},
    {"update_ghosts", "ghosts", 3, true, update_ghosts},
    {"ghost_parts", "ghosts", 1, true, ghost_parts},
    {NULL, NULL, 0, false, NULL},
};
