/* Buffers and sub-buffers, and common parts of buffers and images. */
#include "client/client_memory.h"

#include "client/client_entries.h"
#include "replica/freeze.h"

#include <stdlib.h>

static void memory_end(struct vocl_handle *handle)
{
  struct vocl_cl_memory *memory = (struct vocl_cl_memory *)handle;
  if (memory->parent != NULL)
    vocl_handle_unref(&memory->parent->handle);
  vocl_handle_unref(&memory->context->handle);
  free(memory->properties.bytes);
  vocl_fact_cache_free(&memory->cache);
}

static struct cwi_objects memory_objects = CWI_OBJECTS(struct vocl_cl_memory);
const struct vocl_kind vocl_kind_memory = {&memory_objects, VOCL_BUFFER, CL_INVALID_MEM_OBJECT,
                                           NULL, memory_end};

/* Queries the facts of an image. Only the vendor knows its size, and what the image takes over from
 * a buffer. */
static void memory_query(struct vocl_cl_memory *memory)
{
  const struct {
    cl_mem_info what;
    size_t size;
    void *value;
  } facts[] = {
      {CL_MEM_TYPE, sizeof memory->type, &memory->type},
      {CL_MEM_SIZE, sizeof memory->size, &memory->size},
      {CL_MEM_OFFSET, sizeof memory->offset, &memory->offset},
      {CL_MEM_HOST_PTR, sizeof memory->host, &memory->host},
  };
  struct vocl_query query = {.about = VOCL_ABOUT_MEMORY, .object = memory->handle.object};
  for (size_t i = 0; i < sizeof facts / sizeof *facts; i++) {
    query.what = facts[i].what;
    vocl_executor_query(&query, facts[i].size, facts[i].value, NULL);
  }
}

/* Sets the facts of the memory. Those of a buffer follow from the parameters of the call. */
static void memory_learn(struct vocl_cl_memory *memory, const struct vocl_making *making)
{
  if (making->sort == VOCL_IMAGE) {
    memory_query(memory);
    return;
  }
  memory->type = CL_MEM_OBJECT_BUFFER;
  memory->size = making->size;
  memory->offset = making->offset;
  if (memory->parent != NULL && memory->parent->host != NULL)
    memory->host = (char *)memory->parent->host + making->offset;
  else if ((making->flags & CL_MEM_USE_HOST_PTR) != 0)
    memory->host = making->host;
}

cl_int vocl_memory_handle_make(struct vocl_cl_context *context, struct vocl_cl_memory *parent,
                               const struct vocl_making *making, struct vocl_cl_memory **memory)
{
  cl_int code = CL_SUCCESS;
  *memory = vocl_handle_make(&vocl_kind_memory, making, &code);
  if (*memory == NULL)
    return code;
  vocl_handle_ref(&context->handle);
  (*memory)->context = context;
  (*memory)->parent = parent;
  if (parent != NULL)
    vocl_handle_ref(&parent->handle);
  memory_learn(*memory, making);
  return CL_SUCCESS;
}

cl_int vocl_memory_check_properties(const cl_mem_properties *properties)
{
  return properties == NULL || *properties == 0 ? CL_SUCCESS : CL_INVALID_PROPERTY;
}

cl_int vocl_memory_set_properties(struct vocl_cl_memory *memory,
                                  const cl_mem_properties *properties)
{
  if (vocl_blob_copy(&memory->properties, properties, sizeof *properties))
    return CL_SUCCESS;
  vocl_handle_unref(&memory->handle);
  return CL_OUT_OF_HOST_MEMORY;
}

cl_mem vocl_clCreateBufferWithProperties(cl_context in, const cl_mem_properties *properties,
                                         cl_mem_flags flags, size_t size, void *host,
                                         cl_int *errcode_ret)
{
  struct vocl_cl_context *context = vocl_context_find(in);
  struct vocl_cl_memory *memory = NULL;
  cl_int code = context != NULL ? vocl_memory_check_properties(properties) : CL_INVALID_CONTEXT;
  if (code == CL_SUCCESS) {
    const struct vocl_making making = {.sort = VOCL_BUFFER,
                                       .parent = context->handle.object,
                                       .flags = flags,
                                       .size = size,
                                       .host = host};
    code = vocl_memory_handle_make(context, NULL, &making, &memory);
  }
  if (code == CL_SUCCESS)
    code = vocl_memory_set_properties(memory, properties);
  return vocl_return_created(memory, code, errcode_ret);
}

