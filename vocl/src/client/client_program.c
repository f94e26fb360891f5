/* Makes programs from sources, binaries or names, and answers queries about them. */
#include "client/client_program.h"

#include "client/client_entries.h"

#include <stdlib.h>

static void program_end(struct vocl_handle *handle)
{
  struct vocl_cl_program *program = (struct vocl_cl_program *)handle;
  vocl_handle_unref(&program->context->handle);
  free(program->devices.bytes);
  vocl_fact_cache_free(&program->cache);
}

static struct cwi_objects program_objects = CWI_OBJECTS(struct vocl_cl_program);
const struct vocl_kind vocl_kind_program = {&program_objects, VOCL_SOURCE_PROGRAM,
                                            CL_INVALID_PROGRAM, NULL, program_end};

/* Returns the device whose object in the executor is `object`: the candidate, or a device of which
 * it is a sub-device. Some vendors list a device in place of its sub-devices. Returns NULL if
 * neither matches. */
static struct vocl_cl_device *device_of(cl_device_id candidate, const void *object)
{
  struct vocl_cl_device *device = (struct vocl_cl_device *)(void *)candidate;
  while (device != NULL && device->handle.object != object)
    device = device->parent;
  return device;
}

/* Queries the devices of a program and their order from the executor. Returns false if there is
 * no memory. */
static bool program_learn(struct vocl_cl_program *program)
{
  const cl_device_id *candidates = program->context->devices.bytes;
  cl_device_id theirs[64];
  size_t size = 0;
  if (!vocl_blob_copy(&program->devices, candidates, program->context->devices.size))
    return false;
  program->device_count = program->context->device_count;
  if (vocl_executor_query(&(struct vocl_query){.about = VOCL_ABOUT_PROGRAM,
                                               .object = program->handle.object,
                                               .what = CL_PROGRAM_DEVICES},
                          sizeof theirs, theirs, &size) != CL_SUCCESS)
    return true;
  cl_device_id *ours = program->devices.bytes;
  cl_uint known = 0;
  for (size_t i = 0; i < size / sizeof *theirs; i++)
    for (cl_uint j = 0; j < program->context->device_count && known <= i; j++) {
      struct vocl_cl_device *device = device_of(candidates[j], theirs[i]);
      if (device != NULL)
        ours[known++] = (cl_device_id)(void *)device;
    }
  program->device_count = known;
  program->devices.size = known * sizeof *ours;
  return true;
}

struct vocl_cl_program *vocl_program_new(struct vocl_cl_context *context, void *object)
{
  struct vocl_cl_program *program = vocl_handle_new(&vocl_kind_program, object);
  if (program == NULL) {
    vocl_executor_drop(VOCL_SOURCE_PROGRAM, object);
    return NULL;
  }
  vocl_handle_ref(&context->handle);
  program->context = context;
  if (program_learn(program))
    return program;
  vocl_handle_unref(&program->handle);
  return NULL;
}

cl_int vocl_program_devices(struct vocl_handle_list *list, const struct vocl_cl_context *context,
                            cl_uint count, const cl_device_id *devices)
{
  if ((count == 0) != (devices == NULL))
    return CL_INVALID_VALUE;
  for (cl_uint i = 0; i < count; i++) {
    const struct vocl_cl_device *device = vocl_device_find(devices[i]);
    if (device == NULL || !vocl_context_knows(context, device))
      return CL_INVALID_DEVICE;
  }
  return vocl_handle_list_begin(list, &vocl_kind_device, count, devices);
}

static cl_int program_make(struct vocl_cl_context *context, struct vocl_making *making,
                           struct vocl_cl_program **program)
{
  void *object = NULL;
  making->parent = context->handle.object;
  const cl_int code = vocl_executor_make(making, &object);
  if (code != CL_SUCCESS)
    return code;
  *program = vocl_program_new(context, object);
  return *program != NULL ? CL_SUCCESS : CL_OUT_OF_HOST_MEMORY;
}

/* Makes a program for some devices of the context. */
static cl_int program_make_for(cl_context in, cl_uint count, const cl_device_id *devices,
                               struct vocl_making *making, struct vocl_cl_program **program)
{
  struct vocl_cl_context *context = vocl_context_find(in);
  struct vocl_handle_list list;
  if (context == NULL)
    return CL_INVALID_CONTEXT;
  if (count == 0)
    return CL_INVALID_VALUE;
  cl_int code = vocl_program_devices(&list, context, count, devices);
  if (code != CL_SUCCESS)
    return code;
  making->device_count = count;
  making->devices = list.objects;
  code = program_make(context, making, program);
  vocl_handle_list_end(&list);
  return code;
}

