/* Guarantees of OpenCL for its objects: counts of references, callbacks, maps, parts, arguments,
 * binaries, events. */
#include "vocl.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { N = 256 };

static const char *text =
    "kernel void scale(global int *a, int by, local int *room, global int *b)\n"
    "{ size_t i = get_global_id(0); a[i] *= by; if (b) b[i] = a[i]; }\n"
    "kernel void second(global int *a) { a[0] = 1; }\n"
    "kernel void pair(global int *a) __attribute__((reqd_work_group_size(2, 1, 1)));\n"
    "kernel void pair(global int *a) { a[0] = 2; }\n";

static cl_mem buffer_of(const int *values)
{
  cl_int code = CL_SUCCESS;
  cl_mem buffer =
      cl->clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, N * sizeof *values, (void *)values, &code);
  check_code(code, CL_SUCCESS, "clCreateBuffer");
  return buffer;
}

static void check_counts(void)
{
  kit_about("counts");
  cl_int code = CL_SUCCESS;
  cl_context own = cl->clCreateContext(NULL, 1, &device, NULL, NULL, &code);
  cl_mem buffer = cl->clCreateBuffer(own, 0, 64, NULL, &code);
  kit_check(VOCL_GET(cl_uint, clGetMemObjectInfo, buffer, CL_MEM_REFERENCE_COUNT) == 1,
            "one at first");
  check_code(cl->clRetainMemObject(buffer), CL_SUCCESS, "clRetainMemObject");
  kit_check(VOCL_GET(cl_uint, clGetMemObjectInfo, buffer, CL_MEM_REFERENCE_COUNT) == 2, "then two");
  check_code(cl->clReleaseMemObject(buffer), CL_SUCCESS, "clReleaseMemObject");
  check_code(cl->clReleaseContext(own), CL_SUCCESS, "clReleaseContext");
  /* The buffer keeps its context. */
  kit_check(VOCL_GET(cl_context, clGetMemObjectInfo, buffer, CL_MEM_CONTEXT) == own,
            "the context stays");
  kit_check(VOCL_GET(cl_uint, clGetContextInfo, own, CL_CONTEXT_NUM_DEVICES) == 1, "and answers");
  check_code(cl->clReleaseContext(own), CL_INVALID_CONTEXT, "clReleaseContext, once too often");
  check_code(cl->clReleaseMemObject(buffer), CL_SUCCESS, "clReleaseMemObject");
  check_code(cl->clReleaseMemObject(buffer), CL_INVALID_MEM_OBJECT,
             "clReleaseMemObject, once too often");
  check_code(cl->clRetainContext(own), CL_INVALID_CONTEXT, "its context went with it");
  /* This machine's devices are not counted. */
  for (int i = 0; i < 3; i++)
    check_code(cl->clReleaseDevice(device), CL_SUCCESS, "clReleaseDevice");
  kit_check(VOCL_GET(cl_uint, clGetDeviceInfo, device, CL_DEVICE_REFERENCE_COUNT) == 1, "device");
}

static char order[64];

static void CL_CALLBACK memory_ended(cl_mem memory, void *name)
{
  (void)memory;
  strcat(order, (const char *)name);
}

static void CL_CALLBACK context_ended(cl_context ended, void *name)
{
  (void)ended;
  strcat(order, (const char *)name);
}

