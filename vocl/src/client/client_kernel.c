/* Kernels. The client checks their arguments, in order to recognise handles among them. */
#include "client/client_entries.h"
#include "client/client_objects.h"

#include <stdlib.h>
#include <string.h>

/* Kinds of arguments. NOT_REPORTED means that the vendor does not report the kind, as for programs
 * made of binaries; a value that equals one of our handles is then treated as that handle. */
enum kernel_argument { NOT_QUERIED, NOT_REPORTED, VALUE, MEMORY, SAMPLER };

static void kernel_end(struct vocl_handle *handle)
{
  struct vocl_cl_kernel *kernel = (struct vocl_cl_kernel *)handle;
  vocl_handle_unref(&kernel->program->handle);
  free(kernel->arguments);
  vocl_fact_cache_free(&kernel->cache);
}

static struct cwi_objects kernel_objects = CWI_OBJECTS(struct vocl_cl_kernel);
const struct vocl_kind vocl_kind_kernel = {&kernel_objects, VOCL_KERNEL, CL_INVALID_KERNEL, NULL,
                                           kernel_end};

/* Makes a handle for a kernel. Returns NULL if there is no memory; the executor's object is
 * dropped then. */
static struct vocl_cl_kernel *kernel_new(struct vocl_cl_program *program, void *object)
{
  cl_uint count = 0;
  struct vocl_cl_kernel *kernel = vocl_handle_new(&vocl_kind_kernel, object);
  if (kernel == NULL) {
    vocl_executor_drop(VOCL_KERNEL, object);
    return NULL;
  }
  vocl_handle_ref(&program->handle);
  kernel->program = program;
  kernel->context = program->context;
  const struct vocl_query query = {
      .about = VOCL_ABOUT_KERNEL, .object = object, .what = CL_KERNEL_NUM_ARGS};
  if (vocl_executor_query(&query, sizeof count, &count, NULL) == CL_SUCCESS)
    kernel->argument_count = count;
  kernel->arguments = calloc(kernel->argument_count + 1, sizeof *kernel->arguments);
  if (kernel->arguments != NULL)
    return kernel;
  vocl_handle_unref(&kernel->handle);
  return NULL;
}

cl_kernel vocl_clCreateKernel(cl_program in, const char *name, cl_int *errcode_ret)
{
  struct vocl_cl_program *program = vocl_program_find(in);
  struct vocl_cl_kernel *kernel = NULL;
  void *object = NULL;
  cl_int code = program == NULL ? CL_INVALID_PROGRAM : name == NULL ? CL_INVALID_VALUE : CL_SUCCESS;
  if (code == CL_SUCCESS)
    code = vocl_executor_make(
        &(struct vocl_making){.sort = VOCL_KERNEL, .parent = program->handle.object, .name = name},
        &object);
  if (code == CL_SUCCESS) {
    kernel = kernel_new(program, object);
    code = kernel != NULL ? CL_SUCCESS : CL_OUT_OF_HOST_MEMORY;
  }
  return vocl_return_created(kernel, code, errcode_ret);
}

cl_kernel vocl_clCloneKernel(cl_kernel handle, cl_int *errcode_ret)
{
  const struct vocl_cl_kernel *from = vocl_kernel_find(handle);
  struct vocl_cl_kernel *kernel = NULL;
  void *object = NULL;
  cl_int code =
      from != NULL ? vocl_executor_clone_kernel(from->handle.object, &object) : CL_INVALID_KERNEL;
  if (code == CL_SUCCESS) {
    kernel = kernel_new(from->program, object);
    code = kernel != NULL ? CL_SUCCESS : CL_OUT_OF_HOST_MEMORY;
  }
  if (code == CL_SUCCESS)
    memcpy(kernel->arguments, from->arguments, from->argument_count);
  return vocl_return_created(kernel, code, errcode_ret);
}

