/* A table from 64-bit keys (not 0) to pointers. */
#ifndef CWI_BASE_MAP_H
#define CWI_BASE_MAP_H

#include "base/check.h"

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct cwi_map_entry {
  uint64_t key; /* 0: empty */
  void *value;
};

struct cwi_map {
  struct cwi_map_entry *entries;
  size_t capacity; /* a power of two, or 0 */
  size_t count;
};

/* Errors: CW_OUTSIDE (no memory). The key must not be in the map. */
CWI_CHECKED cw_error cwi_map_insert(struct cwi_map *map, uint64_t key, void *value);
void *cwi_map_find(const struct cwi_map *map, uint64_t key);
/* The values, in no order; NULL comes after the last. *at: 0 for the first. */
void *cwi_map_next(const struct cwi_map *map, size_t *at);
void cwi_map_remove(struct cwi_map *map, uint64_t key);
void cwi_map_clear(struct cwi_map *map);

#ifdef __cplusplus
}
#endif
#endif