static void check_destructors(void)
{
  kit_about("destructors");
  cl_context own = cl->clCreateContext(NULL, 1, &device, NULL, NULL, NULL);
  cl_mem buffer = cl->clCreateBuffer(own, 0, 64, NULL, NULL);
  check_code(cl->clSetContextDestructorCallback(own, context_ended, (void *)"d"), CL_SUCCESS,
             "context");
  check_code(cl->clSetContextDestructorCallback(own, context_ended, (void *)"c"), CL_SUCCESS,
             "context");
  check_code(cl->clSetMemObjectDestructorCallback(buffer, memory_ended, (void *)"b"), CL_SUCCESS,
             "memory");
  check_code(cl->clSetMemObjectDestructorCallback(buffer, memory_ended, (void *)"a"), CL_SUCCESS,
             "memory");
  check_code(cl->clSetMemObjectDestructorCallback(buffer, NULL, NULL), CL_INVALID_VALUE,
             "no function");
  cl->clReleaseContext(own);
  kit_check(order[0] == '\0', "called too early: %s", order);
  cl->clReleaseMemObject(buffer);
  kit_check(strcmp(order, "abcd") == 0, "called in this order: %s", order);
}

static void check_parts(void)
{
  kit_about("sub-buffers");
  int values[N];
  for (int i = 0; i < N; i++)
    values[i] = i;
  cl_int code = CL_SUCCESS;
  cl_mem whole = buffer_of(values);
  const cl_buffer_region region = {128, 64};
  cl_mem part = cl->clCreateSubBuffer(whole, 0, CL_BUFFER_CREATE_TYPE_REGION, &region, &code);
  check_code(code, CL_SUCCESS, "clCreateSubBuffer");
  kit_check(VOCL_GET(cl_mem, clGetMemObjectInfo, part, CL_MEM_ASSOCIATED_MEMOBJECT) == whole,
            "its whole");
  kit_check(VOCL_GET(size_t, clGetMemObjectInfo, part, CL_MEM_OFFSET) == 128, "its offset");
  kit_check(VOCL_GET(size_t, clGetMemObjectInfo, part, CL_MEM_SIZE) == 64, "its size");
  kit_check(cl->clCreateSubBuffer(part, 0, CL_BUFFER_CREATE_TYPE_REGION, &region, &code) == NULL,
            "part of a part");
  check_code(code, CL_INVALID_MEM_OBJECT, "a part of a part");
  kit_check(cl->clCreateSubBuffer(whole, 0, 0, &region, &code) == NULL, "another type");
  check_code(code, CL_INVALID_VALUE, "another type");
  kit_check(cl->clCreateSubBuffer(whole, 0, CL_BUFFER_CREATE_TYPE_REGION, NULL, &code) == NULL,
            "no region");
  check_code(code, CL_INVALID_VALUE, "no region");
  /* The sub-buffer keeps its buffer. */
  cl->clReleaseMemObject(whole);
  int got[16] = {0};
  check_code(cl->clEnqueueReadBuffer(queue, part, CL_TRUE, 0, sizeof got, got, 0, NULL, NULL),
             CL_SUCCESS, "read");
  kit_check_bytes(got, values + 32, sizeof got, "the part");
  cl->clReleaseMemObject(part);
}

static void check_maps(void)
{
  kit_about("maps");
  int values[N] = {5, 6, 7};
  cl_int code = CL_SUCCESS;
  cl_mem buffer = buffer_of(values);
  cl_event event = NULL;
  int *mapped = cl->clEnqueueMapBuffer(queue, buffer, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, 0,
                                       sizeof values, 0, NULL, &event, &code);
  check_code(code, CL_SUCCESS, "clEnqueueMapBuffer");
  kit_check(VOCL_GET(cl_uint, clGetMemObjectInfo, buffer, CL_MEM_MAP_COUNT) == 1, "mapped once");
  kit_check(VOCL_GET(cl_command_type, clGetEventInfo, event, CL_EVENT_COMMAND_TYPE) ==
                CL_COMMAND_MAP_BUFFER,
            "type");
  kit_check(VOCL_GET(cl_command_queue, clGetEventInfo, event, CL_EVENT_COMMAND_QUEUE) == queue,
            "queue");
  cl->clReleaseEvent(event);
  kit_check(mapped[1] == 6, "%d is mapped", mapped[1]);
  mapped[1] = 60;
  check_code(cl->clEnqueueUnmapMemObject(queue, buffer, mapped, 0, NULL, NULL), CL_SUCCESS,
             "unmap");
  check_code(cl->clEnqueueReadBuffer(queue, buffer, CL_TRUE, 4, 4, values, 0, NULL, NULL),
             CL_SUCCESS, "read");
  kit_check(values[0] == 60, "%d was written through the map", values[0]);
  cl->clReleaseMemObject(buffer);
}

