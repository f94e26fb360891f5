/* Makes the list of shell pairs that can matter, with bounds of their integrals. */
#include "pair_list.h"

#include "error.h"

#include <ga.h>
#include <math.h>
#include <stdlib.h>

/* Upper bound on the elements of the density, so that only pairs that never matter are left out. */
static const double density_limit = 100;

static void tile_pair_fill(struct tile_pair *tile_pair, const struct basis *basis, double cutoff)
{
  const struct tile *row = &basis->tiles[tile_pair->row];
  const struct tile *column = &basis->tiles[tile_pair->column];
  int most = row->shell_count * column->shell_count;
  tile_pair->pairs = memory_allocate((size_t)most, sizeof *tile_pair->pairs);
  for (int i = 0; i < row->shell_count; i++) {
    int end = row == column ? i + 1 : column->shell_count;
    for (int j = 0; j < end; j++) {
      shell_pair_create(&tile_pair->pairs[tile_pair->pair_count++],
                        &basis->shells[row->first_shell + i],
                        &basis->shells[column->first_shell + j], cutoff);
    }
  }
}

/* Computes the bounds. Each process computes those of some tile pairs, and a sum over the processes
 * distributes them. Returns the largest bound. */
static double bounds_compute(struct pair_list *list, struct engine *engine)
{
  int total = 0, processes = GA_Nnodes(), position = 0;
  for (int i = 0; i < list->count; i++)
    total += list->tile_pairs[i].pair_count;
  double *bounds = memory_allocate((size_t)total, sizeof *bounds);
  for (int i = 0; i < list->count; i++) {
    const struct tile_pair *tile_pair = &list->tile_pairs[i];
    for (int k = 0; k < tile_pair->pair_count; k++, position++) {
      if (i % processes != GA_Nodeid())
        continue;
      bounds[position] = engine_bound(engine, &tile_pair->pairs[k]);
    }
  }
  GA_Dgop(bounds, total, (char *)"+");
  double largest = 0;
  position = 0;
  for (int i = 0; i < list->count; i++) {
    struct tile_pair *tile_pair = &list->tile_pairs[i];
    for (int k = 0; k < tile_pair->pair_count; k++) {
      tile_pair->pairs[k].bound = bounds[position++];
      largest = fmax(largest, tile_pair->pairs[k].bound);
    }
  }
  free(bounds);
  return largest;
}

static int bound_compare(const void *left, const void *right)
{
  double x = ((const struct shell_pair *)left)->bound;
  double y = ((const struct shell_pair *)right)->bound;
  return (x < y) - (x > y);
}

static int cost_compare(const void *left, const void *right)
{
  const struct tile_pair *x = left, *y = right;
  if (x->cost != y->cost)
    return x->cost < y->cost ? -1 : 1;
  /* All processes must have the same order, and qsort does not define that of equal elements. */
  return x->row != y->row ? x->row - y->row : x->column - y->column;
}

/* Drops the pairs below `limit`, sorts the others, and computes their cost. */
static void tile_pair_finish(struct tile_pair *tile_pair, double limit)
{
  int kept = 0;
  for (int k = 0; k < tile_pair->pair_count; k++) {
    struct shell_pair *pair = &tile_pair->pairs[k];
    if (pair->bound < limit || pair->primitive_count == 0) {
      shell_pair_free(pair);
      continue;
    }
    tile_pair->cost += pair->primitive_count + pair->a->size * pair->b->size;
    tile_pair->pairs[kept++] = *pair;
  }
  tile_pair->pair_count = kept;
  qsort(tile_pair->pairs, (size_t)kept, sizeof *tile_pair->pairs, bound_compare);
  tile_pair->bound = kept ? tile_pair->pairs[0].bound : 0;
}

struct pair_list pair_list_create(const struct basis *basis, struct engine *engine,
                                  double screening)
{
  struct pair_list list = {.count = 0};
  size_t most = (size_t)basis->tile_count * ((size_t)basis->tile_count + 1) / 2;
  list.tile_pairs = memory_allocate(most, sizeof *list.tile_pairs);
  for (int i = 0; i < basis->tile_count; i++) {
    for (int j = 0; j <= i; j++) {
      struct tile_pair *tile_pair = &list.tile_pairs[list.count++];
      tile_pair->row = i;
      tile_pair->column = j;
      tile_pair_fill(tile_pair, basis, screening * 1e-6);
    }
  }
  double largest = bounds_compute(&list, engine);
  int kept = 0;
  for (int i = 0; i < list.count; i++) {
    struct tile_pair *tile_pair = &list.tile_pairs[i];
    tile_pair_finish(tile_pair, screening / (largest * density_limit));
    if (tile_pair->pair_count == 0) {
      free(tile_pair->pairs);
      continue;
    }
    list.tile_pairs[kept++] = *tile_pair;
  }
  list.count = kept;
  qsort(list.tile_pairs, (size_t)kept, sizeof *list.tile_pairs, cost_compare);
  return list;
}

void pair_list_free(struct pair_list *list)
{
  for (int i = 0; i < list->count; i++) {
    struct tile_pair *tile_pair = &list->tile_pairs[i];
    for (int k = 0; k < tile_pair->pair_count; k++)
      shell_pair_free(&tile_pair->pairs[k]);
    free(tile_pair->pairs);
  }
  free(list->tile_pairs);
  *list = (struct pair_list){.count = 0};
}
