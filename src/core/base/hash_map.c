/* A hash table with open addressing. */
#include "base/hash_map.h"

#include <stdlib.h>

static void map_put(struct cwi_hash_map *map, uint64_t key, void *value)
{
  map->entries[cwi_hash_map_place(map, key)] = (struct cwi_hash_map_entry){key, value};
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

void *cwi_hash_map_next(const struct cwi_hash_map *map, size_t *at)
{
  while (*at < map->capacity) {
    const struct cwi_hash_map_entry *entry = &map->entries[(*at)++];
    if (entry->key != 0)
      return entry->value;
  }
  return NULL;
}

/* Moves a later entry into the hole if the search for that entry would pass the hole. So no
 * tombstones are needed. */
void cwi_hash_map_remove(struct cwi_hash_map *map, uint64_t key)
{
  size_t hole = map->capacity > 0 ? cwi_hash_map_place(map, key) : 0;
  if (map->capacity == 0 || map->entries[hole].key == 0)
    return;
  const size_t mask = map->capacity - 1;
  for (size_t at = (hole + 1) & mask; map->entries[at].key != 0; at = (at + 1) & mask) {
    const size_t home = cwi_hash_map_home(map, map->entries[at].key);
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
