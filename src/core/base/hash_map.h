/* A hash table that maps 64-bit keys (not 0) to pointers. */
#pragma once

#include "base/error.h"

#include <stddef.h>
#include <stdint.h>

struct cwi_hash_map_entry {
  uint64_t key; /* 0 if empty */
  void *value;
};

struct cwi_hash_map {
  struct cwi_hash_map_entry *entries;
  size_t capacity; /* a power of two, or 0 */
  size_t count;
};

/* Returns the entry at which the search for a key begins. */
static inline size_t cwi_hash_map_home(const struct cwi_hash_map *map, uint64_t key)
{
  return (size_t)(key * 0x9e3779b97f4a7c15u >> 32) & (map->capacity - 1);
}

/* Returns the entry of a key, or the empty one where it belongs. The map has a capacity. */
static inline size_t cwi_hash_map_place(const struct cwi_hash_map *map, uint64_t key)
{
  size_t at = cwi_hash_map_home(map, key);
  while (map->entries[at].key != 0 && map->entries[at].key != key)
    at = (at + 1) & (map->capacity - 1);
  return at;
}

/* Inserts a key that is not in the map. Errors: CW_OUTSIDE (no memory). */
CWI_CHECKED cw_error cwi_hash_map_insert(struct cwi_hash_map *map, uint64_t key, void *value);
/* Returns the value of a key, or NULL if the key is not in the map. */
static inline void *cwi_hash_map_find(const struct cwi_hash_map *map, uint64_t key)
{
  return map->capacity > 0 ? map->entries[cwi_hash_map_place(map, key)].value : NULL;
}

/* Returns the next value, in no particular order, or NULL after the last. *at is 0 for the first.
 */
void *cwi_hash_map_next(const struct cwi_hash_map *map, size_t *at);
/* cwi_hash_map_remove removes a key, if it is in the map. cwi_hash_map_clear frees the table, but
 * not the values. */
void cwi_hash_map_remove(struct cwi_hash_map *map, uint64_t key);
void cwi_hash_map_clear(struct cwi_hash_map *map);