cl_mem vocl_clCreateBuffer(cl_context context, cl_mem_flags flags, size_t size, void *host,
                           cl_int *errcode_ret)
{
  return vocl_clCreateBufferWithProperties(context, NULL, flags, size, host, errcode_ret);
}

cl_mem vocl_clCreateSubBuffer(cl_mem whole, cl_mem_flags flags, cl_buffer_create_type type,
                              const void *info, cl_int *errcode_ret)
{
  struct vocl_cl_memory *parent = vocl_memory_find(whole);
  struct vocl_cl_memory *memory = NULL;
  const cl_buffer_region *region = info;
  cl_int code = CL_INVALID_VALUE;
  if (parent == NULL || parent->type != CL_MEM_OBJECT_BUFFER || parent->parent != NULL)
    code = CL_INVALID_MEM_OBJECT;
  else if (type == CL_BUFFER_CREATE_TYPE_REGION && region != NULL) {
    const struct vocl_making making = {.sort = VOCL_SUB_BUFFER,
                                       .parent = parent->handle.object,
                                       .flags = flags,
                                       .offset = region->origin,
                                       .size = region->size};
    code = vocl_memory_handle_make(parent->context, parent, &making, &memory);
  }
  return vocl_return_created(memory, code, errcode_ret);
}

cl_int vocl_clGetMemObjectInfo(cl_mem memory, cl_mem_info what, size_t size, void *value,
                               size_t *size_ret)
{
  static const struct vocl_query_row rows[] = {
      VOCL_ANSWER_FIELD(CL_MEM_SIZE, vocl_cl_memory, size),
      VOCL_ANSWER_FIELD(CL_MEM_TYPE, vocl_cl_memory, type),
      VOCL_ANSWER_CACHED(CL_MEM_FLAGS, vocl_cl_memory),
      VOCL_ANSWER_FIELD(CL_MEM_HOST_PTR, vocl_cl_memory, host),
      VOCL_ANSWER_EXECUTOR(CL_MEM_MAP_COUNT),
      VOCL_ANSWER_COUNT(CL_MEM_REFERENCE_COUNT),
      VOCL_ANSWER_FIELD(CL_MEM_CONTEXT, vocl_cl_memory, context),
      VOCL_ANSWER_FIELD(CL_MEM_ASSOCIATED_MEMOBJECT, vocl_cl_memory, parent),
      VOCL_ANSWER_FIELD(CL_MEM_OFFSET, vocl_cl_memory, offset),
      VOCL_ANSWER_FIELD(CL_MEM_USES_SVM_POINTER, vocl_cl_memory, shared_virtual),
      VOCL_ANSWER_BLOB(CL_MEM_PROPERTIES, vocl_cl_memory, properties),
  };
  static const struct vocl_query_table answers = {&vocl_kind_memory, VOCL_ABOUT_MEMORY,
                                                  sizeof rows / sizeof *rows, rows};
  return vocl_query_answer(&answers, memory, what,
                           &(struct vocl_query_result){size, value, size_ret});
}

/* A callback for the deletion of memory. */
struct memory_notice {
  cl_mem memory;
  void(CL_CALLBACK *function)(cl_mem, void *);
  void *data;
};

/* Calls the program's function. The vendor makes this callback when no command uses the memory any
 * more. The handle may be gone by then, so `memory` is not dereferenced; the program uses it only
 * as a name. */
static void CL_CALLBACK memory_deleted(cl_mem theirs, void *data)
{
  struct memory_notice *notice = data;
  (void)theirs;
  vocl_callback_begins();
  notice->function(notice->memory, notice->data);
  vocl_callback_ends();
  free(notice);
}

cl_int vocl_clSetMemObjectDestructorCallback(cl_mem handle,
                                             void(CL_CALLBACK *function)(cl_mem, void *),
                                             void *data)
{
  const struct vocl_cl_memory *memory = vocl_memory_find(handle);
  if (memory == NULL)
    return CL_INVALID_MEM_OBJECT;
  if (function == NULL)
    return CL_INVALID_VALUE;
  struct memory_notice *notice = malloc(sizeof *notice);
  if (notice == NULL)
    return CL_OUT_OF_HOST_MEMORY;
  *notice = (struct memory_notice){handle, function, data};
  const cl_int code = vocl_executor_on_deleted(memory->handle.object, memory_deleted, notice);
  if (code != CL_SUCCESS)
    free(notice);
  return code;
}
