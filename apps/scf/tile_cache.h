/* The tiles of the density and Fock arrays that one process holds while it builds the Fock matrix.
 *
 * A density tile is fetched with NGA_Get on first use. Contributions to a Fock tile are summed
 * here and added to the array with NGA_Acc when the cache is flushed. The number of tiles is
 * bounded, so memory does not grow with the molecule. */
#pragma once

#include "basis.h"

/* Most tiles that one quartet of tiles needs, with both orders of their indices. */
enum { TILES_PER_QUARTET = 12 };

struct tile_entry {
  double *density; /* [functions of row tile][functions of column tile]; NULL if not in the cache */
  double *fock;    /* the same shape as density */
  double *shell_bounds; /* largest |density| of each pair of shells */
  double bound;         /* largest |density| of the tile */
};

struct tile_cache {
  const struct basis *basis;
  int density_array, fock_array;
  struct tile_entry *entries; /* [row tile][column tile] */
  int *held;                  /* indices of the cached entries */
  int held_count, capacity;
  double seconds; /* seconds spent in NGA_Get and NGA_Acc */
};

/** Creates a cache of at most `capacity` tiles, but at least TILES_PER_QUARTET. */
struct tile_cache *tile_cache_create(const struct basis *basis, int capacity);

void tile_cache_free(struct tile_cache *cache);

/** Sets the arrays for the next build. The cache must be empty. */
void tile_cache_attach(struct tile_cache *cache, int density_array, int fock_array);

/** Makes space for the tiles of one more quartet, by flushing the cache if it is too full. Pointers
 * to entries' data are invalid after a flush. */
void tile_cache_reserve(struct tile_cache *cache);

/** Adds all Fock tiles to the array and frees all tiles. */
void tile_cache_flush(struct tile_cache *cache);

/** Fetches a tile that is not in the cache. Use tile_cache_entry instead. */
void tile_cache_fetch(struct tile_cache *cache, int row, int column);

/** Returns the tile at (row, column), and fetches it if it is not in the cache. */
static inline struct tile_entry *tile_cache_entry(struct tile_cache *cache, int row, int column)
{
  struct tile_entry *entry = &cache->entries[row * cache->basis->tile_count + column];
  if (!entry->density)
    tile_cache_fetch(cache, row, column);
  return entry;
}