static void check_launch(cl_program program, const char *what)
{
  kit_about("arguments of a kernel %s", what);
  int values[N], got[N];
  for (int i = 0; i < N; i++)
    values[i] = i;
  const int by = 3;
  const size_t count = N;
  cl_int code = CL_SUCCESS;
  cl_mem buffer = buffer_of(values);
  cl_kernel kernel = cl->clCreateKernel(program, "scale", &code);
  check_code(code, CL_SUCCESS, "clCreateKernel");
  kit_check(VOCL_GET(cl_uint, clGetKernelInfo, kernel, CL_KERNEL_NUM_ARGS) == 4, "arguments");
  kit_check(VOCL_GET(cl_program, clGetKernelInfo, kernel, CL_KERNEL_PROGRAM) == program, "program");
  check_code(cl->clSetKernelArg(kernel, 4, 4, &by), CL_INVALID_ARG_INDEX, "a fifth argument");
  check_code(cl->clSetKernelArg(kernel, 0, sizeof buffer, &buffer), CL_SUCCESS, "a buffer");
  check_code(cl->clSetKernelArg(kernel, 1, sizeof by, &by), CL_SUCCESS, "a number");
  check_code(cl->clSetKernelArg(kernel, 2, 64, NULL), CL_SUCCESS, "local memory");
  check_code(cl->clSetKernelArg(kernel, 3, sizeof(cl_mem), NULL), CL_SUCCESS, "no buffer");
  cl_event event = NULL;
  check_code(cl->clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &count, NULL, 0, NULL, &event),
             CL_SUCCESS, "launch");
  check_code(cl->clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, sizeof got, got, 1, &event, NULL),
             CL_SUCCESS, "read");
  for (int i = 0; i < N; i++)
    values[i] *= by;
  kit_check_bytes(got, values, sizeof got, "scaled");
  const cl_ulong begun =
      VOCL_GET(cl_ulong, clGetEventProfilingInfo, event, CL_PROFILING_COMMAND_START);
  const cl_ulong done =
      VOCL_GET(cl_ulong, clGetEventProfilingInfo, event, CL_PROFILING_COMMAND_END);
  kit_check(done > begun, "it took from %llu to %llu", (unsigned long long)begun,
            (unsigned long long)done);
  cl->clReleaseEvent(event);
  cl->clReleaseKernel(kernel);
  cl->clReleaseMemObject(buffer);
}

/* Checks that a kernel whose work groups have two work items is rejected as a task. */
static void check_task(cl_program program)
{
  kit_about("a task");
  cl_int code = CL_SUCCESS;
  cl_mem buffer = cl->clCreateBuffer(context, 0, 64, NULL, &code);
  cl_kernel pair = cl->clCreateKernel(program, "pair", &code);
  check_code(code, CL_SUCCESS, "clCreateKernel");
  check_code(cl->clSetKernelArg(pair, 0, sizeof buffer, &buffer), CL_SUCCESS, "clSetKernelArg");
  check_code(cl->clEnqueueTask(queue, pair, 0, NULL, NULL), CL_INVALID_WORK_GROUP_SIZE,
             "clEnqueueTask");
  cl->clReleaseKernel(pair);
  cl->clReleaseMemObject(buffer);
}

/* Checks that creating an image that is too large for every device does not read the program's
 * memory. */
