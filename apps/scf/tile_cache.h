/* What one process holds of the density and Fock arrays while it builds the Fock matrix.
 *
 * A density tile is fetched with NGA_Get on first use. Contributions to a Fock tile are summed
 * here and added to the array with NGA_Acc when the cache is emptied. The number of tiles held is
 * bounded, so memory does not grow with the molecule.
 */
#ifndef SCF_TILE_CACHE_H
#define SCF_TILE_CACHE_H

#include "basis.h"

/* Tiles that one quartet of tiles can need, in both orders of their indices. */
enum { TILES_PER_QUARTET = 12 };

struct tile_entry {
  double *density;      /* [functions of row tile][functions of column tile]; NULL: not held */
  double *fock;         /* same shape */
  double *shell_bounds; /* largest |density| of each pair of shells */
  double bound;         /* largest |density| of the tile */
};

struct tile_cache {
  const struct basis *basis;
  int density_array, fock_array;
  struct tile_entry *entries; /* [row tile][column tile] */
  int *held;                  /* indices of the entries in use */
  int held_count, capacity;
  double seconds; /* spent in NGA_Get and NGA_Acc */
};

/** `capacity` bounds the number of tiles held; at least TILES_PER_QUARTET are. */
struct tile_cache *tile_cache_create(const struct basis *basis, int capacity);

void tile_cache_free(struct tile_cache *cache);

/** Names the arrays for the next build; the cache must be empty. */
void tile_cache_attach(struct tile_cache *cache, int density_array, int fock_array);

/** Makes room for the tiles of one more quartet, emptying the cache if it has none. */
void tile_cache_reserve(struct tile_cache *cache);

/** Adds all Fock tiles to the array and forgets all tiles. */
void tile_cache_flush(struct tile_cache *cache);

/** Fetches a tile that is not held; use tile_cache_entry. */
void tile_cache_fetch(struct tile_cache *cache, int row, int column);

/** The tile at (row, column), fetched when it is not held. */
static inline struct tile_entry *tile_cache_entry(struct tile_cache *cache, int row, int column)
{
  struct tile_entry *entry = &cache->entries[row * cache->basis->tile_count + column];
  if (!entry->density)
    tile_cache_fetch(cache, row, column);
  return entry;
}

#endif
