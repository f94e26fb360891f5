/* Two vendors at once, and one whose library cannot be opened: the devices of both are there, in
 * the order of the setting; contexts of each work side by side; an object of one vendor is rejected
 * in a call for the other, before a vendor sees it. Usage: vocl_vendors LIBRARY FIRST SECOND. */
#include "vocl.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { VENDORS = 2, N = 64 };

/* Options of ASan, which calls this function: do not report that Oclgrind deletes images as objects
 * of another type. */
const char *__asan_default_options(void); /* NOLINT(bugprone-reserved-identifier): ASan's name */
const char *__asan_default_options(void)  /* NOLINT(bugprone-reserved-identifier) */
{
  return "new_delete_type_mismatch=0";
}

static const char *text = "kernel void add(global int *a, int by, global int *b)\n"
                          "{ size_t i = get_global_id(0); a[i] += by; b[i] = a[i]; }\n"
                          "kernel void sample(read_only image2d_t a, sampler_t s, global int *b)\n"
                          "{ b[0] = read_imagei(a, s, (int2)(0, 0)).x; }\n";

/* Objects of each vendor. */
static struct all {
  cl_device_id device;
  cl_context context;
  cl_command_queue queue;
  cl_mem from, to, image;
  cl_sampler sampler;
  cl_program program;
  cl_kernel kernel;
  cl_event event;
  int rounds; /* number of runs of the kernel */
} all[VENDORS];

/* Returns the messages that the library prints while it finds devices; the caller frees them. */
static char *find_devices(cl_uint most, cl_device_id *devices, cl_uint *count)
{
  char name[] = "/tmp/vocl_vendors.XXXXXX";
  const int file = mkostemp(name, O_CLOEXEC), before = dup(STDERR_FILENO);
  char *messages = calloc(1, 8192);
  unlink(name);
  fflush(stderr);
  dup2(file, STDERR_FILENO);
  const cl_int code = cl->clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, most, devices, count);
  fflush(stderr);
  dup2(before, STDERR_FILENO);
  check_code(code, CL_SUCCESS, "clGetDeviceIDs");
  kit_check(pread(file, messages, 8191, 0) >= 0, "nothing can be read");
  close(file);
  close(before);
  return messages;
}

static void check_devices(const char *missing)
{
  kit_about("devices");
  cl_device_id devices[16];
  char versions[VENDORS][256] = {"", ""};
  cl_uint count = 0;
  char *messages = find_devices(16, devices, &count);
  kit_check(count == VENDORS, "there are %u devices", count);
  kit_check(strstr(messages, missing) != NULL && strstr(messages, "cannot be opened") != NULL,
            "the messages about %s are: %s", missing, messages);
  free(messages);
  for (int i = 0; i < VENDORS; i++) {
    all[i].device = devices[i];
    cl->clGetDeviceInfo(devices[i], CL_DEVICE_VERSION, sizeof *versions, versions[i], NULL);
    kit_check(VOCL_GET(cl_platform_id, clGetDeviceInfo, devices[i], CL_DEVICE_PLATFORM) == platform,
              "the platform of %d", i);
  }
  kit_check(strcasestr(versions[0], "pocl") != NULL, "the first is %s", versions[0]);
  kit_check(strcasestr(versions[1], "pocl") == NULL, "the second is %s", versions[1]);
}

static void make(struct all *one)
{
  const cl_image_format format = {CL_RGBA, CL_SIGNED_INT32};
  const cl_image_desc desc = {
      .image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 4, .image_height = 4};
  cl_int code = CL_SUCCESS;
  int values[N] = {0};
  one->context = cl->clCreateContext(NULL, 1, &one->device, NULL, NULL, &code);
  check_code(code, CL_SUCCESS, "clCreateContext");
  one->queue = cl->clCreateCommandQueue(one->context, one->device, 0, &code);
  check_code(code, CL_SUCCESS, "clCreateCommandQueue");
  one->from = cl->clCreateBuffer(one->context, CL_MEM_COPY_HOST_PTR, sizeof values, values, &code);
  one->to = cl->clCreateBuffer(one->context, 0, sizeof values, NULL, &code);
  one->image = cl->clCreateImage(one->context, 0, &format, &desc, NULL, &code);
  check_code(code, CL_SUCCESS, "clCreateImage");
  one->sampler =
      cl->clCreateSampler(one->context, CL_FALSE, CL_ADDRESS_NONE, CL_FILTER_NEAREST, &code);
  one->program = cl->clCreateProgramWithSource(one->context, 1, &text, NULL, &code);
  check_code(cl->clBuildProgram(one->program, 0, NULL, "", NULL, NULL), CL_SUCCESS, "build");
  one->kernel = cl->clCreateKernel(one->program, "add", &code);
  check_code(code, CL_SUCCESS, "clCreateKernel");
  one->event = cl->clCreateUserEvent(one->context, &code);
  cl->clSetUserEventStatus(one->event, CL_COMPLETE);
}

