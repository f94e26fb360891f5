/* Answers queries from tables, for all kinds of objects. */
#include "client/query.h"

#include <stdlib.h>
#include <string.h>

bool cwi_blob_copy(struct cwi_blob *blob, const void *bytes, size_t size)
{
  *blob = (struct cwi_blob){0, NULL};
  if (bytes == NULL || size == 0)
    return true;
  blob->bytes = malloc(size);
  if (blob->bytes == NULL)
    return false;
  blob->size = size;
  memcpy(blob->bytes, bytes, size);
  return true;
}

cl_int cwi_query_give(const struct cwi_asker *asker, const void *bytes, size_t size)
{
  return cwi_answer_give(bytes, size, asker->size, asker->value, asker->size_ret);
}

cl_int cwi_query_learn(struct cwi_learnt *learnt, const struct cwi_native_question *question,
                       const struct cwi_asker *asker)
{
  const struct cwi_learnt_fact *fact = NULL;
  const cl_int code = cwi_learn(learnt, question, &fact);
  return code == CL_SUCCESS ? cwi_query_give(asker, fact->value, fact->size) : code;
}

static cl_int answer_row(const struct cwi_query_table *answers, const struct cwi_query_row *row,
                         struct cwi_handle *handle, const struct cwi_asker *asker)
{
  const struct cwi_native_question question = {answers->about, handle->object, NULL, 0, row->what};
  void *at = (char *)handle + row->offset;
  const struct cwi_blob *blob = at;
  cl_uint count;
  switch (row->source) {
  case CWI_FIELD:
    return cwi_query_give(asker, at, row->size);
  case CWI_BLOB:
    return cwi_query_give(asker, blob->bytes, blob->size);
  case CWI_COUNT:
    count = __atomic_load_n(&handle->count, __ATOMIC_RELAXED);
    count += count == 0;
    return cwi_query_give(asker, &count, sizeof count);
  case CWI_KEPT:
    return cwi_query_learn(at, &question, asker);
  default:
    return cwi_executor_ask(&question, asker->size, asker->value, asker->size_ret);
  }
}

cl_int cwi_query_answer(const struct cwi_query_table *answers, const void *pointer, cl_uint what,
                        const struct cwi_asker *asker)
{
  struct cwi_handle *handle = cwi_handle_find(answers->kind, pointer);
  if (handle == NULL)
    return answers->kind->invalid;
  for (size_t i = 0; i < answers->count; i++)
    if (answers->rows[i].what == what)
      return answer_row(answers, &answers->rows[i], handle, asker);
  return CL_INVALID_VALUE;
}
