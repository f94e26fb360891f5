/* Kernels: their arguments are checked at home, where handles among them are recognised. */
#include "client/entries.h"
#include "client/kinds.h"

#include <stdlib.h>
#include <string.h>

/* UNTOLD: a program of a binary does not say; what is one of our handles is taken for one. */
enum kernel_argument { UNASKED, UNTOLD, VALUE, MEMORY, SAMPLER };

static void kernel_end(struct cwi_handle *handle)
{
  struct cwi_cl_kernel *kernel = (struct cwi_cl_kernel *)handle;
  cwi_handle_let_go(&kernel->program->handle);
  free(kernel->arguments);
  cwi_learnt_end(&kernel->learnt);
}

static struct cwi_objects kernel_objects = CWI_OBJECTS(struct cwi_cl_kernel);
const struct cwi_kind cwi_kind_kernel = {&kernel_objects, CWI_KERNEL, CL_INVALID_KERNEL, NULL,
                                         kernel_end};

/* NULL: no memory, and the executor's object is dropped. */
static struct cwi_cl_kernel *kernel_new(struct cwi_cl_program *program, void *object)
{
  cl_uint count = 0;
  struct cwi_cl_kernel *kernel = cwi_handle_new(&cwi_kind_kernel, object);
  if (kernel == NULL) {
    cwi_executor_drop(CWI_KERNEL, object);
    return NULL;
  }
  cwi_handle_hold(&program->handle);
  kernel->program = program;
  kernel->context = program->context;
  const struct cwi_native_question question = {
      .about = CWI_ABOUT_KERNEL, .object = object, .what = CL_KERNEL_NUM_ARGS};
  if (cwi_executor_ask(&question, sizeof count, &count, NULL) == CL_SUCCESS)
    kernel->argument_count = count;
  kernel->arguments = calloc(kernel->argument_count + 1, sizeof *kernel->arguments);
  if (kernel->arguments != NULL)
    return kernel;
  cwi_handle_let_go(&kernel->handle);
  return NULL;
}

cl_kernel cwi_clCreateKernel(cl_program in, const char *name, cl_int *errcode_ret)
{
  struct cwi_cl_program *program = cwi_program_find(in);
  struct cwi_cl_kernel *kernel = NULL;
  void *object = NULL;
  cl_int code = program == NULL ? CL_INVALID_PROGRAM : name == NULL ? CL_INVALID_VALUE : CL_SUCCESS;
  if (code == CL_SUCCESS)
    code = cwi_executor_make(
        &(struct cwi_making){.sort = CWI_KERNEL, .parent = program->handle.object, .name = name},
        &object);
  if (code == CL_SUCCESS) {
    kernel = kernel_new(program, object);
    code = kernel != NULL ? CL_SUCCESS : CL_OUT_OF_HOST_MEMORY;
  }
  return cwi_created(kernel, code, errcode_ret);
}

cl_kernel cwi_clCloneKernel(cl_kernel handle, cl_int *errcode_ret)
{
  const struct cwi_cl_kernel *from = cwi_kernel_find(handle);
  struct cwi_cl_kernel *kernel = NULL;
  void *object = NULL;
  cl_int code =
      from != NULL ? cwi_executor_clone_kernel(from->handle.object, &object) : CL_INVALID_KERNEL;
  if (code == CL_SUCCESS) {
    kernel = kernel_new(from->program, object);
    code = kernel != NULL ? CL_SUCCESS : CL_OUT_OF_HOST_MEMORY;
  }
  if (code == CL_SUCCESS)
    memcpy(kernel->arguments, from->arguments, from->argument_count);
  return cwi_created(kernel, code, errcode_ret);
}

/* All of the objects become kernels, or none. */
static cl_int kernel_wrap(struct cwi_cl_program *program, void **objects, cl_uint count,
                          cl_kernel *kernels)
{
  for (cl_uint i = 0; i < count; i++) {
    kernels[i] = (cl_kernel)(void *)kernel_new(program, objects[i]);
    if (kernels[i] != NULL)
      continue;
    for (cl_uint rest = i + 1; rest < count; rest++)
      cwi_executor_drop(CWI_KERNEL, objects[rest]);
    while (i > 0)
      cwi_handle_release(&cwi_kind_kernel, kernels[--i]);
    return CL_OUT_OF_HOST_MEMORY;
  }
  return CL_SUCCESS;
}

cl_int cwi_clCreateKernelsInProgram(cl_program in, cl_uint most, cl_kernel *kernels, cl_uint *count)
{
  struct cwi_cl_program *program = cwi_program_find(in);
  cl_uint total = 0;
  if (program == NULL)
    return CL_INVALID_PROGRAM;
  cl_int code = cwi_executor_make_kernels(program->handle.object, 0, NULL, &total);
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
  code = cwi_executor_make_kernels(program->handle.object, total, objects, NULL);
  if (code == CL_SUCCESS)
    code = kernel_wrap(program, objects, total, kernels);
  free(objects);
  return code;
}

static enum kernel_argument kernel_ask_argument(struct cwi_cl_kernel *kernel, cl_uint index)
{
  const struct cwi_learnt_fact *fact = NULL;
  struct cwi_native_question question = {.about = CWI_ABOUT_ARGUMENT,
                                         .object = kernel->handle.object,
                                         .index = index,
                                         .what = CL_KERNEL_ARG_ADDRESS_QUALIFIER};
  if (cwi_learn(&kernel->learnt, &question, &fact) != CL_SUCCESS)
    return UNTOLD;
  const cl_kernel_arg_address_qualifier place =
      *(const cl_kernel_arg_address_qualifier *)(const void *)fact->value;
  if (place == CL_KERNEL_ARG_ADDRESS_GLOBAL || place == CL_KERNEL_ARG_ADDRESS_CONSTANT)
    return MEMORY;
  question.what = CL_KERNEL_ARG_TYPE_NAME;
  if (cwi_learn(&kernel->learnt, &question, &fact) != CL_SUCCESS)
    return UNTOLD;
  const char *type = (const char *)fact->value;
  if (cwi_type_is_image(type))
    return MEMORY; /* some vendors call it private */
  return strcmp(type, "sampler_t") == 0 ? SAMPLER : VALUE;
}

