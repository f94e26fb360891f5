#include "vocl.h"

#include "test_proxy.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

const cl_icd_dispatch *cl;
cl_platform_id platform;
cl_device_id device;
cl_context context;
cl_command_queue queue;

static _Noreturn void give_up(const char *what, const char *why)
{
  fprintf(stderr, "vocl: %s: %s\n", what, why);
  exit(KIT_FAIL);
}

void vocl_open(const char *name)
{
  void *library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
  if (library == NULL)
    give_up(name, dlerror());
  VOCL_CALL(clGetExtensionFunctionAddress) address_of = NULL;
  *(void **)&address_of = dlsym(library, "clGetExtensionFunctionAddress");
  cl_int(CL_API_CALL * platforms)(cl_uint, cl_platform_id *, cl_uint *) = NULL;
  *(void **)&platforms = address_of("clIcdGetPlatformIDsKHR");
  if (platforms == NULL || platforms(1, &platform, NULL) != CL_SUCCESS)
    give_up(name, "it has no platform");
  cl = vocl_vendor_calls(platform);
}

void vocl_start(int *argc, char ***argv, const char *program)
{
  const char *vendors = getenv("OCL_ICD_VENDORS");
  if (*argc < 2 || vendors == NULL)
    give_up(program, "usage: program libcw-vocl.so, with OCL_ICD_VENDORS");
  setenv("CW_VOCL_VENDORS", vendors, 0);
  const char *library = (*argv)[1];
  if (getenv("VOCL_REMOTE") != NULL)
    vocl_double_start();
  kit_start(argc, argv, program);
  vocl_open(library);
  cl_int code = cl->clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL);
  if (code != CL_SUCCESS)
    give_up("clGetDeviceIDs", "no device");
  context = cl->clCreateContext(NULL, 1, &device, NULL, NULL, &code);
  check_code(code, CL_SUCCESS, "clCreateContext");
  queue = cl->clCreateCommandQueue(context, device, CL_QUEUE_PROFILING_ENABLE, &code);
  if (!check_code(code, CL_SUCCESS, "clCreateCommandQueue"))
    give_up("clCreateCommandQueue", "no queue");
}

int vocl_finish(void)
{
  check_code(cl->clReleaseCommandQueue(queue), CL_SUCCESS, "clReleaseCommandQueue");
  check_code(cl->clReleaseContext(context), CL_SUCCESS, "clReleaseContext");
  return kit_finish();
}

bool check_code(cl_int got, cl_int want, const char *what)
{
  return kit_check(got == want, "%s gives %d, not %d", what, got, want);
}

void must(bool passed, const char *format, ...)
{
  va_list rest;
  if (passed)
    return;
  va_start(rest, format);
  fprintf(stderr, "%s: FAILED: ", program_invocation_short_name);
  vfprintf(stderr, format, rest);
  fprintf(stderr, "\n");
  va_end(rest);
  exit(KIT_FAIL);
}

void must_be(cl_int got, cl_int want, const char *what)
{
  must(got == want, "%s gives %d, not %d", what, got, want);
}

void vocl_choose(unsigned long number)
{
  cl_device_id devices[64];
  cl_uint count = 0;
  must_be(cl->clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 64, devices, &count), CL_SUCCESS,
          "clGetDeviceIDs");
  must(number < count, "there is no device %lu of %u", number, count);
  device = devices[number];
}

cl_program vocl_build(const char *text)
{
  cl_int code = CL_SUCCESS;
  cl_program program = cl->clCreateProgramWithSource(context, 1, &text, NULL, &code);
  if (code != CL_SUCCESS || cl->clBuildProgram(program, 0, NULL, "", NULL, NULL) != CL_SUCCESS)
    give_up("clBuildProgram", text);
  return program;
}