static void check_huge_images(void)
{
  kit_about("huge images");
  static const cl_mem_object_type types[] = {CL_MEM_OBJECT_IMAGE1D, CL_MEM_OBJECT_IMAGE2D,
                                             CL_MEM_OBJECT_IMAGE3D, CL_MEM_OBJECT_IMAGE1D_ARRAY,
                                             CL_MEM_OBJECT_IMAGE2D_ARRAY};
  const cl_image_format format = {CL_RGBA, CL_UNSIGNED_INT8};
  char few[64];
  for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
    cl_int code = CL_SUCCESS;
    const cl_image_desc desc = {.image_type = types[i],
                                .image_width = (size_t)1 << 32,
                                .image_height = 4,
                                .image_depth = 4,
                                .image_array_size = 4};
    kit_check(cl->clCreateImage(context, CL_MEM_COPY_HOST_PTR, &format, &desc, few, &code) == NULL,
              "image %zu is made", i);
    kit_check(code == CL_INVALID_IMAGE_SIZE || code == CL_INVALID_OPERATION, "clCreateImage: %d",
              code); /* PoCL reports that no device has such images */
  }
}

static int built;

static void CL_CALLBACK program_built(cl_program program, void *data)
{
  built += program != NULL && data == &built;
}

static void check_builds(void)
{
  kit_about("builds");
  const char *wrong = "kernel void f(global int *a) { a = nonsense; }";
  char options[64] = "";
  cl_int code = CL_SUCCESS;
  cl_program program = cl->clCreateProgramWithSource(context, 1, &wrong, NULL, &code);
  check_code(cl->clBuildProgram(program, 0, NULL, "-DA=1", program_built, &built),
             CL_BUILD_PROGRAM_FAILURE, "nonsense");
  kit_check(built == 1, "the callback was called %d times", built);
  size_t size = 0;
  cl->clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, 0, NULL, &size);
  char *log = calloc(size + 1, 1);
  cl->clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, size, log, NULL);
  kit_check(strstr(log, "nonsense") != NULL, "the log says: %s", log);
  free(log);
  code = cl->clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_OPTIONS, sizeof options,
                                   options, &size);
  check_code(code, CL_SUCCESS, "CL_PROGRAM_BUILD_OPTIONS");
  kit_check(strcmp(options, "-DA=1") == 0 && size == 6, "the options are \"%s\" (%zu)", options,
            size);
  check_code(cl->clBuildProgram(program, 0, NULL, "", NULL, &built), CL_INVALID_VALUE,
             "data without callback");
  cl->clReleaseProgram(program);
}

/* Information about arguments exists only for programs built with -cl-kernel-arg-info. */
static void check_argument_names(void)
{
  kit_about("names of arguments");
  const char *options[] = {NULL, "-DX=1", "-cl-kernel-arg-info", "-cl-kernel-arg-info -DX=1"};
  for (int i = 0; i < 4; i++) {
    char name[16] = "", build_options[64] = "";
    cl_program program = cl->clCreateProgramWithSource(context, 1, &text, NULL, NULL);
    check_code(cl->clBuildProgram(program, 0, NULL, options[i], NULL, NULL), CL_SUCCESS,
               "clBuildProgram");
    cl_kernel kernel = cl->clCreateKernel(program, "scale", NULL);
    const cl_int code =
        cl->clGetKernelArgInfo(kernel, 1, CL_KERNEL_ARG_NAME, sizeof name, name, NULL);
    check_code(code, i < 2 ? CL_KERNEL_ARG_INFO_NOT_AVAILABLE : CL_SUCCESS, "clGetKernelArgInfo");
    kit_check(strcmp(name, i < 2 ? "" : "by") == 0, "the argument is called %s", name);
    cl->clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_OPTIONS, sizeof build_options,
                              build_options, NULL);
    kit_check(strcmp(build_options, options[i] != NULL ? options[i] : "") == 0,
              "the options were %s", build_options);
    cl->clReleaseKernel(kernel);
    cl->clReleaseProgram(program);
  }
}