/* Makes handles for all of the objects, or for none. */
static cl_int kernel_wrap(struct vocl_cl_program *program, void **objects, cl_uint count,
                          cl_kernel *kernels)
{
  for (cl_uint i = 0; i < count; i++) {
    kernels[i] = (cl_kernel)(void *)kernel_new(program, objects[i]);
    if (kernels[i] != NULL)
      continue;
    for (cl_uint rest = i + 1; rest < count; rest++)
      vocl_executor_drop(VOCL_KERNEL, objects[rest]);
    while (i > 0)
      vocl_handle_release(&vocl_kind_kernel, kernels[--i]);
    return CL_OUT_OF_HOST_MEMORY;
  }
  return CL_SUCCESS;
}

cl_int vocl_clCreateKernelsInProgram(cl_program in, cl_uint most, cl_kernel *kernels,
                                     cl_uint *count)
{
  struct vocl_cl_program *program = vocl_program_find(in);
  cl_uint total = 0;
  if (program == NULL)
    return CL_INVALID_PROGRAM;
  cl_int code = vocl_executor_make_kernels(program->handle.object, 0, NULL, &total);
  if (code != CL_SUCCESS)
    return code;
  if (count != NULL)
    *count = total;
  if (kernels == NULL)
    return CL_SUCCESS;
  if (most < total)
    return CL_INVALID_VALUE;
  void **objects = calloc(total + 1, sizeof *objects);
  if (objects == NULL)
    return CL_OUT_OF_HOST_MEMORY;
  code = vocl_executor_make_kernels(program->handle.object, total, objects, NULL);
  if (code == CL_SUCCESS)
    code = kernel_wrap(program, objects, total, kernels);
  free(objects);
  return code;
}

static enum kernel_argument kernel_query_argument(struct vocl_cl_kernel *kernel, cl_uint index)
{
  const struct vocl_cached_fact *fact = NULL;
  struct vocl_query query = {.about = VOCL_ABOUT_ARGUMENT,
                             .object = kernel->handle.object,
                             .index = index,
                             .what = CL_KERNEL_ARG_ADDRESS_QUALIFIER};
  if (vocl_fact_cache_get(&kernel->cache, &query, &fact) != CL_SUCCESS)
    return NOT_REPORTED;
  const cl_kernel_arg_address_qualifier place =
      *(const cl_kernel_arg_address_qualifier *)(const void *)fact->value;
  if (place == CL_KERNEL_ARG_ADDRESS_GLOBAL || place == CL_KERNEL_ARG_ADDRESS_CONSTANT)
    return MEMORY;
  query.what = CL_KERNEL_ARG_TYPE_NAME;
  if (vocl_fact_cache_get(&kernel->cache, &query, &fact) != CL_SUCCESS)
    return NOT_REPORTED;
  const char *type = (const char *)fact->value;
  if (vocl_type_is_image(type))
    return MEMORY; /* some vendors report an image as private */
  return strcmp(type, "sampler_t") == 0 ? SAMPLER : VALUE;
}

/* Returns the memory or sampler that `handle` refers to, and stores its context in *context.
 * Returns NULL if it refers to none. */
static const struct vocl_handle *kernel_recognise(enum kernel_argument argument, const void *handle,
                                                  const struct vocl_cl_context **context)
{
  const struct vocl_cl_memory *memory =
      argument != SAMPLER ? vocl_handle_find(&vocl_kind_memory, handle) : NULL;
  const struct vocl_cl_sampler *sampler =
      argument != MEMORY && memory == NULL ? vocl_handle_find(&vocl_kind_sampler, handle) : NULL;
  if (memory == NULL && sampler == NULL)
    return NULL;
  *context = memory != NULL ? memory->context : sampler->context;
  return memory != NULL ? &memory->handle : &sampler->handle;
}

