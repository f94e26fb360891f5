/* Builds programs, and answers queries about builds. A build has ended when the call returns;
 * the program's callback, if any, is called before that. */
#include "client/client_entries.h"
#include "client/client_program.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Added to the options of the program, so that the client can query which arguments of kernels
 * are handles. */
static const char addition[] = " -cl-kernel-arg-info";

typedef void(CL_CALLBACK *build_notice)(cl_program, void *);

/* Calls the program's callback, if any, and returns the result of the call. A callback is made
 * only if the build was executed, successfully or not; the callback queries the status. */
static cl_int build_notify(cl_int code, cl_program program, build_notice notice, void *data)
{
  if (notice == NULL)
    return code;
  if (code != CL_SUCCESS && code != CL_BUILD_PROGRAM_FAILURE &&
      code != CL_COMPILE_PROGRAM_FAILURE && code != CL_LINK_PROGRAM_FAILURE)
    return code;
  notice(program, data);
  return code;
}

/* Builds with the additional option, or without it if the vendor rejects the options. */
static cl_int build_with_arguments(struct vocl_building *building)
{
  const char *given = building->options != NULL ? building->options : "";
  const size_t size = strlen(given) + sizeof addition;
  char *options = malloc(size);
  if (options == NULL)
    return CL_OUT_OF_HOST_MEMORY;
  snprintf(options, size, "%s%s", given, *given == '\0' ? addition + 1 : addition);
  building->options = options;
  cl_int code = vocl_executor_build(building);
  building->options = given;
  free(options);
  if (code == CL_INVALID_BUILD_OPTIONS || code == CL_INVALID_COMPILER_OPTIONS)
    code = vocl_executor_build(building);
  return code;
}

/* Looks up the programs that are inputs of a build. */
static cl_int build_inputs(struct vocl_handle_list *list, const struct vocl_cl_context *context,
                           cl_uint count, const cl_program *programs)
{
  for (cl_uint i = 0; i < count; i++) {
    const struct vocl_cl_program *program = vocl_program_find(programs[i]);
    if (program == NULL || !vocl_contexts_match(context, program->context))
      return CL_INVALID_PROGRAM;
  }
  return vocl_handle_list_begin(list, &vocl_kind_program, count, programs);
}

/* Builds or compiles for these devices, or for all devices of the program if `count` is 0. */
static cl_int build_for(struct vocl_cl_program *program, cl_uint count, const cl_device_id *devices,
                        struct vocl_building *building)
{
  struct vocl_handle_list list;
  cl_int code = vocl_program_devices(&list, program->context, count, devices);
  if (code != CL_SUCCESS)
    return code;
  building->program = program->handle.object;
  building->device_count = count;
  building->devices = count > 0 ? list.objects : NULL;
  program->hides_arguments =
      building->options == NULL || strstr(building->options, addition + 1) == NULL;
  vocl_fact_cache_invalidate(&program->cache);
  code = build_with_arguments(building);
  vocl_fact_cache_invalidate(&program->cache);
  vocl_handle_list_end(&list);
  return code;
}

cl_int vocl_clBuildProgram(cl_program handle, cl_uint count, const cl_device_id *devices,
                           const char *options, build_notice notice, void *data)
{
  struct vocl_cl_program *program = vocl_program_find(handle);
  if (program == NULL)
    return CL_INVALID_PROGRAM;
  if (notice == NULL && data != NULL)
    return CL_INVALID_VALUE;
  struct vocl_building building = {.step = VOCL_BUILD, .options = options};
  return build_notify(build_for(program, count, devices, &building), handle, notice, data);
}

cl_int vocl_clCompileProgram(cl_program handle, cl_uint count, const cl_device_id *devices,
                             const char *options, cl_uint header_count, const cl_program *headers,
                             const char **names, build_notice notice, void *data)
{
  struct vocl_cl_program *program = vocl_program_find(handle);
  struct vocl_handle_list list;
  if (program == NULL)
    return CL_INVALID_PROGRAM;
  if ((header_count == 0) != (headers == NULL) || (header_count == 0) != (names == NULL) ||
      (notice == NULL && data != NULL))
    return CL_INVALID_VALUE;
  cl_int code = build_inputs(&list, program->context, header_count, headers);
  if (code != CL_SUCCESS)
    return code;
  struct vocl_building building = {.step = VOCL_COMPILE,
                                   .options = options,
                                   .program_count = header_count,
                                   .programs = header_count > 0 ? list.objects : NULL,
                                   .names = names};
  code = build_for(program, count, devices, &building);
  vocl_handle_list_end(&list);
  return build_notify(code, handle, notice, data);
}

