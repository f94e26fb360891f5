/* Programs: made of sources, binaries or names, and asked about. */
#include "client/program.h"

#include "client/entries.h"

#include <stdlib.h>

static void program_end(struct cwi_handle *handle)
{
  struct cwi_cl_program *program = (struct cwi_cl_program *)handle;
  cwi_handle_let_go(&program->context->handle);
  free(program->devices.bytes);
  cwi_learnt_end(&program->learnt);
}

static struct cwi_objects program_objects = CWI_OBJECTS(struct cwi_cl_program);
const struct cwi_kind cwi_kind_program = {&program_objects, CWI_SOURCE_PROGRAM, CL_INVALID_PROGRAM,
                                          NULL, program_end};

/* Returns the device, or the one that it is a part of, that is the executor's `object`: some
 * vendors list that in place of its parts. NULL if there is none. */
static struct cwi_cl_device *device_of(cl_device_id candidate, const void *object)
{
  struct cwi_cl_device *device = (struct cwi_cl_device *)(void *)candidate;
  while (device != NULL && device->handle.object != object)
    device = device->parent;
  return device;
}

/* The executor knows which devices a program has, and in which order. */
static bool program_learn(struct cwi_cl_program *program)
{
  const cl_device_id *candidates = program->context->devices.bytes;
  cl_device_id theirs[64];
  size_t size = 0;
  if (!cwi_blob_copy(&program->devices, candidates, program->context->devices.size))
    return false;
  program->device_count = program->context->device_count;
  if (cwi_executor_ask(&(struct cwi_native_question){.about = CWI_ABOUT_PROGRAM,
                                                     .object = program->handle.object,
                                                     .what = CL_PROGRAM_DEVICES},
                       sizeof theirs, theirs, &size) != CL_SUCCESS)
    return true;
  cl_device_id *ours = program->devices.bytes;
  cl_uint known = 0;
  for (size_t i = 0; i < size / sizeof *theirs; i++)
    for (cl_uint j = 0; j < program->context->device_count && known <= i; j++) {
      struct cwi_cl_device *device = device_of(candidates[j], theirs[i]);
      if (device != NULL)
        ours[known++] = (cl_device_id)(void *)device;
    }
  program->device_count = known;
  program->devices.size = known * sizeof *ours;
  return true;
}

struct cwi_cl_program *cwi_program_new(struct cwi_cl_context *context, void *object)
{
  struct cwi_cl_program *program = cwi_handle_new(&cwi_kind_program, object);
  if (program == NULL) {
    cwi_executor_drop(CWI_SOURCE_PROGRAM, object);
    return NULL;
  }
  cwi_handle_hold(&context->handle);
  program->context = context;
  if (program_learn(program))
    return program;
  cwi_handle_let_go(&program->handle);
  return NULL;
}

cl_int cwi_program_devices(struct cwi_list *list, const struct cwi_cl_context *context,
                           cl_uint count, const cl_device_id *devices)
{
  if ((count == 0) != (devices == NULL))
    return CL_INVALID_VALUE;
  for (cl_uint i = 0; i < count; i++) {
    const struct cwi_cl_device *device = cwi_device_find(devices[i]);
    if (device == NULL || !cwi_context_knows(context, device))
      return CL_INVALID_DEVICE;
  }
  return cwi_list_begin(list, &cwi_kind_device, count, devices);
}

static cl_int program_make(struct cwi_cl_context *context, struct cwi_making *making,
                           struct cwi_cl_program **program)
{
  void *object = NULL;
  making->parent = context->handle.object;
  const cl_int code = cwi_executor_make(making, &object);
  if (code != CL_SUCCESS)
    return code;
  *program = cwi_program_new(context, object);
  return *program != NULL ? CL_SUCCESS : CL_OUT_OF_HOST_MEMORY;
}

