/* Caches answers of the executor for queries that are repeated. */
#include "client/fact_cache.h"

#include <stdlib.h>
#include <string.h>

static const struct vocl_cached_fact *cache_find(const struct vocl_fact_cache *cache, uint32_t age,
                                                 const struct vocl_query *q)
{
  const struct vocl_cached_fact *fact = __atomic_load_n(&cache->newest, __ATOMIC_ACQUIRE);
  while (fact != NULL && (fact->what != q->what || fact->index != q->index ||
                          fact->device != q->device || fact->about != q->about || fact->age != age))
    fact = fact->older;
  return fact;
}

/* Adds a fact. Two threads may add the same one; then the older one is never found. */
static const struct vocl_cached_fact *cache_add(struct vocl_fact_cache *cache,
                                                struct vocl_cached_fact *fact)
{
  fact->older = __atomic_load_n(&cache->newest, __ATOMIC_RELAXED);
  while (!__atomic_compare_exchange_n(&cache->newest, &fact->older, fact, true, __ATOMIC_RELEASE,
                                      __ATOMIC_RELAXED))
    ;
  return fact;
}

static struct vocl_cached_fact *cache_space(const struct vocl_query *q, uint32_t age, size_t size)
{
  struct vocl_cached_fact *fact = malloc(sizeof *fact + size);
  if (fact != NULL)
    *fact = (struct vocl_cached_fact){NULL, q->about, q->device, q->index, q->what, age, size};
  return fact;
}

cl_int vocl_fact_cache_get(struct vocl_fact_cache *cache, const struct vocl_query *query,
                           const struct vocl_cached_fact **known)
{
  enum { USUAL = 256 }; /* most answers are not longer, and need a single query */
  /* Read the age before the query: an answer that is obtained during a change must not be found
   * later. */
  const uint32_t age = __atomic_load_n(&cache->age, __ATOMIC_ACQUIRE);
  *known = cache_find(cache, age, query);
  if (*known != NULL)
    return CL_SUCCESS;
  unsigned char usual[USUAL];
  size_t size = 0;
  cl_int code = vocl_executor_query(query, sizeof usual, usual, &size);
  const bool fits = code == CL_SUCCESS && size <= sizeof usual;
  if (!fits)
    code = vocl_executor_query(query, 0, NULL, &size);
  if (code != CL_SUCCESS)
    return code;
  struct vocl_cached_fact *fact = cache_space(query, age, size);
  if (fact == NULL)
    return CL_OUT_OF_HOST_MEMORY;
  if (fits)
    memcpy(fact->value, usual, size);
  else
    code = vocl_executor_query(query, size, fact->value, NULL);
  if (code != CL_SUCCESS) {
    free(fact);
    return code;
  }
  *known = cache_add(cache, fact);
  return CL_SUCCESS;
}

void vocl_fact_cache_invalidate(struct vocl_fact_cache *cache)
{
  __atomic_fetch_add(&cache->age, 1, __ATOMIC_ACQ_REL);
}

void vocl_fact_cache_free(struct vocl_fact_cache *cache)
{
  while (cache->newest != NULL) {
    struct vocl_cached_fact *fact = cache->newest;
    cache->newest = fact->older;
    free(fact);
  }
}
