/* Answers to clGet...Info: a table of each kind of object says where the answer to each question
 * is. */
#ifndef CWI_CLIENT_QUERY_H
#define CWI_CLIENT_QUERY_H

#include "client/handle.h"
#include "client/learnt.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Bytes of a handle's own, freed with it. */
struct cwi_blob {
  size_t size;
  void *bytes;
};

/* NULL bytes: an empty one. False: no memory. */
bool cwi_blob_copy(struct cwi_blob *blob, const void *bytes, size_t size);

enum cwi_query_source {
  CWI_FIELD, /* so many bytes of the object */
  CWI_BLOB,  /* a struct cwi_blob in it */
  CWI_COUNT, /* the program's references, as others would count them: at least one */
  CWI_KEPT,  /* the executor is asked once; a struct cwi_learnt in the object keeps it */
  CWI_ASKED  /* only the executor knows */
};

struct cwi_query_row {
  cl_uint what;
  enum cwi_query_source source;
  size_t offset, size;
};

#define CWI_ANSWER_FIELD(what, type, field)                                                        \
  {                                                                                                \
    what, CWI_FIELD, offsetof(struct type, field), sizeof(((struct type *)0)->field)               \
  }
#define CWI_ANSWER_BLOB(what, type, field)                                                         \
  {                                                                                                \
    what, CWI_BLOB, offsetof(struct type, field), 0                                                \
  }
#define CWI_ANSWER_COUNT(what)                                                                     \
  {                                                                                                \
    what, CWI_COUNT, 0, 0                                                                          \
  }
#define CWI_ANSWER_KEPT(what, type)                                                                \
  {                                                                                                \
    what, CWI_KEPT, offsetof(struct type, learnt), 0                                               \
  }
#define CWI_ANSWER_ASKED(what)                                                                     \
  {                                                                                                \
    what, CWI_ASKED, 0, 0                                                                          \
  }

struct cwi_query_table {
  const struct cwi_kind *kind;
  enum cwi_about about; /* whom the executor is asked about */
  size_t count;
  const struct cwi_query_row *rows;
};

/* Where the answer goes: as the program gives it. */
struct cwi_asker {
  size_t size;
  void *value;
  size_t *size_ret;
};

/* Hand out so many bytes. Errors: CL_INVALID_VALUE if there is less room. */
cl_int cwi_query_give(const struct cwi_asker *asker, const void *bytes, size_t size);

/* The same with what the executor says, now or before. */
cl_int cwi_query_learn(struct cwi_learnt *learnt, const struct cwi_native_question *question,
                       const struct cwi_asker *asker);

cl_int cwi_query_answer(const struct cwi_query_table *answers, const void *handle, cl_uint what,
                        const struct cwi_asker *asker);

#ifdef __cplusplus
}
#endif
#endif
