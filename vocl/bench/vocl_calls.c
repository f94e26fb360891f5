/* Loops over calls of OpenCL, for vocl/bench/vocl_bench.c. */
#include "vocl_bench.h"

#define CL_TARGET_OPENCL_VERSION 300
#define CL_USE_DEPRECATED_OPENCL_1_1_APIS
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include <CL/cl.h>
#include <CL/cl_icd.h>

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { LONG = 64 << 20, IN_A_ROW = 64, TOGETHER = 3 };

static const cl_icd_dispatch *cl;
static cl_device_id device;
static cl_context context;
static cl_command_queue queue;
static cl_kernel kernel;
static cl_mem memory;
static char *host;
static size_t allocated; /* bytes of memory and of host */

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
  __typeof__(clGetExtensionFunctionAddress) *address_of = NULL;
  *(void **)&address_of = dlsym(library, "clGetExtensionFunctionAddress");
  cl_int(CL_API_CALL * platforms)(cl_uint, cl_platform_id *, cl_uint *) = NULL;
  *(void **)&platforms = address_of != NULL ? address_of("clIcdGetPlatformIDsKHR") : NULL;
  cl_platform_id platform = NULL;
  need(platforms != NULL && platforms(1, &platform, NULL) == CL_SUCCESS, "no platform");
  return platform;
}

/* Opens the device of the platform whose number is in BENCH_VOCL_DEVICE, or the first one if that
 * is not set. */
static void open_device(cl_platform_id platform)
{
  enum { MOST = 16 };
  cl_device_id all[MOST];
  cl_uint count = 0;
  const char *number = getenv("BENCH_VOCL_DEVICE");
  const size_t which = number != NULL ? (size_t)atoi(number) : 0;
  const cl_int code = cl->clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, MOST, all, &count);
  need(code == CL_SUCCESS && which < count && which < MOST, "no device");
  device = all[which];
}

/* Allocates `bytes` bytes of the device's and of the host's memory. */
static void allocate(size_t bytes)
{
  cl_int code = CL_SUCCESS;
  if (allocated >= bytes)
    return;
  if (allocated > 0) {
    cl->clReleaseMemObject(memory);
    free(host);
  }
  allocated = bytes;
  memory = cl->clCreateBuffer(context, CL_MEM_READ_WRITE, bytes, NULL, &code);
  need(code == CL_SUCCESS, "no buffer");
  host = malloc(bytes);
  need(host != NULL, "no memory");
  memset(host, 1, bytes);
}

/* Builds a program and creates its kernel. Returns the seconds of the build. */
static double build(const char *text, const char *name)
{
  struct timespec begin, end;
  cl_int code = CL_SUCCESS;
  clock_gettime(CLOCK_MONOTONIC, &begin);
  cl_program program = cl->clCreateProgramWithSource(context, 1, &text, NULL, &code);
  need(cl->clBuildProgram(program, 1, &device, NULL, NULL, NULL) == CL_SUCCESS,
       "it does not build");
  clock_gettime(CLOCK_MONOTONIC, &end);
  kernel = cl->clCreateKernel(program, name, &code);
  need(code == CL_SUCCESS, "no kernel");
  return (double)(end.tv_sec - begin.tv_sec) + 1e-9 * (double)(end.tv_nsec - begin.tv_nsec);
}

static double begin_with(const char *text, const char *name, size_t bytes)
{
  const cl_int number = 7;
  cl_int code = CL_SUCCESS;
  cl_platform_id platform = open_platform();
  cl = *(const cl_icd_dispatch *const *)(const void *)platform;
  open_device(platform);
  context = cl->clCreateContext(NULL, 1, &device, NULL, NULL, &code);
  need(code == CL_SUCCESS, "no context");
  queue = cl->clCreateCommandQueue(context, device, 0, &code);
  need(code == CL_SUCCESS, "no queue");
  allocate(bytes);
  const double took = build(text, name);
  need(cl->clSetKernelArg(kernel, 0, sizeof(cl_mem), &memory) == CL_SUCCESS &&
           cl->clSetKernelArg(kernel, 1, sizeof number, &number) == CL_SUCCESS,
       "wrong arguments");
  return took;
}

void calls_begin(void)
{
  begin_with("kernel void nothing(global int *a, int b) { }", "nothing", LONG);
}

static void check(cl_int code)
{
  need(code == CL_SUCCESS, "a call failed");
}

static void query_device(size_t times, size_t bytes)
{
  cl_uint units = 0;
  (void)bytes;
  while (times-- > 0)
    check(cl->clGetDeviceInfo(device, CL_DEVICE_MAX_COMPUTE_UNITS, sizeof units, &units, NULL));
}

static void query_memory(size_t times, size_t bytes)
{
  size_t size = 0;
  (void)bytes;
  while (times-- > 0)
    check(cl->clGetMemObjectInfo(memory, CL_MEM_SIZE, sizeof size, &size, NULL));
}

static void query_kernel(size_t times, size_t bytes)
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

void calls_move(bool reads, size_t times, size_t bytes)
{
  allocate(bytes);
  (reads ? read_bytes : write_bytes)(times, bytes);
}

static void print_seconds(double seconds)
{
  printf("%.9f\n", seconds);
  fflush(stdout);
}

void calls_hold(size_t bytes)
{
  char unread[64];
  const double took = begin_with(
      "kernel void add(global int *a, int b) { a[get_global_id(0)] += b; }", "add", bytes);
  write_bytes(1, bytes);
  launch_and_finish(1, 0);
  print_seconds(took);
  while (read(STDIN_FILENO, unread, sizeof unread) > 0) {
  }
}

void calls_busy(size_t launches)
{
  struct timespec begin, end;
  begin_with("kernel void spin(global int *a, int b)\n"
             "{ uint x = a[0]; for (int i = 0; i < b * 300000; i++)\n"
             "    x = x * 1664525 + 1013904223 + (x >> 7);\n"
             "  a[0] = x; }",
             "spin", sizeof(cl_int));
  clock_gettime(CLOCK_MONOTONIC, &begin);
  for (size_t i = 0; i < launches; i += TOGETHER) {
    for (int each = 0; each < TOGETHER; each++)
      launch(NULL);
    check(cl->clFinish(queue));
  }
  clock_gettime(CLOCK_MONOTONIC, &end);
  print_seconds((double)(end.tv_sec - begin.tv_sec) + 1e-9 * (double)(end.tv_nsec - begin.tv_nsec));
}

const struct call_case call_cases[] = {
    {"query of a device", 1, 0, 0, query_device},
    {"query of a buffer", 1, 0, 0, query_memory},
    {"query of a kernel", 1, 0, 0, query_kernel},
    {"create, release a buffer", 2, 0, 0, create_buffer},
    {"set an argument: buffer", 1, 0, 0, set_memory},
    {"set an argument: number", 1, 0, 0, set_number},
    {"user event: create, set, release", 3, 0, 0, user_event},
    {"empty kernel, finish", 2, 1, 0, launch_and_finish},
    {"empty kernel, wait, release event", 3, 1, 0, launch_and_wait},
    {"64 empty kernels, finish", IN_A_ROW + 1, 1, 0, launch_in_a_row},
    {"write", 1, 0, 8, write_bytes},
    {"read", 1, 1, 8, read_bytes},
    {"write", 1, 0, 64 << 10, write_bytes},
    {"read", 1, 1, 64 << 10, read_bytes},
    {"write", 1, 0, LONG, write_bytes},
    {"read", 1, 1, LONG, read_bytes},
};
const size_t call_case_count = sizeof call_cases / sizeof *call_cases;
