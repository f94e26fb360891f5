/* A cache of answers of the executor that never change, or change only when a program is built
 * again. (The facts of devices are queried when the devices are found.) */
#pragma once

#include "replica/dispatch.h"

struct vocl_cached_fact {
  struct vocl_cached_fact *older;
  enum vocl_query_about about;
  const void *device;
  cl_uint index, what;
  uint32_t age;
  size_t size;
  unsigned char value[];
};

/* Cache of one object, initially zeroed. It needs no lock, because facts are freed only with the
 * object. */
struct vocl_fact_cache {
  struct vocl_cached_fact *newest;
  uint32_t age; /* facts of another age are outdated */
};

/* Gets a fact, from the cache or from the executor. Returns the executor's error, or
 * CL_OUT_OF_HOST_MEMORY. */
cl_int vocl_fact_cache_get(struct vocl_fact_cache *cache, const struct vocl_query *query,
                           const struct vocl_cached_fact **fact);

/* Marks all facts as outdated. Call it before a change begins and again when it is done. */
void vocl_fact_cache_invalidate(struct vocl_fact_cache *cache);
void vocl_fact_cache_free(struct vocl_fact_cache *cache);