/* Uses the vendors in turn: calls of one must not disturb another. */
static void check_side_by_side(int rounds)
{
  kit_about("side by side");
  const size_t items = N;
  int got[N];
  for (int round = 0; round < rounds; round++)
    for (int i = 0; i < VENDORS; i++) {
      const int by = i + 1;
      struct all *one = &all[i];
      one->rounds++;
      cl->clSetKernelArg(one->kernel, 0, sizeof(cl_mem), &one->from);
      cl->clSetKernelArg(one->kernel, 1, sizeof by, &by);
      cl->clSetKernelArg(one->kernel, 2, sizeof(cl_mem), &one->to);
      check_code(cl->clEnqueueNDRangeKernel(one->queue, one->kernel, 1, NULL, &items, NULL, 1,
                                            &one->event, NULL),
                 CL_SUCCESS, "launch");
    }
  for (int i = 0; i < VENDORS; i++) {
    check_code(cl->clEnqueueReadBuffer(all[i].queue, all[i].to, CL_TRUE, 0, sizeof got, got, 0,
                                       NULL, NULL),
               CL_SUCCESS, "read");
    for (int j = 0; j < N; j++)
      kit_check(got[j] == all[i].rounds * (i + 1), "of vendor %d: item %d is %d", i, j, got[j]);
  }
}

static void check_contexts(void)
{
  kit_about("contexts of both");
  cl_int code = CL_SUCCESS;
  const cl_device_id both[] = {all[0].device, all[1].device};
  cl_context of_both = cl->clCreateContext(NULL, 2, both, NULL, NULL, &code);
  check_code(code, CL_SUCCESS, "clCreateContext");
  kit_check(VOCL_GET(cl_uint, clGetContextInfo, of_both, CL_CONTEXT_NUM_DEVICES) == 2, "of both");
  cl->clReleaseContext(of_both);
  cl_context first = cl->clCreateContextFromType(NULL, CL_DEVICE_TYPE_ALL, NULL, NULL, &code);
  check_code(code, CL_SUCCESS, "clCreateContextFromType");
  kit_check(VOCL_GET(cl_uint, clGetContextInfo, first, CL_CONTEXT_NUM_DEVICES) == 1, "devices");
  kit_check(VOCL_GET(cl_device_id, clGetContextInfo, first, CL_CONTEXT_DEVICES) == both[0],
            "it has the first vendor's");
  cl->clReleaseContext(first);
}