/* Types that the program defines are no images, whatever their names are. */
static void check_argument_types(void)
{
  kit_about("types of arguments");
  static const char *const types =
      "typedef struct { int w, h; } image_size;\n"
      "typedef struct { int x, y, w, h; } image_box;\n"
      "kernel void area(global image_size *a, image_size b, image_box c)\n"
      "{ a->w = b.w * b.h; a->h = c.x + c.y + c.w * c.h; }\n";
  const int size[2] = {3, 5}, box[4] = {1, 2, 7, 8};
  int values[N] = {0}, got[2] = {0};
  const size_t one = 1;
  cl_program program = vocl_build(types);
  cl_kernel kernel = cl->clCreateKernel(program, "area", NULL);
  cl_mem buffer = buffer_of(values);
  check_code(cl->clSetKernelArg(kernel, 0, sizeof buffer, &buffer), CL_SUCCESS, "memory");
  check_code(cl->clSetKernelArg(kernel, 1, sizeof size, size), CL_SUCCESS, "8 bytes");
  check_code(cl->clSetKernelArg(kernel, 2, sizeof box, box), CL_SUCCESS, "16 bytes");
  check_code(cl->clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &one, NULL, 0, NULL, NULL),
             CL_SUCCESS, "launch");
  check_code(cl->clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, sizeof got, got, 0, NULL, NULL),
             CL_SUCCESS, "read");
  kit_check(got[0] == 15 && got[1] == 59, "%d and %d", got[0], got[1]);
  cl->clReleaseMemObject(buffer);
  cl->clReleaseKernel(kernel);
  cl->clReleaseProgram(program);
}

static void check_binaries(cl_program program)
{
  kit_about("binaries");
  size_t size = 0;
  cl_int code = cl->clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof size, &size, NULL),
         status = -1;
  check_code(code, CL_SUCCESS, "CL_PROGRAM_BINARY_SIZES");
  unsigned char *binary = kit_alloc(size, 1);
  check_code(cl->clGetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof binary, &binary, NULL),
             CL_SUCCESS, "binaries");
  cl_program again = cl->clCreateProgramWithBinary(context, 1, &device, &size,
                                                   (const unsigned char **)&binary, &status, &code);
  check_code(code, CL_SUCCESS, "clCreateProgramWithBinary");
  check_code(status, CL_SUCCESS, "its status");
  check_code(cl->clBuildProgram(again, 1, &device, NULL, NULL, NULL), CL_SUCCESS, "clBuildProgram");
  check_launch(again, "of a binary");
  cl->clReleaseProgram(again);
  free(binary);
}

static void check_linking(void)
{
  kit_about("compile and link");
  const char *parts[] = {"#include <by.h>\nint by(int); kernel void scale(global int *a, int b, "
                         "local int *r, global int *c)"
                         "{ a[get_global_id(0)] *= b + by(NULL_BY); }",
                         "int by(int a) { return a; }", "#define NULL_BY 0\n"};
  cl_program programs[3];
  cl_int code = CL_SUCCESS;
  for (int i = 0; i < 3; i++)
    programs[i] = cl->clCreateProgramWithSource(context, 1, &parts[i], NULL, &code);
  const char *name = "by.h";
  code = cl->clCompileProgram(programs[0], 1, &device, NULL, 1, &programs[2], &name, NULL, NULL);
  check_code(code, CL_SUCCESS, "clCompileProgram");
  code = cl->clCompileProgram(programs[1], 0, NULL, NULL, 0, NULL, NULL, NULL, NULL);
  check_code(code, CL_SUCCESS, "clCompileProgram");
  built = 0;
  cl_program linked =
      cl->clLinkProgram(context, 0, NULL, NULL, 2, programs, program_built, &built, &code);
  check_code(code, CL_SUCCESS, "clLinkProgram");
  kit_check(built == 1, "the callback was called %d times", built);
  check_launch(linked, "that was linked");
  cl_kernel kernels[4];
  cl_uint count = 0;
  check_code(cl->clCreateKernelsInProgram(linked, 4, kernels, &count), CL_SUCCESS,
             "clCreateKernelsInProgram");
  kit_check(count == 1, "%u kernels", count);
  cl->clReleaseKernel(kernels[0]);
  cl->clReleaseProgram(linked);
  for (int i = 0; i < 3; i++)
    cl->clReleaseProgram(programs[i]);
}

