/* Buffers and sub-buffers, and what images share with them. */
#include "client/memory.h"

#include "client/entries.h"
#include "sites/gate.h"

#include <stdlib.h>

static void memory_end(struct cwi_handle *handle)
{
  struct cwi_cl_memory *memory = (struct cwi_cl_memory *)handle;
  if (memory->parent != NULL)
    cwi_handle_let_go(&memory->parent->handle);
  cwi_handle_let_go(&memory->context->handle);
  free(memory->properties.bytes);
  cwi_learnt_end(&memory->learnt);
}

static struct cwi_objects memory_objects = CWI_OBJECTS(struct cwi_cl_memory);
const struct cwi_kind cwi_kind_memory = {&memory_objects, CWI_BUFFER, CL_INVALID_MEM_OBJECT, NULL,
                                         memory_end};

/* How much memory an image takes, and what it has of a buffer, its vendor says. */
static void memory_ask(struct cwi_cl_memory *memory)
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
  struct cwi_native_question question = {.about = CWI_ABOUT_MEMORY,
                                         .object = memory->handle.object};
  for (size_t i = 0; i < sizeof facts / sizeof *facts; i++) {
    question.what = facts[i].what;
    cwi_executor_ask(&question, facts[i].size, facts[i].value, NULL);
  }
}