/* Passes objects of one vendor in calls for the other. */
static void check_mixing(const struct all *one, const struct all *other)
{
  const cl_device_id device_of_other = other->device;
  const char *name = "header.h";
  const size_t items = 1;
  const cl_event events[] = {one->event, other->event};
  const cl_program programs[] = {one->program, other->program};
  cl_int code = CL_SUCCESS, value = 0;
  kit_check(cl->clCreateCommandQueue(one->context, other->device, 0, &code) == NULL, "a queue");
  check_code(code, CL_INVALID_DEVICE, "clCreateCommandQueue");
  check_code(cl->clBuildProgram(one->program, 1, &device_of_other, "", NULL, NULL),
             CL_INVALID_DEVICE, "clBuildProgram");
  check_code(cl->clGetProgramBuildInfo(one->program, other->device, CL_PROGRAM_BUILD_STATUS, 0,
                                       NULL, NULL),
             CL_INVALID_DEVICE, "clGetProgramBuildInfo");
  check_code(cl->clGetKernelWorkGroupInfo(one->kernel, other->device, CL_KERNEL_WORK_GROUP_SIZE, 0,
                                          NULL, NULL),
             CL_INVALID_DEVICE, "clGetKernelWorkGroupInfo");
  check_code(cl->clEnqueueReadBuffer(one->queue, other->from, CL_TRUE, 0, 4, &value, 0, NULL, NULL),
             CL_INVALID_CONTEXT, "clEnqueueReadBuffer");
  check_code(cl->clEnqueueCopyBuffer(one->queue, one->from, other->from, 0, 0, 4, 0, NULL, NULL),
             CL_INVALID_CONTEXT, "clEnqueueCopyBuffer");
  check_code(cl->clEnqueueMigrateMemObjects(one->queue, 1, &other->from, 0, 0, NULL, NULL),
             CL_INVALID_CONTEXT, "clEnqueueMigrateMemObjects");
  check_code(
      cl->clEnqueueNDRangeKernel(one->queue, other->kernel, 1, NULL, &items, NULL, 0, NULL, NULL),
      CL_INVALID_CONTEXT, "clEnqueueNDRangeKernel");
  check_code(cl->clEnqueueBarrierWithWaitList(one->queue, 1, &other->event, NULL),
             CL_INVALID_CONTEXT, "clEnqueueBarrierWithWaitList");
  check_code(cl->clWaitForEvents(2, events), CL_INVALID_CONTEXT, "clWaitForEvents");
  check_code(cl->clSetKernelArg(one->kernel, 0, sizeof(cl_mem), &other->from),
             CL_INVALID_MEM_OBJECT, "clSetKernelArg of a buffer");
  cl_kernel sample = cl->clCreateKernel(one->program, "sample", &code);
  check_code(code, CL_SUCCESS, "clCreateKernel");
  check_code(cl->clSetKernelArg(sample, 0, sizeof(cl_mem), &other->image), CL_INVALID_MEM_OBJECT,
             "clSetKernelArg of an image");
  check_code(cl->clSetKernelArg(sample, 1, sizeof(cl_sampler), &other->sampler), CL_INVALID_SAMPLER,
             "clSetKernelArg of a sampler");
  cl->clReleaseKernel(sample);
  cl_program source = cl->clCreateProgramWithSource(one->context, 1, &text, NULL, &code);
  check_code(cl->clCompileProgram(source, 0, NULL, "", 1, &other->program, &name, NULL, NULL),
             CL_INVALID_PROGRAM, "clCompileProgram");
  cl->clReleaseProgram(source);
  kit_check(cl->clLinkProgram(one->context, 0, NULL, "", 2, programs, NULL, NULL, &code) == NULL,
            "a program of both");
  check_code(code, CL_INVALID_PROGRAM, "clLinkProgram");
  const cl_image_format format = {CL_R, CL_SIGNED_INT32};
  const cl_image_desc desc = {
      .image_type = CL_MEM_OBJECT_IMAGE1D_BUFFER, .image_width = 4, .mem_object = other->from};
  kit_check(cl->clCreateImage(one->context, 0, &format, &desc, NULL, &code) == NULL, "an image");
  check_code(code, CL_INVALID_IMAGE_DESCRIPTOR, "clCreateImage of a buffer");
}

static void release(const struct all *one)
{
  check_code(cl->clReleaseEvent(one->event), CL_SUCCESS, "clReleaseEvent");
  check_code(cl->clReleaseKernel(one->kernel), CL_SUCCESS, "clReleaseKernel");
  check_code(cl->clReleaseProgram(one->program), CL_SUCCESS, "clReleaseProgram");
  check_code(cl->clReleaseSampler(one->sampler), CL_SUCCESS, "clReleaseSampler");
  check_code(cl->clReleaseMemObject(one->image), CL_SUCCESS, "clReleaseMemObject");
  check_code(cl->clReleaseMemObject(one->to), CL_SUCCESS, "clReleaseMemObject");
  check_code(cl->clReleaseMemObject(one->from), CL_SUCCESS, "clReleaseMemObject");
  check_code(cl->clReleaseCommandQueue(one->queue), CL_SUCCESS, "clReleaseCommandQueue");
  check_code(cl->clReleaseContext(one->context), CL_SUCCESS, "clReleaseContext");
}

int main(int argc, char **argv)
{
  static const char missing[] = "/nowhere/libmissing.so";
  char vendors[8192];
  if (argc != 4)
    return KIT_FAIL;
  snprintf(vendors, sizeof vendors, "%s:%s:%s", missing, argv[2], argv[3]);
  setenv("CW_VOCL_VENDORS", vendors, 1);
  setenv("CW_LOG", "2", 1);
  const char *library = argv[1];
  kit_start(&argc, &argv, "vocl_vendors");
  vocl_open(library);
  check_devices(missing);
  for (int i = 0; i < VENDORS; i++)
    make(&all[i]);
  check_side_by_side(5);
  check_contexts();
  for (int i = 0; i < VENDORS; i++) {
    kit_about("what is of vendor %d, for vendor %d", 1 - i, i);
    check_mixing(&all[i], &all[1 - i]);
  }
  check_side_by_side(1); /* as if nothing had been tried */
  for (int i = 0; i < VENDORS; i++)
    release(&all[i]);
  return kit_finish();
}
