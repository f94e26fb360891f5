/* Constant patches that stay in a memory until the phase ends, for the tasks that need them next:
 * found by (array, lo, hi). Those that no task uses go, the least recently used first, when others
 * need their room. One thread at a time. */
#ifndef CWI_DEVICE_TASK_PATCH_CACHE_H
#define CWI_DEVICE_TASK_PATCH_CACHE_H

#include "base/error.h"

#include <causeway/task.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct cwi_cached_patch {
  cw_planned_patch patch;
  size_t bytes;
  unsigned users;
  bool ready;    /* what it holds has arrived, or is in front of whoever comes later */
  bool failed;   /* and will not */
  char *memory;  /* on the host */
  size_t offset; /* on a device */
  struct cwi_cached_patch *next;          /* of its bucket */
  struct cwi_cached_patch *older, *newer; /* among those that nobody uses */
};

enum { CWI_PATCH_CACHE_BUCKETS = 1024 };

struct cwi_patch_cache {
  struct cwi_cached_patch *buckets[CWI_PATCH_CACHE_BUCKETS];
  struct cwi_cached_patch *oldest, *newest; /* of those that nobody uses */
  size_t bytes;                             /* of all */
};

/* NULL: it is not there. */
struct cwi_cached_patch *cwi_patch_cache_find(const struct cwi_patch_cache *patch_cache,
                                              const cw_planned_patch *patch);

/* Make a place for one that is not there, with one user. NULL: no memory. */
struct cwi_cached_patch *cwi_patch_cache_add(struct cwi_patch_cache *patch_cache,
                                             const cw_planned_patch *patch, size_t bytes);

/* One more user, one less. */
void cwi_patch_cache_use(struct cwi_patch_cache *patch_cache, struct cwi_cached_patch *cached);
void cwi_patch_cache_release(struct cwi_patch_cache *patch_cache, struct cwi_cached_patch *cached);

/* Take out one that nobody uses, and forget it; its memory is the caller's. */
void cwi_patch_cache_remove(struct cwi_patch_cache *patch_cache, struct cwi_cached_patch *cached);
#endif
