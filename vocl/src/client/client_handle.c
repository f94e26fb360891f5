/* Common parts of all handles. */
#include "client/client_handle.h"

#include <stdlib.h>

const cl_icd_dispatch *vocl_handle_table;

void *vocl_handle_new(const struct vocl_kind *kind, void *object)
{
  struct vocl_handle *handle = cwi_object_make(kind->objects);
  if (handle == NULL)
    return NULL;
  *handle = (struct vocl_handle){vocl_handle_table, kind, 1, 1, object};
  return handle;
}

void *vocl_handle_make(const struct vocl_kind *kind, const struct vocl_making *making, cl_int *code)
{
  void *object = NULL;
  *code = vocl_executor_make(making, &object);
  if (*code != CL_SUCCESS)
    return NULL;
  void *handle = vocl_handle_new(kind, object);
  if (handle == NULL) {
    vocl_executor_drop(making->sort, object);
    *code = CL_OUT_OF_HOST_MEMORY;
  }
  return handle;
}

void vocl_handle_unref(struct vocl_handle *handle)
{
  if (__atomic_sub_fetch(&handle->held, 1, __ATOMIC_ACQ_REL) > 0)
    return;
  const struct vocl_kind *kind = handle->kind;
  if (handle->object != NULL)
    vocl_executor_drop(kind->sort, handle->object);
  if (kind->end != NULL)
    kind->end(handle);
  cwi_object_end(kind->objects, handle);
}

cl_int vocl_handle_retain(const struct vocl_kind *kind, const void *pointer)
{
  struct vocl_handle *handle = vocl_handle_find(kind, pointer);
  if (handle == NULL)
    return kind->invalid;
  if (__atomic_fetch_add(&handle->count, 1, __ATOMIC_RELAXED) == 0)
    vocl_handle_ref(handle); /* only other objects referenced it until now */
  return CL_SUCCESS;
}

cl_int vocl_handle_release(const struct vocl_kind *kind, const void *pointer)
{
  struct vocl_handle *handle = vocl_handle_find(kind, pointer);
  if (handle == NULL)
    return kind->invalid;
  uint32_t count = __atomic_load_n(&handle->count, __ATOMIC_RELAXED);
  do {
    if (count == 0)
      return kind->invalid;
  } while (!__atomic_compare_exchange_n(&handle->count, &count, count - 1, true, __ATOMIC_ACQ_REL,
                                        __ATOMIC_RELAXED));
  if (count > 1)
    return CL_SUCCESS;
  if (kind->left != NULL)
    kind->left(handle);
  vocl_handle_unref(handle);
  return CL_SUCCESS;
}

cl_int vocl_handle_list_begin(struct vocl_handle_list *list, const struct vocl_kind *kind,
                              cl_uint count, const void *handles)
{
  const struct vocl_handle *const *each = handles;
  list->count = count;
  list->objects = list->space;
  if (count > sizeof list->space / sizeof *list->space)
    list->objects = malloc(count * sizeof *list->objects);
  if (list->objects == NULL)
    return CL_OUT_OF_HOST_MEMORY;
  for (cl_uint i = 0; i < count; i++) {
    const struct vocl_handle *handle = vocl_handle_find(kind, each[i]);
    if (handle == NULL) {
      vocl_handle_list_end(list);
      return kind->invalid;
    }
    list->objects[i] = handle->object;
  }
  return CL_SUCCESS;
}

void vocl_handle_list_end(struct vocl_handle_list *list)
{
  if (list->objects != list->space)
    free(list->objects);
}