/* The memory or sampler that an argument is: its handle and context. NULL: it is none. */
static const struct cwi_handle *kernel_recognise(enum kernel_argument argument, const void *handle,
                                                 const struct cwi_cl_context **context)
{
  const struct cwi_cl_memory *memory =
      argument != SAMPLER ? cwi_handle_find(&cwi_kind_memory, handle) : NULL;
  const struct cwi_cl_sampler *sampler =
      argument != MEMORY && memory == NULL ? cwi_handle_find(&cwi_kind_sampler, handle) : NULL;
  if (memory == NULL && sampler == NULL)
    return NULL;
  *context = memory != NULL ? memory->context : sampler->context;
  return memory != NULL ? &memory->handle : &sampler->handle;
}

cl_int cwi_clSetKernelArg(cl_kernel handle, cl_uint index, size_t size, const void *value)
{
  struct cwi_cl_kernel *kernel = cwi_kernel_find(handle);
  if (kernel == NULL)
    return CL_INVALID_KERNEL;
  if (index >= kernel->argument_count)
    return CL_INVALID_ARG_INDEX;
  enum kernel_argument argument = kernel->arguments[index];
  if (argument == UNASKED)
    kernel->arguments[index] = argument = kernel_ask_argument(kernel, index);
  if (argument == VALUE || value == NULL || size != sizeof(void *))
    return cwi_executor_set_argument(kernel->handle.object, index, size, value);
  const void *given = *(void *const *)value;
  const struct cwi_cl_context *context = NULL;
  const struct cwi_handle *found = kernel_recognise(argument, given, &context);
  const void *object = found != NULL ? found->object : NULL;
  if (found != NULL && !cwi_contexts_meet(kernel->context, context))
    return found->kind->invalid;
  if (found == NULL && argument == SAMPLER)
    return CL_INVALID_SAMPLER;
  if (found == NULL && argument == MEMORY && given != NULL)
    return CL_INVALID_MEM_OBJECT;
  if (found == NULL && argument == UNTOLD)
    object = given;
  return cwi_executor_set_argument(kernel->handle.object, index, size, &object);
}

cl_int cwi_clGetKernelInfo(cl_kernel kernel, cl_kernel_info what, size_t size, void *value,
                           size_t *size_ret)
{
  static const struct cwi_query_row rows[] = {
      CWI_ANSWER_KEPT(CL_KERNEL_FUNCTION_NAME, cwi_cl_kernel),
      CWI_ANSWER_FIELD(CL_KERNEL_NUM_ARGS, cwi_cl_kernel, argument_count),
      CWI_ANSWER_COUNT(CL_KERNEL_REFERENCE_COUNT),
      CWI_ANSWER_FIELD(CL_KERNEL_CONTEXT, cwi_cl_kernel, context),
      CWI_ANSWER_FIELD(CL_KERNEL_PROGRAM, cwi_cl_kernel, program),
      CWI_ANSWER_KEPT(CL_KERNEL_ATTRIBUTES, cwi_cl_kernel),
  };
  static const struct cwi_query_table answers = {&cwi_kind_kernel, CWI_ABOUT_KERNEL,
                                                 sizeof rows / sizeof *rows, rows};
  return cwi_query_answer(&answers, kernel, what, &(struct cwi_asker){size, value, size_ret});
}

cl_int cwi_clGetKernelWorkGroupInfo(cl_kernel handle, cl_device_id on,
                                    cl_kernel_work_group_info what, size_t size, void *value,
                                    size_t *size_ret)
{
  struct cwi_cl_kernel *kernel = cwi_kernel_find(handle);
  const struct cwi_cl_device *device = cwi_device_find(on);
  if (kernel == NULL)
    return CL_INVALID_KERNEL;
  if (device != NULL ? !cwi_context_has(kernel->context, device)
                     : on != NULL || kernel->program->device_count != 1)
    return CL_INVALID_DEVICE;
  const struct cwi_native_question question = {CWI_ABOUT_WORK_GROUP, kernel->handle.object,
                                               device != NULL ? device->handle.object : NULL, 0,
                                               what};
  /* How much memory it needs depends on its arguments. */
  const bool changes = what == CL_KERNEL_LOCAL_MEM_SIZE || what == CL_KERNEL_PRIVATE_MEM_SIZE;
  return changes ? cwi_executor_ask(&question, size, value, size_ret)
                 : cwi_query_learn(&kernel->learnt, &question,
                                   &(struct cwi_asker){size, value, size_ret});
}

cl_int cwi_clGetKernelArgInfo(cl_kernel handle, cl_uint index, cl_kernel_arg_info what, size_t size,
                              void *value, size_t *size_ret)
{
  struct cwi_cl_kernel *kernel = cwi_kernel_find(handle);
  if (kernel == NULL)
    return CL_INVALID_KERNEL;
  if (index >= kernel->argument_count)
    return CL_INVALID_ARG_INDEX;
  if (kernel->program->hides_arguments)
    return CL_KERNEL_ARG_INFO_NOT_AVAILABLE;
  return cwi_query_learn(
      &kernel->learnt,
      &(struct cwi_native_question){CWI_ABOUT_ARGUMENT, kernel->handle.object, NULL, index, what},
      &(struct cwi_asker){size, value, size_ret});
}
