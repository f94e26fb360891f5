/* What objects will always say of themselves, or until a program is built again: it is asked once
 * and kept with the object. (Devices have told all of it when they were found.) */
#ifndef VOCL_CLIENT_FACT_CACHE_H
#define VOCL_CLIENT_FACT_CACHE_H

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

/* An object's; begins with zeros. No lock: facts stay until the object ends. */
struct vocl_fact_cache {
  struct vocl_cached_fact *newest;
  uint32_t age; /* facts of another age are not true any more */
};

/* The answer, asked now or before. Errors: what the executor says, and CL_OUT_OF_HOST_MEMORY. */
cl_int vocl_fact_cache_get(struct vocl_fact_cache *cache, const struct vocl_query *query,
                           const struct vocl_cached_fact **fact);

/* All that is known may change: call it before the change begins, and when it is done. */
void vocl_fact_cache_invalidate(struct vocl_fact_cache *cache);
void vocl_fact_cache_free(struct vocl_fact_cache *cache);
#endif
