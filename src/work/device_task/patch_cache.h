/* A cache of constant patches, which stay in the memory of a host or a device until the phase ends.
 * Patches are found by (array, lo, hi). When other patches need space, patches without users are
 * evicted, the least recently used first. Only one thread at a time may use a cache. */
#pragma once

#include "base/error.h"

#include <causeway/task.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct cwi_cached_patch {
  cw_planned_patch patch;
  size_t bytes;
  unsigned users;
  bool ready;    /* the data has arrived, or arrives before any command that is queued later */
  bool failed;   /* the data will not arrive */
  char *memory;  /* address on the host */
  size_t offset; /* offset on a device */
  struct cwi_cached_patch *next;          /* in its bucket */
  struct cwi_cached_patch *older, *newer; /* neighbours in the list of patches without users */
};

enum { CWI_PATCH_CACHE_BUCKETS = 1024 };

struct cwi_patch_cache {
  struct cwi_cached_patch *buckets[CWI_PATCH_CACHE_BUCKETS];
  struct cwi_cached_patch *oldest, *newest; /* ends of the list of patches without users */
  size_t bytes;                             /* of all patches */
};

/* Returns the entry of a patch, or NULL if it is not in the cache. */
struct cwi_cached_patch *cwi_patch_cache_find(const struct cwi_patch_cache *patch_cache,
                                              const cw_planned_patch *patch);

/* Adds an entry for a patch that is not in the cache. The entry has one user. Returns NULL if there
 * is no memory. */
struct cwi_cached_patch *cwi_patch_cache_add(struct cwi_patch_cache *patch_cache,
                                             const cw_planned_patch *patch, size_t bytes);

/* Adds a user of the entry, and removes one. */
void cwi_patch_cache_use(struct cwi_patch_cache *patch_cache, struct cwi_cached_patch *cached);
void cwi_patch_cache_release(struct cwi_patch_cache *patch_cache, struct cwi_cached_patch *cached);

/* Removes an entry that has no users and frees it. The caller frees the memory of its data. */
void cwi_patch_cache_remove(struct cwi_patch_cache *patch_cache, struct cwi_cached_patch *cached);