/* Links programs. If the executor has made a program, sets *program even after a failed link,
 * because the program has a log. */
static cl_int build_link(struct vocl_cl_context *context, cl_uint count,
                         const cl_device_id *devices, struct vocl_building *building,
                         struct vocl_cl_program **program)
{
  struct vocl_handle_list list;
  void *object = NULL;
  cl_int code = vocl_program_devices(&list, context, count, devices);
  if (code != CL_SUCCESS)
    return code;
  building->program = context->handle.object;
  building->device_count = count;
  building->devices = count > 0 ? list.objects : NULL;
  building->linked = &object;
  code = vocl_executor_build(building);
  building->linked = NULL;
  vocl_handle_list_end(&list);
  *program = object != NULL ? vocl_program_new(context, object) : NULL;
  return object != NULL && *program == NULL ? CL_OUT_OF_HOST_MEMORY : code;
}

cl_program vocl_clLinkProgram(cl_context in, cl_uint count, const cl_device_id *devices,
                              const char *options, cl_uint input_count, const cl_program *inputs,
                              build_notice notice, void *data, cl_int *errcode_ret)
{
  struct vocl_cl_context *context = vocl_context_find(in);
  struct vocl_cl_program *program = NULL;
  struct vocl_handle_list list;
  cl_int code = context == NULL ? CL_INVALID_CONTEXT
                : input_count == 0 || inputs == NULL || (notice == NULL && data != NULL)
                    ? CL_INVALID_VALUE
                    : build_inputs(&list, context, input_count, inputs);
  if (code == CL_SUCCESS) {
    struct vocl_building building = {.step = VOCL_LINK,
                                     .options = options,
                                     .program_count = input_count,
                                     .programs = list.objects};
    code = build_link(context, count, devices, &building, &program);
    vocl_handle_list_end(&list);
    for (cl_uint i = 0; program != NULL && i < input_count; i++)
      program->hides_arguments |= vocl_program_find(inputs[i])->hides_arguments;
    code = build_notify(code, (cl_program)(void *)program, notice, data);
  }
  if (errcode_ret != NULL)
    *errcode_ret = code;
  return (cl_program)(void *)program;
}

/* Returns the options of the last build as the program gave them, without the addition. */
static cl_int build_options(struct vocl_fact_cache *cache, const struct vocl_query *query,
                            const struct vocl_query_result *result)
{
  const struct vocl_cached_fact *fact = NULL;
  cl_int code = vocl_fact_cache_get(cache, query, &fact);
  if (code != CL_SUCCESS)
    return code;
  char *options = strndup((const char *)fact->value, fact->size);
  if (options == NULL)
    return CL_OUT_OF_HOST_MEMORY;
  const size_t length = strlen(options), added = sizeof addition - 1;
  if (strcmp(options, addition + 1) == 0)
    options[0] = '\0';
  else if (length >= added && strcmp(options + length - added, addition) == 0)
    options[length - added] = '\0';
  code = vocl_query_result_set(result, options, strlen(options) + 1);
  free(options);
  return code;
}

cl_int vocl_clGetProgramBuildInfo(cl_program handle, cl_device_id on, cl_program_build_info what,
                                  size_t size, void *value, size_t *size_ret)
{
  struct vocl_cl_program *program = vocl_program_find(handle);
  const struct vocl_cl_device *device = vocl_device_find(on);
  const struct vocl_query_result result = {size, value, size_ret};
  if (program == NULL)
    return CL_INVALID_PROGRAM;
  if (device == NULL || !vocl_context_knows(program->context, device))
    return CL_INVALID_DEVICE;
  const struct vocl_query query = {VOCL_ABOUT_BUILD, program->handle.object, device->handle.object,
                                   0, what};
  if (what == CL_PROGRAM_BUILD_OPTIONS)
    return build_options(&program->cache, &query, &result);
  return vocl_query_cached(&program->cache, &query, &result);
}
