/* Constant patches that the workers of a process share on the host until the phase ends. Used by
 * tasks that run on hosts. */
#include "device_task/planning.h"

#include "transfer/handle.h"

#include <stdlib.h>

enum { KEEP_ALIGNMENT = 64 };

static cw_error no_arrival(void)
{
  return cwi_outside("a constant patch of a task could not be fetched: see the error of the task "
                     "that fetched it first");
}

/* Frees a patch. The caller holds the lock. */
static void constant_drop(struct cwi_constant_cache *constant_cache,
                          struct cwi_cached_patch *cached)
{
  free(cached->memory);
  cwi_patch_cache_remove(&constant_cache->patch_cache, cached);
}

/* Evicts patches until `bytes` fit. Returns false if the patches in use leave too little space. The
 * caller holds the lock. */
static bool constant_evict(struct cwi_constant_cache *constant_cache, size_t bytes,
                           cw_tasks_counts *counts)
{
  while (bytes <= constant_cache->most &&
         constant_cache->patch_cache.bytes > constant_cache->most - bytes &&
         constant_cache->patch_cache.oldest != NULL) {
    constant_drop(constant_cache, constant_cache->patch_cache.oldest);
    counts->evicted++;
  }
  return bytes <= constant_cache->most &&
         constant_cache->patch_cache.bytes <= constant_cache->most - bytes;
}

/* Adds an entry for a patch that is not in the cache. Returns NULL if there is no space. The caller
 * holds the lock. */
static struct cwi_cached_patch *constant_make(struct cwi_constant_cache *constant_cache,
                                              const cw_planned_patch *patch, size_t bytes,
                                              cw_tasks_counts *counts)
{
  if (!constant_evict(constant_cache, bytes, counts))
    return NULL;
  const size_t rounded = (bytes + KEEP_ALIGNMENT) & ~(size_t)(KEEP_ALIGNMENT - 1);
  char *memory = aligned_alloc(KEEP_ALIGNMENT, rounded);
  struct cwi_cached_patch *cached =
      memory != NULL ? cwi_patch_cache_add(&constant_cache->patch_cache, patch, bytes) : NULL;
  if (cached == NULL)
    free(memory);
  else
    cached->memory = memory;
  return cached;
}

/* Fetches a patch for which other workers may be waiting. Always waits for the started transfer,
 * because it writes to the memory of the patch. */
static cw_error constant_fetch(struct cwi_constant_cache *constant_cache,
                               struct cwi_cached_patch *cached)
{
  struct cwi_first_error first;
  cw_handle handle = {0};
  bool done = false;
  cwi_first_begin(&first, cwi_patch_fetch(&cached->patch, cached->memory, &handle));
  cwi_first_note(&first, cwi_handle_finish(&handle, true, &done));
  const cw_error error = cwi_first_return(&first);
  pthread_mutex_lock(&constant_cache->lock);
  cached->ready = error == CW_OK;
  cached->failed = error != CW_OK;
  pthread_cond_broadcast(&constant_cache->arrival);
  pthread_mutex_unlock(&constant_cache->lock);
  return error;
}

/* Waits for a patch that another worker fetches. */
static cw_error constant_await(struct cwi_constant_cache *constant_cache,
                               const struct cwi_cached_patch *cached)
{
  pthread_mutex_lock(&constant_cache->lock);
  while (!cached->ready && !cached->failed)
    pthread_cond_wait(&constant_cache->arrival, &constant_cache->lock);
  const bool failed = cached->failed;
  pthread_mutex_unlock(&constant_cache->lock);
  return failed ? no_arrival() : CW_OK;
}

cw_error cwi_constant_cache_take(struct cwi_constant_cache *constant_cache,
                                 const cw_planned_patch *patch, size_t bytes,
                                 struct cwi_cached_patch **cached, cw_tasks_counts *counts)
{
  pthread_mutex_lock(&constant_cache->lock);
  struct cwi_cached_patch *found = cwi_patch_cache_find(&constant_cache->patch_cache, patch);
  const bool hit = found != NULL;
  if (hit)
    cwi_patch_cache_use(&constant_cache->patch_cache, found);
  else
    found = constant_make(constant_cache, patch, bytes, counts);
  pthread_mutex_unlock(&constant_cache->lock);
  *cached = found;
  counts->hits += hit;
  counts->misses += !hit;
  if (found == NULL)
    return CW_OK;
  counts->fetched += hit ? 0 : bytes;
  return hit ? constant_await(constant_cache, found) : constant_fetch(constant_cache, found);
}

void cwi_constant_cache_release(struct cwi_constant_cache *constant_cache,
                                struct cwi_cached_patch *cached)
{
  pthread_mutex_lock(&constant_cache->lock);
  cwi_patch_cache_release(&constant_cache->patch_cache, cached);
  if (cached->failed && cached->users == 0)
    constant_drop(constant_cache, cached);
  pthread_mutex_unlock(&constant_cache->lock);
}

void cwi_constant_cache_clear(struct cwi_constant_cache *constant_cache)
{
  while (constant_cache->patch_cache.oldest != NULL)
    constant_drop(constant_cache, constant_cache->patch_cache.oldest);
}
