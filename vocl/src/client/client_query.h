/* Answers to clGet...Info: a table of each kind of object says where the answer to each question
 * is. */
#ifndef VOCL_CLIENT_CLIENT_QUERY_H
#define VOCL_CLIENT_CLIENT_QUERY_H

#include "client/client_handle.h"
#include "client/fact_cache.h"

/* Bytes of a handle's own, freed with it. */
struct vocl_blob {
  size_t size;
  void *bytes;
};

/* NULL bytes: an empty one. False: no memory. */
bool vocl_blob_copy(struct vocl_blob *blob, const void *bytes, size_t size);

enum vocl_query_source {
  VOCL_SOURCE_FIELD,  /* so many bytes of the object */
  VOCL_SOURCE_BLOB,   /* a struct vocl_blob in it */
  VOCL_SOURCE_COUNT,  /* the program's references, as others would count them: at least one */
  VOCL_SOURCE_CACHED, /* the executor is asked once; a struct vocl_fact_cache in the object keeps it
                       */
  VOCL_SOURCE_EXECUTOR /* only the executor knows */
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
  enum vocl_query_about about; /* whom the executor is asked about */
  size_t count;
  const struct vocl_query_row *rows;
};

/* Where the answer goes: as the program gives it. */
struct vocl_query_result {
  size_t size;
  void *value;
  size_t *size_ret;
};

/* Hand out so many bytes. Errors: CL_INVALID_VALUE if there is less room. */
cl_int vocl_query_result_set(const struct vocl_query_result *result, const void *bytes,
                             size_t size);

/* The same with what the executor says, now or before. */
cl_int vocl_query_cached(struct vocl_fact_cache *cache, const struct vocl_query *query,
                         const struct vocl_query_result *result);

cl_int vocl_query_answer(const struct vocl_query_table *answers, const void *handle, cl_uint what,
                         const struct vocl_query_result *result);
#endif