struct callback_record {
  cl_event event;
  int times;
};

static void CL_CALLBACK event_reached(cl_event event, cl_int status, void *data)
{
  struct callback_record *record = data;
  cl_command_type type = 0; /* the event exists during its callback */
  cl->clGetEventInfo(event, CL_EVENT_COMMAND_TYPE, sizeof type, &type, NULL);
  __atomic_fetch_add(
      &record->times,
      event == record->event && status == CL_COMPLETE && type == CL_COMMAND_READ_BUFFER ? 1 : 100,
      __ATOMIC_SEQ_CST);
}

static void check_events(void)
{
  kit_about("events");
  int values[N] = {0}, got = -1;
  cl_int code = CL_SUCCESS;
  cl_mem buffer = buffer_of(values);
  cl_event user = cl->clCreateUserEvent(context, &code), read = NULL, marker = NULL;
  check_code(code, CL_SUCCESS, "clCreateUserEvent");
  kit_check(VOCL_GET(cl_command_queue, clGetEventInfo, user, CL_EVENT_COMMAND_QUEUE) == NULL,
            "no queue");
  kit_check(VOCL_GET(cl_int, clGetEventInfo, user, CL_EVENT_COMMAND_EXECUTION_STATUS) ==
                CL_SUBMITTED,
            "status");
  check_code(cl->clEnqueueReadBuffer(queue, buffer, CL_FALSE, 0, 4, &got, 1, &user, &read),
             CL_SUCCESS, "read");
  check_code(cl->clEnqueueMarkerWithWaitList(queue, 1, &read, &marker), CL_SUCCESS, "marker");
  struct callback_record record = {read, 0};
  check_code(cl->clSetEventCallback(read, CL_COMPLETE, event_reached, &record), CL_SUCCESS,
             "callback");
  check_code(cl->clSetEventCallback(read, 7, event_reached, &record), CL_INVALID_VALUE,
             "callback for 7");
  kit_check(got == -1, "it was read too early");
  check_code(cl->clSetUserEventStatus(read, CL_COMPLETE), CL_INVALID_EVENT, "status of a command");
  check_code(cl->clSetUserEventStatus(user, CL_RUNNING), CL_INVALID_VALUE, "status of one running");
  check_code(cl->clSetUserEventStatus(user, CL_COMPLETE), CL_SUCCESS, "clSetUserEventStatus");
  check_code(cl->clSetUserEventStatus(user, CL_COMPLETE), CL_INVALID_OPERATION, "a second time");
  /* A released event still completes its dependants. */
  cl->clReleaseEvent(read);
  check_code(cl->clWaitForEvents(1, &marker), CL_SUCCESS, "clWaitForEvents");
  kit_check(got == 0, "%d was read", got);
  check_code(cl->clFinish(queue), CL_SUCCESS, "clFinish");
  kit_await(&record.times, 1);
  kit_check(record.times == 1, "the callback was called %d times", record.times);
  cl->clReleaseEvent(user);
  cl->clReleaseEvent(marker);
  cl->clReleaseMemObject(buffer);
}

/* --- commands that wait for a read complete after its data has arrived --- */

enum { READ_BYTES = 300000, OTHER_BYTES = 4 << 20, READ_ROUNDS = 100 };

enum reading { BY_EVENT, BY_MARKER, BEHIND_BARRIER, READINGS };

struct readers {
  cl_command_queue first, second, other;
  cl_mem buffer, long_one;
  unsigned char *host, *space;
};

