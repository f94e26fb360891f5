/* Caches tiles of the density and Fock arrays. */
#include "tile_cache.h"

#include "error.h"

#include <ga.h>
#include <math.h>
#include <stdlib.h>

struct tile_cache *tile_cache_create(const struct basis *basis, int capacity)
{
  struct tile_cache *cache = memory_allocate(1, sizeof *cache);
  size_t tiles = (size_t)basis->tile_count * (size_t)basis->tile_count;
  cache->basis = basis;
  cache->capacity = capacity < TILES_PER_QUARTET ? TILES_PER_QUARTET : capacity;
  cache->entries = memory_allocate(tiles, sizeof *cache->entries);
  cache->held = memory_allocate((size_t)cache->capacity, sizeof *cache->held);
  return cache;
}

void tile_cache_free(struct tile_cache *cache)
{
  if (!cache)
    return;
  free(cache->entries);
  free(cache->held);
  free(cache);
}

void tile_cache_attach(struct tile_cache *cache, int density_array, int fock_array)
{
  cache->density_array = density_array;
  cache->fock_array = fock_array;
  cache->seconds = 0;
}

void tile_cache_reserve(struct tile_cache *cache)
{
  if (cache->held_count + TILES_PER_QUARTET > cache->capacity)
    tile_cache_flush(cache);
}

/* First and last indices of a tile in the arrays, and the row length of its local copy. */
struct patch {
  int low[2], high[2], stride;
};

static struct patch tile_patch(const struct basis *basis, int row, int column)
{
  const struct tile *r = &basis->tiles[row], *c = &basis->tiles[column];
  return (struct patch){.low = {r->first, c->first},
                        .high = {r->first + r->size - 1, c->first + c->size - 1},
                        .stride = c->size};
}

static void bounds_fill(struct tile_entry *entry, const struct basis *basis, int row, int column)
{
  const struct tile *r = &basis->tiles[row], *c = &basis->tiles[column];
  entry->bound = 0;
  for (int i = 0; i < r->shell_count; i++) {
    const struct shell *a = &basis->shells[r->first_shell + i];
    for (int j = 0; j < c->shell_count; j++) {
      const struct shell *b = &basis->shells[c->first_shell + j];
      double largest = 0;
      for (int m = a->first - r->first; m < a->first - r->first + a->size; m++) {
        const double *values = entry->density + m * c->size + b->first - c->first;
        for (int n = 0; n < b->size; n++)
          largest = fmax(largest, fabs(values[n]));
      }
      entry->shell_bounds[i * c->shell_count + j] = largest;
      entry->bound = fmax(entry->bound, largest);
    }
  }
}

void tile_cache_fetch(struct tile_cache *cache, int row, int column)
{
  const struct basis *basis = cache->basis;
  const struct tile *r = &basis->tiles[row], *c = &basis->tiles[column];
  int index = row * basis->tile_count + column;
  struct tile_entry *entry = &cache->entries[index];
  size_t functions = (size_t)r->size * (size_t)c->size;
  size_t shells = (size_t)r->shell_count * (size_t)c->shell_count;
  entry->density = memory_allocate(2 * functions + shells, sizeof(double));
  entry->fock = entry->density + functions;
  entry->shell_bounds = entry->fock + functions;
  cache->held[cache->held_count++] = index;

  struct patch patch = tile_patch(basis, row, column);
  double start = GA_Wtime();
  NGA_Get(cache->density_array, patch.low, patch.high, entry->density, &patch.stride);
  cache->seconds += GA_Wtime() - start;
  bounds_fill(entry, basis, row, column);
}

void tile_cache_flush(struct tile_cache *cache)
{
  double one = 1, start = GA_Wtime();
  int tiles = cache->basis->tile_count;
  for (int i = 0; i < cache->held_count; i++) {
    int index = cache->held[i];
    struct tile_entry *entry = &cache->entries[index];
    struct patch patch = tile_patch(cache->basis, index / tiles, index % tiles);
    NGA_Acc(cache->fock_array, patch.low, patch.high, entry->fock, &patch.stride, &one);
    free(entry->density);
    entry->density = NULL;
  }
  cache->held_count = 0;
  cache->seconds += GA_Wtime() - start;
}
