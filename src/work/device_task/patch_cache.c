/* A cache of constant patches: the table and the order of use. Used for hosts and devices. */
#include "device_task/patch_cache.h"

#include "array/array.h"
#include "base/hash.h"

#include <stdlib.h>
#include <string.h>

static size_t index_bytes(const cw_planned_patch *patch)
{
  return (size_t)patch->array->dimensions * sizeof patch->lo[0];
}

static size_t cache_bucket(const cw_planned_patch *patch)
{
  uint64_t hash = cwi_hash_add(CWI_HASH_EMPTY, (uintptr_t)patch->array);
  for (int d = 0; d < patch->array->dimensions; d++)
    hash = cwi_hash_add(cwi_hash_add(hash, (uint64_t)patch->lo[d]), (uint64_t)patch->hi[d]);
  return hash % CWI_PATCH_CACHE_BUCKETS;
}

static bool same_patch(const cw_planned_patch *a, const cw_planned_patch *b)
{
  return a->array == b->array && memcmp(a->lo, b->lo, index_bytes(a)) == 0 &&
         memcmp(a->hi, b->hi, index_bytes(a)) == 0;
}

struct cwi_cached_patch *cwi_patch_cache_find(const struct cwi_patch_cache *patch_cache,
                                              const cw_planned_patch *patch)
{
  struct cwi_cached_patch *cached = patch_cache->buckets[cache_bucket(patch)];
  while (cached != NULL && !same_patch(&cached->patch, patch))
    cached = cached->next;
  return cached;
}

struct cwi_cached_patch *cwi_patch_cache_add(struct cwi_patch_cache *patch_cache,
                                             const cw_planned_patch *patch, size_t bytes)
{
  struct cwi_cached_patch *cached = calloc(1, sizeof *cached);
  if (cached == NULL)
    return NULL;
  struct cwi_cached_patch **bucket = &patch_cache->buckets[cache_bucket(patch)];
  cached->patch = *patch;
  cached->bytes = bytes;
  cached->users = 1;
  cached->next = *bucket;
  *bucket = cached;
  patch_cache->bytes += bytes;
  return cached;
}

/* --- The order of use ------------------------------------------------------------------------- */

static void lru_append(struct cwi_patch_cache *patch_cache, struct cwi_cached_patch *cached)
{
  cached->older = patch_cache->newest;
  cached->newer = NULL;
  if (patch_cache->newest != NULL)
    patch_cache->newest->newer = cached;
  else
    patch_cache->oldest = cached;
  patch_cache->newest = cached;
}

static void lru_remove(struct cwi_patch_cache *patch_cache, struct cwi_cached_patch *cached)
{
  if (cached->older != NULL)
    cached->older->newer = cached->newer;
  else
    patch_cache->oldest = cached->newer;
  if (cached->newer != NULL)
    cached->newer->older = cached->older;
  else
    patch_cache->newest = cached->older;
}

void cwi_patch_cache_use(struct cwi_patch_cache *patch_cache, struct cwi_cached_patch *cached)
{
  if (cached->users++ == 0)
    lru_remove(patch_cache, cached);
}

void cwi_patch_cache_release(struct cwi_patch_cache *patch_cache, struct cwi_cached_patch *cached)
{
  if (--cached->users == 0)
    lru_append(patch_cache, cached);
}

void cwi_patch_cache_remove(struct cwi_patch_cache *patch_cache, struct cwi_cached_patch *cached)
{
  struct cwi_cached_patch **link = &patch_cache->buckets[cache_bucket(&cached->patch)];
  CWI_ASSERT(cached->users == 0);
  while (*link != cached)
    link = &(*link)->next;
  *link = cached->next;
  lru_remove(patch_cache, cached);
  patch_cache->bytes -= cached->bytes;
  free(cached);
}
