/* Loops over calls of OpenCL, for bench/vocl.c. */
#include "vocl.h"

#define CL_TARGET_OPENCL_VERSION 300
#define CL_USE_DEPRECATED_OPENCL_1_1_APIS
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include <CL/cl.h>
#include <CL/cl_icd.h>

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LONGEST = 64 << 20, IN_A_ROW = 64 };

static const cl_icd_dispatch *cl;
static cl_device_id device;
static cl_context context;
static cl_command_queue queue;
static cl_kernel kernel;
static cl_mem memory;
static char *host;

static void need(bool is_there, const char *what)
{
  if (is_there)
    return;
  fprintf(stderr, "vocl: %s: %s\n", getenv("OCL_ICD_VENDORS"), what);
  exit(1);
}

static cl_platform_id open_platform(void)
{
  const char *name = getenv("OCL_ICD_VENDORS");
  void *library = name != NULL ? dlopen(name, RTLD_LAZY | RTLD_LOCAL) : NULL;
  need(library != NULL, "no library");
  cl_api_clGetExtensionFunctionAddress address_of = NULL;
  *(void **)&address_of = dlsym(library, "clGetExtensionFunctionAddress");
  cl_int(CL_API_CALL * platforms)(cl_uint, cl_platform_id *, cl_uint *) = NULL;
  *(void **)&platforms = address_of != NULL ? address_of("clIcdGetPlatformIDsKHR") : NULL;
  cl_platform_id platform = NULL;
  need(platforms != NULL && platforms(1, &platform, NULL) == CL_SUCCESS, "no platform");
  return platform;
}

void calls_begin(void)
{
  static const char *text = "kernel void nothing(global int *a, int b) { }";
  const cl_int number = 7;
  cl_int code = CL_SUCCESS;
  cl_platform_id platform = open_platform();
  cl = *(const cl_icd_dispatch *const *)(const void *)platform;
  code = cl->clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL);
  need(code == CL_SUCCESS, "no device");
  context = cl->clCreateContext(NULL, 1, &device, NULL, NULL, &code);
  need(code == CL_SUCCESS, "no context");
  queue = cl->clCreateCommandQueue(context, device, 0, &code);
  need(code == CL_SUCCESS, "no queue");
  memory = cl->clCreateBuffer(context, CL_MEM_READ_WRITE, LONGEST, NULL, &code);
  need(code == CL_SUCCESS, "no buffer");
  cl_program program = cl->clCreateProgramWithSource(context, 1, &text, NULL, &code);
  need(cl->clBuildProgram(program, 1, &device, NULL, NULL, NULL) == CL_SUCCESS,
       "it does not build");
  kernel = cl->clCreateKernel(program, "nothing", &code);
  need(code == CL_SUCCESS, "no kernel");
  need(cl->clSetKernelArg(kernel, 0, sizeof(cl_mem), &memory) == CL_SUCCESS &&
           cl->clSetKernelArg(kernel, 1, sizeof number, &number) == CL_SUCCESS,
       "wrong arguments");
  host = malloc(LONGEST);
  need(host != NULL, "no memory");
  memset(host, 1, LONGEST);
}

static void check(cl_int code)
{
  need(code == CL_SUCCESS, "a call failed");
}

static void ask_device(size_t times, size_t bytes)
{
  cl_uint units = 0;
  (void)bytes;
  while (times-- > 0)
    check(cl->clGetDeviceInfo(device, CL_DEVICE_MAX_COMPUTE_UNITS, sizeof units, &units, NULL));
}

static void ask_memory(size_t times, size_t bytes)
{
  size_t size = 0;
  (void)bytes;
  while (times-- > 0)
    check(cl->clGetMemObjectInfo(memory, CL_MEM_SIZE, sizeof size, &size, NULL));
}

static void ask_kernel(size_t times, size_t bytes)
{
  size_t size = 0;
  (void)bytes;
  while (times-- > 0)
    check(cl->clGetKernelWorkGroupInfo(kernel, device, CL_KERNEL_WORK_GROUP_SIZE, sizeof size,
                                       &size, NULL));
}

static void create_buffer(size_t times, size_t bytes)
{
  cl_int code = CL_SUCCESS;
  (void)bytes;
  while (times-- > 0) {
    cl_mem made = cl->clCreateBuffer(context, CL_MEM_READ_WRITE, 64, NULL, &code);
    check(code);
    check(cl->clReleaseMemObject(made));
  }
}

static void set_memory(size_t times, size_t bytes)
{
  (void)bytes;
  while (times-- > 0)
    check(cl->clSetKernelArg(kernel, 0, sizeof(cl_mem), &memory));
}

static void set_number(size_t times, size_t bytes)
{
  const cl_int number = 7;
  (void)bytes;
  while (times-- > 0)
    check(cl->clSetKernelArg(kernel, 1, sizeof number, &number));
}

static void user_event(size_t times, size_t bytes)
{
  cl_int code = CL_SUCCESS;
  (void)bytes;
  while (times-- > 0) {
    cl_event event = cl->clCreateUserEvent(context, &code);
    check(code);
    check(cl->clSetUserEventStatus(event, CL_COMPLETE));
    check(cl->clReleaseEvent(event));
  }
}

static void launch(cl_event *event)
{
  const size_t items = 1;
  check(cl->clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &items, NULL, 0, NULL, event));
}

static void launch_and_finish(size_t times, size_t bytes)
{
  (void)bytes;
  while (times-- > 0) {
    launch(NULL);
    check(cl->clFinish(queue));
  }
}

static void launch_and_wait(size_t times, size_t bytes)
{
  cl_event event = NULL;
  (void)bytes;
  while (times-- > 0) {
    launch(&event);
    check(cl->clWaitForEvents(1, &event));
    check(cl->clReleaseEvent(event));
  }
}

static void launch_in_a_row(size_t times, size_t bytes)
{
  (void)bytes;
  while (times-- > 0) {
    for (int i = 0; i < IN_A_ROW; i++)
      launch(NULL);
    check(cl->clFinish(queue));
  }
}

static void write_bytes(size_t times, size_t bytes)
{
  while (times-- > 0)
    check(cl->clEnqueueWriteBuffer(queue, memory, CL_TRUE, 0, bytes, host, 0, NULL, NULL));
}

static void read_bytes(size_t times, size_t bytes)
{
  while (times-- > 0)
    check(cl->clEnqueueReadBuffer(queue, memory, CL_TRUE, 0, bytes, host, 0, NULL, NULL));
}

const struct call_case call_cases[] = {
    {"query of a device", 1, 0, ask_device},
    {"query of a buffer", 1, 0, ask_memory},
    {"query of a kernel", 1, 0, ask_kernel},
    {"create, release a buffer", 2, 0, create_buffer},
    {"set an argument: buffer", 1, 0, set_memory},
    {"set an argument: number", 1, 0, set_number},
    {"user event: create, set, release", 3, 0, user_event},
    {"empty kernel, finish", 2, 0, launch_and_finish},
    {"empty kernel, wait, release event", 3, 0, launch_and_wait},
    {"64 empty kernels, finish", IN_A_ROW + 1, 0, launch_in_a_row},
    {"write", 1, 8, write_bytes},
    {"read", 1, 8, read_bytes},
    {"write", 1, 64 << 10, write_bytes},
    {"read", 1, 64 << 10, read_bytes},
    {"write", 1, LONGEST, write_bytes},
    {"read", 1, LONGEST, read_bytes},
};
const size_t call_case_count = sizeof call_cases / sizeof *call_cases;