/* A buffer is what the program said. */
static void memory_learn(struct cwi_cl_memory *memory, const struct cwi_making *making)
{
  if (making->sort == CWI_IMAGE) {
    memory_ask(memory);
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

cl_int cwi_memory_make(struct cwi_cl_context *context, struct cwi_cl_memory *parent,
                       const struct cwi_making *making, struct cwi_cl_memory **memory)
{
  cl_int code = CL_SUCCESS;
  *memory = cwi_handle_make(&cwi_kind_memory, making, &code);
  if (*memory == NULL)
    return code;
  cwi_handle_hold(&context->handle);
  (*memory)->context = context;
  (*memory)->parent = parent;
  if (parent != NULL)
    cwi_handle_hold(&parent->handle);
  memory_learn(*memory, making);
  return CL_SUCCESS;
}

cl_int cwi_memory_properties(const cl_mem_properties *properties)
{
  return properties == NULL || *properties == 0 ? CL_SUCCESS : CL_INVALID_PROPERTY;
}

cl_int cwi_memory_remember(struct cwi_cl_memory *memory, const cl_mem_properties *properties)
{
  if (cwi_blob_copy(&memory->properties, properties, sizeof *properties))
    return CL_SUCCESS;
  cwi_handle_let_go(&memory->handle);
  return CL_OUT_OF_HOST_MEMORY;
}

cl_mem cwi_clCreateBufferWithProperties(cl_context in, const cl_mem_properties *properties,
                                        cl_mem_flags flags, size_t size, void *host,
                                        cl_int *errcode_ret)
{
  struct cwi_cl_context *context = cwi_context_find(in);
  struct cwi_cl_memory *memory = NULL;
  cl_int code = context != NULL ? cwi_memory_properties(properties) : CL_INVALID_CONTEXT;
  if (code == CL_SUCCESS) {
    const struct cwi_making making = {.sort = CWI_BUFFER,
                                      .parent = context->handle.object,
                                      .flags = flags,
                                      .size = size,
                                      .host = host};
    code = cwi_memory_make(context, NULL, &making, &memory);
  }
  if (code == CL_SUCCESS)
    code = cwi_memory_remember(memory, properties);
  return cwi_created(memory, code, errcode_ret);
}

cl_mem cwi_clCreateBuffer(cl_context context, cl_mem_flags flags, size_t size, void *host,
                          cl_int *errcode_ret)
{
  return cwi_clCreateBufferWithProperties(context, NULL, flags, size, host, errcode_ret);
}

cl_mem cwi_clCreateSubBuffer(cl_mem whole, cl_mem_flags flags, cl_buffer_create_type type,
                             const void *info, cl_int *errcode_ret)
{
  struct cwi_cl_memory *parent = cwi_memory_find(whole);
  struct cwi_cl_memory *memory = NULL;
  const cl_buffer_region *region = info;
  cl_int code = CL_INVALID_VALUE;
  if (parent == NULL || parent->type != CL_MEM_OBJECT_BUFFER || parent->parent != NULL)
    code = CL_INVALID_MEM_OBJECT;
  else if (type == CL_BUFFER_CREATE_TYPE_REGION && region != NULL) {
    const struct cwi_making making = {.sort = CWI_SUB_BUFFER,
                                      .parent = parent->handle.object,
                                      .flags = flags,
                                      .offset = region->origin,
                                      .size = region->size};
    code = cwi_memory_make(parent->context, parent, &making, &memory);
  }
  return cwi_created(memory, code, errcode_ret);
}

cl_int cwi_clGetMemObjectInfo(cl_mem memory, cl_mem_info what, size_t size, void *value,
                              size_t *size_ret)
{
  static const struct cwi_query_row rows[] = {
      CWI_ANSWER_FIELD(CL_MEM_SIZE, cwi_cl_memory, size),
      CWI_ANSWER_FIELD(CL_MEM_TYPE, cwi_cl_memory, type),
      CWI_ANSWER_KEPT(CL_MEM_FLAGS, cwi_cl_memory),
      CWI_ANSWER_FIELD(CL_MEM_HOST_PTR, cwi_cl_memory, host),
      CWI_ANSWER_ASKED(CL_MEM_MAP_COUNT),
      CWI_ANSWER_COUNT(CL_MEM_REFERENCE_COUNT),
      CWI_ANSWER_FIELD(CL_MEM_CONTEXT, cwi_cl_memory, context),
      CWI_ANSWER_FIELD(CL_MEM_ASSOCIATED_MEMOBJECT, cwi_cl_memory, parent),
      CWI_ANSWER_FIELD(CL_MEM_OFFSET, cwi_cl_memory, offset),
      CWI_ANSWER_FIELD(CL_MEM_USES_SVM_POINTER, cwi_cl_memory, shared_virtual),
      CWI_ANSWER_BLOB(CL_MEM_PROPERTIES, cwi_cl_memory, properties),
  };
  static const struct cwi_query_table answers = {&cwi_kind_memory, CWI_ABOUT_MEMORY,
                                                 sizeof rows / sizeof *rows, rows};
  return cwi_query_answer(&answers, memory, what, &(struct cwi_asker){size, value, size_ret});
}

/* What a program wants to be told when memory is deleted. */
struct memory_notice {
  cl_mem memory;
  void(CL_CALLBACK *function)(cl_mem, void *);
  void *data;
};

/* The vendor calls it when no command uses the memory any more. Our handle may be gone then, as
 * the program's is: it is a name. */
static void CL_CALLBACK memory_deleted(cl_mem theirs, void *data)
{
  struct memory_notice *notice = data;
  (void)theirs;
  cwi_gate_callback_begins();
  notice->function(notice->memory, notice->data);
  cwi_gate_callback_ends();
  free(notice);
}

cl_int cwi_clSetMemObjectDestructorCallback(cl_mem handle,
                                            void(CL_CALLBACK *function)(cl_mem, void *), void *data)
{
  const struct cwi_cl_memory *memory = cwi_memory_find(handle);
  if (memory == NULL)
    return CL_INVALID_MEM_OBJECT;
  if (function == NULL)
    return CL_INVALID_VALUE;
  struct memory_notice *notice = malloc(sizeof *notice);
  if (notice == NULL)
    return CL_OUT_OF_HOST_MEMORY;
  *notice = (struct memory_notice){handle, function, data};
  const cl_int code = cwi_executor_tell_deleted(memory->handle.object, memory_deleted, notice);
  if (code != CL_SUCCESS)
    free(notice);
  return code;
}
