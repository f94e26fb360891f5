/* Answers queries from tables, for all kinds of objects. */
#include "client/client_query.h"

#include <stdlib.h>
#include <string.h>

bool vocl_blob_copy(struct vocl_blob *blob, const void *bytes, size_t size)
{
  *blob = (struct vocl_blob){0, NULL};
  if (bytes == NULL || size == 0)
    return true;
  blob->bytes = malloc(size);
  if (blob->bytes == NULL)
    return false;
  blob->size = size;
  memcpy(blob->bytes, bytes, size);
  return true;
}

cl_int vocl_query_result_set(const struct vocl_query_result *result, const void *bytes, size_t size)
{
  return vocl_query_return(bytes, size, result->size, result->value, result->size_ret);
}

cl_int vocl_query_cached(struct vocl_fact_cache *cache, const struct vocl_query *query,
                         const struct vocl_query_result *result)
{
  const struct vocl_cached_fact *fact = NULL;
  const cl_int code = vocl_fact_cache_get(cache, query, &fact);
  return code == CL_SUCCESS ? vocl_query_result_set(result, fact->value, fact->size) : code;
}

static cl_int answer_row(const struct vocl_query_table *answers, const struct vocl_query_row *row,
                         struct vocl_handle *handle, const struct vocl_query_result *result)
{
  const struct vocl_query query = {answers->about, handle->object, NULL, 0, row->what};
  void *at = (char *)handle + row->offset;
  const struct vocl_blob *blob = at;
  cl_uint count;
  switch (row->source) {
  case VOCL_SOURCE_FIELD:
    return vocl_query_result_set(result, at, row->size);
  case VOCL_SOURCE_BLOB:
    return vocl_query_result_set(result, blob->bytes, blob->size);
  case VOCL_SOURCE_COUNT:
    count = __atomic_load_n(&handle->count, __ATOMIC_RELAXED);
    count += count == 0;
    return vocl_query_result_set(result, &count, sizeof count);
  case VOCL_SOURCE_CACHED:
    return vocl_query_cached(at, &query, result);
  default:
    return vocl_executor_query(&query, result->size, result->value, result->size_ret);
  }
}

cl_int vocl_query_answer(const struct vocl_query_table *answers, const void *pointer, cl_uint what,
                         const struct vocl_query_result *result)
{
  struct vocl_handle *handle = vocl_handle_find(answers->kind, pointer);
  if (handle == NULL)
    return answers->kind->invalid;
  for (size_t i = 0; i < answers->count; i++)
    if (answers->rows[i].what == what)
      return answer_row(answers, &answers->rows[i], handle, result);
  return CL_INVALID_VALUE;
}