/* For some devices of the context. */
static cl_int program_make_for(cl_context in, cl_uint count, const cl_device_id *devices,
                               struct cwi_making *making, struct cwi_cl_program **program)
{
  struct cwi_cl_context *context = cwi_context_find(in);
  struct cwi_list list;
  if (context == NULL)
    return CL_INVALID_CONTEXT;
  if (count == 0)
    return CL_INVALID_VALUE;
  cl_int code = cwi_program_devices(&list, context, count, devices);
  if (code != CL_SUCCESS)
    return code;
  making->device_count = count;
  making->devices = list.objects;
  code = program_make(context, making, program);
  cwi_list_end(&list);
  return code;
}

cl_program cwi_clCreateProgramWithSource(cl_context in, cl_uint count, const char **strings,
                                         const size_t *lengths, cl_int *errcode_ret)
{
  struct cwi_cl_context *context = cwi_context_find(in);
  struct cwi_cl_program *program = NULL;
  struct cwi_making making = {.sort = CWI_SOURCE_PROGRAM,
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
  return cwi_created(program, code, errcode_ret);
}

cl_program cwi_clCreateProgramWithBinary(cl_context context, cl_uint count,
                                         const cl_device_id *devices, const size_t *lengths,
                                         const unsigned char **binaries, cl_int *statuses,
                                         cl_int *errcode_ret)
{
  struct cwi_cl_program *program = NULL;
  struct cwi_making making = {.sort = CWI_BINARY_PROGRAM,
                              .strings = (const void *const *)binaries,
                              .lengths = lengths,
                              .statuses = statuses};
  const cl_int code = cwi_context_find(context) == NULL ? CL_INVALID_CONTEXT
                      : lengths == NULL || binaries == NULL
                          ? CL_INVALID_VALUE
                          : program_make_for(context, count, devices, &making, &program);
  return cwi_created(program, code, errcode_ret);
}

cl_program cwi_clCreateProgramWithBuiltInKernels(cl_context context, cl_uint count,
                                                 const cl_device_id *devices, const char *names,
                                                 cl_int *errcode_ret)
{
  struct cwi_cl_program *program = NULL;
  struct cwi_making making = {.sort = CWI_BUILT_IN_PROGRAM, .name = names};
  const cl_int code = cwi_context_find(context) == NULL ? CL_INVALID_CONTEXT
                      : names == NULL
                          ? CL_INVALID_VALUE
                          : program_make_for(context, count, devices, &making, &program);
  return cwi_created(program, code, errcode_ret);
}

cl_int cwi_clGetProgramInfo(cl_program program, cl_program_info what, size_t size, void *value,
                            size_t *size_ret)
{
  static const struct cwi_query_row rows[] = {
      CWI_ANSWER_COUNT(CL_PROGRAM_REFERENCE_COUNT),
      CWI_ANSWER_FIELD(CL_PROGRAM_CONTEXT, cwi_cl_program, context),
      CWI_ANSWER_FIELD(CL_PROGRAM_NUM_DEVICES, cwi_cl_program, device_count),
      CWI_ANSWER_BLOB(CL_PROGRAM_DEVICES, cwi_cl_program, devices),
      CWI_ANSWER_KEPT(CL_PROGRAM_SOURCE, cwi_cl_program),
      CWI_ANSWER_KEPT(CL_PROGRAM_BINARY_SIZES, cwi_cl_program),
      CWI_ANSWER_ASKED(CL_PROGRAM_BINARIES),
      CWI_ANSWER_KEPT(CL_PROGRAM_NUM_KERNELS, cwi_cl_program),
      CWI_ANSWER_KEPT(CL_PROGRAM_KERNEL_NAMES, cwi_cl_program),
      CWI_ANSWER_KEPT(CL_PROGRAM_SCOPE_GLOBAL_CTORS_PRESENT, cwi_cl_program),
      CWI_ANSWER_KEPT(CL_PROGRAM_SCOPE_GLOBAL_DTORS_PRESENT, cwi_cl_program),
  };
  static const struct cwi_query_table answers = {&cwi_kind_program, CWI_ABOUT_PROGRAM,
                                                 sizeof rows / sizeof *rows, rows};
  const struct cwi_asker asker = {size, value, size_ret};
  if (what == CL_PROGRAM_IL && cwi_program_find(program) != NULL)
    return cwi_query_give(&asker, NULL, 0);
  return cwi_query_answer(&answers, program, what, &asker);
}
