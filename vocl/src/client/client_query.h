/* Answers to clGet...Info. A table for each kind of object has the source of each answer. */
#pragma once

#include "client/client_handle.h"
#include "client/fact_cache.h"

/* Bytes that a handle owns and frees. */
struct vocl_blob {
  size_t size;
  void *bytes;
};

/* Copies `bytes`. If that is NULL, the blob is empty. Returns false if there is no memory. */
bool vocl_blob_copy(struct vocl_blob *blob, const void *bytes, size_t size);

enum vocl_query_source {
  VOCL_SOURCE_FIELD,   /* a field of the object */
  VOCL_SOURCE_BLOB,    /* a struct vocl_blob in the object */
  VOCL_SOURCE_COUNT,   /* the number of references by the program, at least 1 */
  VOCL_SOURCE_CACHED,  /* queried from the executor once and kept in a struct vocl_fact_cache of the
                          object */
  VOCL_SOURCE_EXECUTOR /* queried from the executor each time */
};

struct vocl_query_row {
  cl_uint what;
  enum vocl_query_source source;
  size_t offset, size;
};

#define VOCL_ANSWER_FIELD(what, type, field)                                                       \
  {                                                                                                \
    what, VOCL_SOURCE_FIELD, offsetof(struct type, field), sizeof(((struct type *)0)->field)       \
  }
#define VOCL_ANSWER_BLOB(what, type, field)                                                        \
  {                                                                                                \
    what, VOCL_SOURCE_BLOB, offsetof(struct type, field), 0                                        \
  }
#define VOCL_ANSWER_COUNT(what)                                                                    \
  {                                                                                                \
    what, VOCL_SOURCE_COUNT, 0, 0                                                                  \
  }
#define VOCL_ANSWER_CACHED(what, type)                                                             \
  {                                                                                                \
    what, VOCL_SOURCE_CACHED, offsetof(struct type, cache), 0                                      \
  }
#define VOCL_ANSWER_EXECUTOR(what)                                                                 \
  {                                                                                                \
    what, VOCL_SOURCE_EXECUTOR, 0, 0                                                               \
  }

struct vocl_query_table {
  const struct vocl_kind *kind;
  enum vocl_query_about about; /* kind of query to the executor */
  size_t count;
  const struct vocl_query_row *rows;
};

/* The parameters of a call that receive the answer. */
struct vocl_query_result {
  size_t size;
  void *value;
  size_t *size_ret;
};

/* Stores the answer. Returns CL_INVALID_VALUE if there is not enough space. */
cl_int vocl_query_result_set(const struct vocl_query_result *result, const void *bytes,
                             size_t size);

/* Stores the answer of the executor, from the cache if possible. */
cl_int vocl_query_cached(struct vocl_fact_cache *cache, const struct vocl_query *query,
                         const struct vocl_query_result *result);

/* Answers a query about the handle from the table. */
cl_int vocl_query_answer(const struct vocl_query_table *answers, const void *handle, cl_uint what,
                         const struct vocl_query_result *result);