cl_int vocl_clSetKernelArg(cl_kernel handle, cl_uint index, size_t size, const void *value)
{
  struct vocl_cl_kernel *kernel = vocl_kernel_find(handle);
  if (kernel == NULL)
    return CL_INVALID_KERNEL;
  if (index >= kernel->argument_count)
    return CL_INVALID_ARG_INDEX;
  enum kernel_argument argument = kernel->arguments[index];
  if (argument == NOT_QUERIED)
    kernel->arguments[index] = argument = kernel_query_argument(kernel, index);
  if (argument == VALUE || value == NULL || size != sizeof(void *))
    return vocl_executor_set_argument(kernel->handle.object, index, size, value);
  const void *given = *(void *const *)value;
  const struct vocl_cl_context *context = NULL;
  const struct vocl_handle *found = kernel_recognise(argument, given, &context);
  const void *object = found != NULL ? found->object : NULL;
  if (found != NULL && !vocl_contexts_match(kernel->context, context))
    return found->kind->invalid;
  if (found == NULL && argument == SAMPLER)
    return CL_INVALID_SAMPLER;
  if (found == NULL && argument == MEMORY && given != NULL)
    return CL_INVALID_MEM_OBJECT;
  if (found == NULL && argument == NOT_REPORTED)
    object = given;
  return vocl_executor_set_argument(kernel->handle.object, index, size, &object);
}

cl_int vocl_clGetKernelInfo(cl_kernel kernel, cl_kernel_info what, size_t size, void *value,
                            size_t *size_ret)
{
  static const struct vocl_query_row rows[] = {
      VOCL_ANSWER_CACHED(CL_KERNEL_FUNCTION_NAME, vocl_cl_kernel),
      VOCL_ANSWER_FIELD(CL_KERNEL_NUM_ARGS, vocl_cl_kernel, argument_count),
      VOCL_ANSWER_COUNT(CL_KERNEL_REFERENCE_COUNT),
      VOCL_ANSWER_FIELD(CL_KERNEL_CONTEXT, vocl_cl_kernel, context),
      VOCL_ANSWER_FIELD(CL_KERNEL_PROGRAM, vocl_cl_kernel, program),
      VOCL_ANSWER_CACHED(CL_KERNEL_ATTRIBUTES, vocl_cl_kernel),
  };
  static const struct vocl_query_table answers = {&vocl_kind_kernel, VOCL_ABOUT_KERNEL,
                                                  sizeof rows / sizeof *rows, rows};
  return vocl_query_answer(&answers, kernel, what,
                           &(struct vocl_query_result){size, value, size_ret});
}

cl_int vocl_clGetKernelWorkGroupInfo(cl_kernel handle, cl_device_id on,
                                     cl_kernel_work_group_info what, size_t size, void *value,
                                     size_t *size_ret)
{
  struct vocl_cl_kernel *kernel = vocl_kernel_find(handle);
  const struct vocl_cl_device *device = vocl_device_find(on);
  if (kernel == NULL)
    return CL_INVALID_KERNEL;
  if (device != NULL ? !vocl_context_has(kernel->context, device)
                     : on != NULL || kernel->program->device_count != 1)
    return CL_INVALID_DEVICE;
  const struct vocl_query query = {VOCL_ABOUT_WORK_GROUP, kernel->handle.object,
                                   device != NULL ? device->handle.object : NULL, 0, what};
  /* The memory that a kernel needs depends on its arguments. */
  const bool changes = what == CL_KERNEL_LOCAL_MEM_SIZE || what == CL_KERNEL_PRIVATE_MEM_SIZE;
  return changes ? vocl_executor_query(&query, size, value, size_ret)
                 : vocl_query_cached(&kernel->cache, &query,
                                     &(struct vocl_query_result){size, value, size_ret});
}

cl_int vocl_clGetKernelArgInfo(cl_kernel handle, cl_uint index, cl_kernel_arg_info what,
                               size_t size, void *value, size_t *size_ret)
{
  struct vocl_cl_kernel *kernel = vocl_kernel_find(handle);
  if (kernel == NULL)
    return CL_INVALID_KERNEL;
  if (index >= kernel->argument_count)
    return CL_INVALID_ARG_INDEX;
  if (kernel->program->hides_arguments)
    return CL_KERNEL_ARG_INFO_NOT_AVAILABLE;
  return vocl_query_cached(
      &kernel->cache,
      &(struct vocl_query){VOCL_ABOUT_ARGUMENT, kernel->handle.object, NULL, index, what},
      &(struct vocl_query_result){size, value, size_ret});
}