static void readers_begin(struct readers *r, enum reading reading)
{
  const cl_command_queue_properties flags =
      reading != BY_EVENT ? CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE : 0;
  r->first = cl->clCreateCommandQueue(context, device, flags, NULL);
  r->second = cl->clCreateCommandQueue(context, device, 0, NULL);
  r->other = cl->clCreateCommandQueue(context, device, 0, NULL);
  r->buffer = cl->clCreateBuffer(context, 0, READ_BYTES, NULL, NULL);
  r->long_one = cl->clCreateBuffer(context, 0, OTHER_BYTES, NULL, NULL);
  r->host = kit_alloc(READ_BYTES, 1);
  r->space = kit_alloc(OTHER_BYTES, 1);
}

static void readers_end(struct readers *r)
{
  cl->clReleaseCommandQueue(r->first);
  cl->clReleaseCommandQueue(r->second);
  cl->clReleaseCommandQueue(r->other);
  cl->clReleaseMemObject(r->buffer);
  cl->clReleaseMemObject(r->long_one);
  free(r->host);
  free(r->space);
}

/* Enqueues a command that can only be complete after the read. */
static cl_event reader_follow(const struct readers *r, enum reading reading, cl_event read,
                              const unsigned char *value)
{
  cl_event last = NULL;
  if (reading == BY_EVENT) {
    check_code(cl->clEnqueueMarkerWithWaitList(r->second, 1, &read, &last), CL_SUCCESS, "marker");
  } else if (reading == BY_MARKER) {
    check_code(cl->clEnqueueMarkerWithWaitList(r->first, 0, NULL, &last), CL_SUCCESS, "marker");
  } else {
    check_code(cl->clEnqueueBarrierWithWaitList(r->first, 0, NULL, NULL), CL_SUCCESS, "barrier");
    check_code(
        cl->clEnqueueFillBuffer(r->first, r->buffer, value, 1, 0, READ_BYTES, 0, NULL, &last),
        CL_SUCCESS, "fill");
  }
  return last;
}

/* Runs one round, while the data of a long read in another queue is on its way, too. */
static bool reader_round(const struct readers *r, enum reading reading, unsigned char value)
{
  cl_event filled = NULL, read = NULL;
  memset(r->host, 0, READ_BYTES);
  cl->clEnqueueFillBuffer(r->first, r->buffer, &value, 1, 0, READ_BYTES, 0, NULL, &filled);
  cl->clEnqueueReadBuffer(r->other, r->long_one, CL_FALSE, 0, OTHER_BYTES, r->space, 0, NULL, NULL);
  check_code(cl->clEnqueueReadBuffer(r->first, r->buffer, CL_FALSE, 0, READ_BYTES, r->host, 1,
                                     &filled, &read),
             CL_SUCCESS, "read");
  cl_event last = reader_follow(r, reading, read, &value);
  cl->clFlush(r->first);
  check_code(cl->clWaitForEvents(1, &last), CL_SUCCESS, "wait");
  const bool is_there = r->host[0] == value && memcmp(r->host, r->host + 1, READ_BYTES - 1) == 0;
  cl->clFinish(r->first);
  cl->clFinish(r->second);
  cl->clFinish(r->other);
  cl->clReleaseEvent(filled);
  cl->clReleaseEvent(read);
  cl->clReleaseEvent(last);
  return is_there;
}

static void check_readers(void)
{
  static const char *const names[READINGS] = {"a marker of another queue that waits for the read",
                                              "a marker that waits for all",
                                              "a fill behind a barrier"};
  for (int reading = 0; reading < READINGS; reading++) {
    struct readers readers;
    int missing = 0;
    kit_about("%s", names[reading]);
    readers_begin(&readers, (enum reading)reading);
    for (int round = 1; round <= READ_ROUNDS; round++)
      missing += !reader_round(&readers, (enum reading)reading, (unsigned char)round);
    readers_end(&readers);
    kit_check(missing == 0, "was complete before the data was there: %d times of %d", missing,
              READ_ROUNDS);
  }
}

