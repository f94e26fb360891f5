/* Builds, compiles and links programs. */
#include "executor/executor.h"

static cl_int build_linked(const struct vocl_building *b)
{
  cl_int code = CL_SUCCESS;
  *b->linked =
      vocl_vendor_calls(b->program)
          ->clLinkProgram(b->program, b->device_count, (const cl_device_id *)b->devices, b->options,
                          b->program_count, (const cl_program *)b->programs, NULL, NULL, &code);
  return *b->linked == NULL && code == CL_SUCCESS ? CL_OUT_OF_HOST_MEMORY : code;
}

cl_int vocl_native_build(const struct vocl_building *b)
{
  const cl_icd_dispatch *calls = vocl_vendor_calls(b->program);
  const cl_device_id *devices = (const cl_device_id *)b->devices;
  switch (b->step) {
  case VOCL_BUILD:
    return calls->clBuildProgram(b->program, b->device_count, devices, b->options, NULL, NULL);
  case VOCL_COMPILE:
    return calls->clCompileProgram(b->program, b->device_count, devices, b->options,
                                   b->program_count, (const cl_program *)b->programs, b->names,
                                   NULL, NULL);
  default:
    return build_linked(b);
  }
}
