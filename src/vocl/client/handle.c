/* What every handle has, for all files of this room. */
#include "client/handle.h"

#include <stdlib.h>

const cl_icd_dispatch *cwi_handle_table;

void *cwi_handle_new(const struct cwi_kind *kind, void *object)
{
  struct cwi_handle *handle = cwi_object_make(kind->objects);
  if (handle == NULL)
    return NULL;
  *handle = (struct cwi_handle){cwi_handle_table, kind, 1, 1, object};
  return handle;
}

void *cwi_handle_make(const struct cwi_kind *kind, const struct cwi_making *making, cl_int *code)
{
  void *object = NULL;
  *code = cwi_executor_make(making, &object);
  if (*code != CL_SUCCESS)
    return NULL;
  void *handle = cwi_handle_new(kind, object);
  if (handle == NULL) {
    cwi_executor_drop(making->sort, object);
    *code = CL_OUT_OF_HOST_MEMORY;
  }
  return handle;
}

void cwi_handle_let_go(struct cwi_handle *handle)
{
  if (__atomic_sub_fetch(&handle->held, 1, __ATOMIC_ACQ_REL) > 0)
    return;
  const struct cwi_kind *kind = handle->kind;
  if (handle->object != NULL)
    cwi_executor_drop(kind->sort, handle->object);
  if (kind->end != NULL)
    kind->end(handle);
  cwi_object_end(kind->objects, handle);
}

cl_int cwi_handle_retain(const struct cwi_kind *kind, const void *pointer)
{
  struct cwi_handle *handle = cwi_handle_find(kind, pointer);
  if (handle == NULL)
    return kind->invalid;
  if (__atomic_fetch_add(&handle->count, 1, __ATOMIC_RELAXED) == 0)
    cwi_handle_hold(handle); /* only others needed it */
  return CL_SUCCESS;
}

cl_int cwi_handle_release(const struct cwi_kind *kind, const void *pointer)
{
  struct cwi_handle *handle = cwi_handle_find(kind, pointer);
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
  cwi_handle_let_go(handle);
  return CL_SUCCESS;
}

cl_int cwi_list_begin(struct cwi_list *list, const struct cwi_kind *kind, cl_uint count,
                      const void *handles)
{
  const struct cwi_handle *const *each = handles;
  list->count = count;
  list->objects = list->room;
  if (count > sizeof list->room / sizeof *list->room)
    list->objects = malloc(count * sizeof *list->objects);
  if (list->objects == NULL)
    return CL_OUT_OF_HOST_MEMORY;
  for (cl_uint i = 0; i < count; i++) {
    const struct cwi_handle *handle = cwi_handle_find(kind, each[i]);
    if (handle == NULL) {
      cwi_list_end(list);
      return kind->invalid;
    }
    list->objects[i] = handle->object;
  }
  return CL_SUCCESS;
}

void cwi_list_end(struct cwi_list *list)
{
  if (list->objects != list->room)
    free(list->objects);
}