/* Boxes that begin so far away that their ends wrap to places in the buffer. */
static void check_boxes_outside(void)
{
  static const size_t nowhere[3] = {0, 0, 0};
  static const size_t boxes[][2][3] = {{{0, SIZE_MAX, 0}, {8, 2, 1}},
                                       {{0, 0, SIZE_MAX}, {8, 1, 2}},
                                       {{SIZE_MAX - 3, 0, 0}, {8, 1, 1}},
                                       {{0, SIZE_MAX - 1, 0}, {8, 4, 1}}};
  char host[N] = {0};
  cl_mem buffers[] = {cl->clCreateBuffer(context, 0, N, NULL, NULL),
                      cl->clCreateBuffer(context, 0, N, NULL, NULL)};
  kit_about("far boxes");
  for (size_t i = 0; i < sizeof boxes / sizeof *boxes; i++) {
    const size_t *origin = boxes[i][0], *region = boxes[i][1];
    check_code(cl->clEnqueueWriteBufferRect(queue, buffers[0], CL_TRUE, origin, nowhere, region, 0,
                                            0, 0, 0, host, 0, NULL, NULL),
               CL_INVALID_VALUE, "write");
    check_code(cl->clEnqueueReadBufferRect(queue, buffers[0], CL_TRUE, origin, nowhere, region, 0,
                                           0, 0, 0, host, 0, NULL, NULL),
               CL_INVALID_VALUE, "read");
    check_code(cl->clEnqueueCopyBufferRect(queue, buffers[0], buffers[1], origin, nowhere, region,
                                           0, 0, 0, 0, 0, NULL, NULL),
               CL_INVALID_VALUE, "copy");
  }
  for (int i = 0; i < 2; i++)
    cl->clReleaseMemObject(buffers[i]);
}

/* Objects of different contexts do not go together. */
static void check_contexts(void)
{
  kit_about("contexts");
  cl_int code = CL_SUCCESS, value = 0;
  cl_context other = cl->clCreateContextFromType(NULL, CL_DEVICE_TYPE_ALL, NULL, NULL, &code);
  check_code(code, CL_SUCCESS, "clCreateContextFromType");
  cl_mem theirs = cl->clCreateBuffer(other, 0, 64, NULL, &code);
  cl_event events[] = {cl->clCreateUserEvent(context, NULL), cl->clCreateUserEvent(other, NULL)};
  check_code(cl->clEnqueueReadBuffer(queue, theirs, CL_TRUE, 0, 4, &value, 0, NULL, NULL),
             CL_INVALID_CONTEXT, "buffer");
  check_code(cl->clEnqueueBarrierWithWaitList(queue, 1, &events[1], NULL), CL_INVALID_CONTEXT,
             "event");
  check_code(cl->clWaitForEvents(2, events), CL_INVALID_CONTEXT, "events");
  check_code(cl->clEnqueueMigrateMemObjects(queue, 1, &theirs, 0, 0, NULL, NULL),
             CL_INVALID_CONTEXT, "migrate");
  for (int i = 0; i < 2; i++) {
    cl->clSetUserEventStatus(events[i], CL_COMPLETE);
    cl->clReleaseEvent(events[i]);
  }
  cl->clReleaseMemObject(theirs);
  cl->clReleaseContext(other);
}

int main(int argc, char **argv)
{
  vocl_start(&argc, &argv, "vocl_guarantees");
  check_counts();
  check_destructors();
  check_parts();
  check_maps();
  cl_program program = vocl_build(text);
  check_launch(program, "of a source");
  check_task(program);
  check_huge_images();
  check_binaries(program);
  cl->clReleaseProgram(program);
  check_builds();
  check_argument_names();
  check_argument_types();
  check_linking();
  check_events();
  check_readers();
  check_boxes_outside();
  check_contexts();
  return vocl_finish();
}
