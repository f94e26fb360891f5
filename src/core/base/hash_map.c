/* A hash table with open addressing. */
#include "base/hash_map.h"

#include <stdlib.h>

static size_t place(const struct cwi_hash_map *map, uint64_t key)
{
  return (size_t)(key * 0x9e3779b97f4a7c15u >> 32) & (map->capacity - 1);
}

static void map_put(struct cwi_hash_map *map, uint64_t key, void *value)
{
  size_t at = place(map, key);
  while (map->entries[at].key != 0)
    at = (at + 1) & (map->capacity - 1);
  map->entries[at] = (struct cwi_hash_map_entry){key, value};
}

static cw_error map_grow(struct cwi_hash_map *map)
{
  struct cwi_hash_map larger = {.capacity = map->capacity > 0 ? 2 * map->capacity : 64,
                                .count = map->count};
  larger.entries = calloc(larger.capacity, sizeof *larger.entries);
  if (larger.entries == NULL)
    return cwi_outside("no memory for a table of %zu entries", larger.capacity);
  for (size_t i = 0; i < map->capacity; i++)
    if (map->entries[i].key != 0)
      map_put(&larger, map->entries[i].key, map->entries[i].value);
  free(map->entries);
  *map = larger;
  return CW_OK;
}

cw_error cwi_hash_map_insert(struct cwi_hash_map *map, uint64_t key, void *value)
{
  if (2 * (map->count + 1) > map->capacity)
    CWI_TRY(map_grow(map));
  map_put(map, key, value);
  map->count++;
  return CW_OK;
}

static size_t map_find(const struct cwi_hash_map *map, uint64_t key)
{
  if (map->capacity == 0)
    return SIZE_MAX;
  for (size_t at = place(map, key); map->entries[at].key != 0; at = (at + 1) & (map->capacity - 1))
    if (map->entries[at].key == key)
      return at;
  return SIZE_MAX;
}

void *cwi_hash_map_find(const struct cwi_hash_map *map, uint64_t key)
{
  const size_t at = map_find(map, key);
  return at != SIZE_MAX ? map->entries[at].value : NULL;
}

void *cwi_hash_map_next(const struct cwi_hash_map *map, size_t *at)
{
  while (*at < map->capacity) {
    const struct cwi_hash_map_entry *entry = &map->entries[(*at)++];
    if (entry->key != 0)
      return entry->value;
  }
  return NULL;
}

/* Moves up later entries whose search would pass the hole, so that no tombstones are needed. */
void cwi_hash_map_remove(struct cwi_hash_map *map, uint64_t key)
{
  size_t hole = map_find(map, key);
  if (hole == SIZE_MAX)
    return;
  const size_t mask = map->capacity - 1;
  for (size_t at = (hole + 1) & mask; map->entries[at].key != 0; at = (at + 1) & mask) {
    const size_t home = place(map, map->entries[at].key);
    if (((at - home) & mask) >= ((at - hole) & mask)) {
      map->entries[hole] = map->entries[at];
      hole = at;
    }
  }
  map->entries[hole] = (struct cwi_hash_map_entry){0, NULL};
  map->count--;
}

void cwi_hash_map_clear(struct cwi_hash_map *map)
{
  free(map->entries);
  *map = (struct cwi_hash_map){0};
}