cl_program vocl_clCreateProgramWithSource(cl_context in, cl_uint count, const char **strings,
                                          const size_t *lengths, cl_int *errcode_ret)
{
  struct vocl_cl_context *context = vocl_context_find(in);
  struct vocl_cl_program *program = NULL;
  struct vocl_making making = {.sort = VOCL_SOURCE_PROGRAM,
                               .count = count,
                               .strings = (const void *const *)strings,
                               .lengths = lengths};
  cl_int code = context == NULL                 ? CL_INVALID_CONTEXT
                : count == 0 || strings == NULL ? CL_INVALID_VALUE
                                                : CL_SUCCESS;
  for (cl_uint i = 0; code == CL_SUCCESS && i < count; i++)
    code = strings[i] != NULL ? CL_SUCCESS : CL_INVALID_VALUE;
  if (code == CL_SUCCESS)
    code = program_make(context, &making, &program);
  return vocl_return_created(program, code, errcode_ret);
}

cl_program vocl_clCreateProgramWithBinary(cl_context context, cl_uint count,
                                          const cl_device_id *devices, const size_t *lengths,
                                          const unsigned char **binaries, cl_int *statuses,
                                          cl_int *errcode_ret)
{
  struct vocl_cl_program *program = NULL;
  struct vocl_making making = {.sort = VOCL_BINARY_PROGRAM,
                               .strings = (const void *const *)binaries,
                               .lengths = lengths,
                               .statuses = statuses};
  const cl_int code = vocl_context_find(context) == NULL ? CL_INVALID_CONTEXT
                      : lengths == NULL || binaries == NULL
                          ? CL_INVALID_VALUE
                          : program_make_for(context, count, devices, &making, &program);
  return vocl_return_created(program, code, errcode_ret);
}

cl_program vocl_clCreateProgramWithBuiltInKernels(cl_context context, cl_uint count,
                                                  const cl_device_id *devices, const char *names,
                                                  cl_int *errcode_ret)
{
  struct vocl_cl_program *program = NULL;
  struct vocl_making making = {.sort = VOCL_BUILT_IN_PROGRAM, .name = names};
  const cl_int code = vocl_context_find(context) == NULL ? CL_INVALID_CONTEXT
                      : names == NULL
                          ? CL_INVALID_VALUE
                          : program_make_for(context, count, devices, &making, &program);
  return vocl_return_created(program, code, errcode_ret);
}

cl_int vocl_clGetProgramInfo(cl_program program, cl_program_info what, size_t size, void *value,
                             size_t *size_ret)
{
  static const struct vocl_query_row rows[] = {
      VOCL_ANSWER_COUNT(CL_PROGRAM_REFERENCE_COUNT),
      VOCL_ANSWER_FIELD(CL_PROGRAM_CONTEXT, vocl_cl_program, context),
      VOCL_ANSWER_FIELD(CL_PROGRAM_NUM_DEVICES, vocl_cl_program, device_count),
      VOCL_ANSWER_BLOB(CL_PROGRAM_DEVICES, vocl_cl_program, devices),
      VOCL_ANSWER_CACHED(CL_PROGRAM_SOURCE, vocl_cl_program),
      VOCL_ANSWER_CACHED(CL_PROGRAM_BINARY_SIZES, vocl_cl_program),
      VOCL_ANSWER_EXECUTOR(CL_PROGRAM_BINARIES),
      VOCL_ANSWER_CACHED(CL_PROGRAM_NUM_KERNELS, vocl_cl_program),
      VOCL_ANSWER_CACHED(CL_PROGRAM_KERNEL_NAMES, vocl_cl_program),
      VOCL_ANSWER_CACHED(CL_PROGRAM_SCOPE_GLOBAL_CTORS_PRESENT, vocl_cl_program),
      VOCL_ANSWER_CACHED(CL_PROGRAM_SCOPE_GLOBAL_DTORS_PRESENT, vocl_cl_program),
  };
  static const struct vocl_query_table answers = {&vocl_kind_program, VOCL_ABOUT_PROGRAM,
                                                  sizeof rows / sizeof *rows, rows};
  const struct vocl_query_result result = {size, value, size_ret};
  if (what == CL_PROGRAM_IL && vocl_program_find(program) != NULL)
    return vocl_query_result_set(&result, NULL, 0);
  return vocl_query_answer(&answers, program, what, &result);
}
