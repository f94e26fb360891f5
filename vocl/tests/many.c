/* Contexts of two devices at different locations: commands on one device see what the other one has
 * written, however it is transferred. Usage: vocl_many LIBRARY proxies|mixed|fails|leaves| lost
 * [CW-VOCL]. `fails`: the vendors are failing ones (failing.h). `leaves`: it releases nothing.
 * `lost`: the service ends meanwhile, and with it the second device. */
#include "many.h"
#include "failing.h"
#include "vocl.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { N = 1024, HALF = N / 2, DEVICES = 2, ROUNDS = 8 };

static cl_device_id devices[DEVICES];
static cl_context both;
static cl_command_queue in_order[DEVICES], unordered[DEVICES];
static cl_program program;
static cl_kernel add, sum;

static const char text[] = "kernel void add(global int *all, int by)\n"
                           "{ all[get_global_id(0)] += by; }\n"
                           "kernel void sum(global const int *from, global int *to)\n"
                           "{ size_t i = get_global_id(0); to[i] += from[i]; }\n";

static void fill(int *values, int value)
{
  for (int i = 0; i < N; i++)
    values[i] = value;
}

static cl_mem buffer_of(int value)
{
  int values[N];
  cl_int code = CL_SUCCESS;
  fill(values, value);
  cl_mem buffer = cl->clCreateBuffer(both, CL_MEM_COPY_HOST_PTR, sizeof values, values, &code);
  check_code(code, CL_SUCCESS, "clCreateBuffer");
  return buffer;
}

static cl_event launch_add(cl_command_queue on, cl_mem buffer, int by, size_t items, cl_event after)
{
  cl_event event = NULL;
  check_code(cl->clSetKernelArg(add, 0, sizeof buffer, &buffer), CL_SUCCESS, "clSetKernelArg");
  check_code(cl->clSetKernelArg(add, 1, sizeof by, &by), CL_SUCCESS, "clSetKernelArg");
  check_code(cl->clEnqueueNDRangeKernel(on, add, 1, NULL, &items, NULL, after != NULL,
                                        after != NULL ? &after : NULL, &event),
             CL_SUCCESS, "clEnqueueNDRangeKernel");
  return event;
}

static void check_ints(cl_command_queue on, cl_mem buffer, size_t from, size_t count, int wanted,
                       cl_event after)
{
  int got[N];
  check_code(cl->clEnqueueReadBuffer(on, buffer, CL_TRUE, from * sizeof *got, count * sizeof *got,
                                     got, after != NULL, after != NULL ? &after : NULL, NULL),
             CL_SUCCESS, "clEnqueueReadBuffer");
  for (size_t i = 0; i < count; i++)
    if (!kit_check(got[i] == wanted, "item %zu is %d, not %d", from + i, got[i], wanted))
      break;
}

/* A context of a device type has the devices of both locations, in their order. */
static void check_from_type(void)
{
  kit_about("a context of a type");
  cl_int code = CL_SUCCESS;
  cl_device_id its[DEVICES] = {NULL};
  cl_context of_type = cl->clCreateContextFromType(NULL, CL_DEVICE_TYPE_CPU, NULL, NULL, &code);
  check_code(code, CL_SUCCESS, "clCreateContextFromType");
  check_code(cl->clGetContextInfo(of_type, CL_CONTEXT_DEVICES, sizeof its, its, NULL), CL_SUCCESS,
             "clGetContextInfo");
  kit_check(memcmp(its, devices, sizeof its) == 0, "its devices are others");
  cl_command_queue second = cl->clCreateCommandQueue(of_type, its[1], 0, &code);
  check_code(code, CL_SUCCESS, "clCreateCommandQueue");
  cl->clReleaseCommandQueue(second);
  cl->clReleaseContext(of_type);
  of_type = cl->clCreateContextFromType(NULL, CL_DEVICE_TYPE_DEFAULT, NULL, NULL, &code);
  check_code(code, CL_SUCCESS, "clCreateContextFromType");
  kit_check(VOCL_GET(cl_uint, clGetContextInfo, of_type, CL_CONTEXT_NUM_DEVICES) == 1,
            "there are two default devices");
  cl->clReleaseContext(of_type);
}

/* --- programs --- */

static cl_build_status build_status(cl_program of, cl_device_id on)
{
  cl_build_status status = 0;
  check_code(
      cl->clGetProgramBuildInfo(of, on, CL_PROGRAM_BUILD_STATUS, sizeof status, &status, NULL),
      CL_SUCCESS, "clGetProgramBuildInfo");
  return status;
}

/* Builds a program for one device after the other. The status of a device without a build must be
 * CL_BUILD_NONE, and its log empty. */
static void check_builds(void)
{
  kit_about("a program that is built for one device");
  const char *strings[] = {text};
  char log[16] = "something";
  cl_int code = CL_SUCCESS;
  cl_program one = cl->clCreateProgramWithSource(both, 1, strings, NULL, &code);
  check_code(code, CL_SUCCESS, "clCreateProgramWithSource");
  check_code(cl->clBuildProgram(one, 1, devices, "", NULL, NULL), CL_SUCCESS, "clBuildProgram");
  kit_check(build_status(one, devices[0]) == CL_BUILD_SUCCESS, "it is not built");
  kit_check(build_status(one, devices[1]) == CL_BUILD_NONE, "it is built for the other one, too");
  check_code(
      cl->clGetProgramBuildInfo(one, devices[1], CL_PROGRAM_BUILD_LOG, sizeof log, log, NULL),
      CL_SUCCESS, "clGetProgramBuildInfo");
  kit_check(log[0] == '\0', "of what is not built there is a log: %s", log);
  check_code(cl->clBuildProgram(one, 1, &devices[1], "", NULL, NULL), CL_SUCCESS, "clBuildProgram");
  for (int i = 0; i < DEVICES; i++)
    kit_check(build_status(one, devices[i]) == CL_BUILD_SUCCESS, "it is not built for %d", i);
  cl->clReleaseProgram(one);
}

/* --- kernels on alternating devices --- */

static void check_rounds(cl_command_queue *queues)
{
  cl_mem buffer = buffer_of(100);
  cl_event last = NULL;
  for (int round = 1; round <= ROUNDS; round++) {
    cl_event event = launch_add(queues[round % DEVICES], buffer, round, N, last);
    if (last != NULL)
      cl->clReleaseEvent(last);
    last = event;
  }
  check_ints(queues[0], buffer, 0, N, 100 + ROUNDS * (ROUNDS + 1) / 2, last);
  check_ints(queues[1], buffer, 0, N, 100 + ROUNDS * (ROUNDS + 1) / 2, NULL);
  cl->clReleaseEvent(last);
  cl->clReleaseMemObject(buffer);
}

/* Checks that a buffer that is only read is not transferred again. */
static void check_constant(void)
{
  kit_about("what is only read");
  cl_mem from = buffer_of(7), to[DEVICES] = {buffer_of(1), buffer_of(2)};
  const size_t items = N;
  for (int i = 0; i < DEVICES; i++) {
    cl->clSetKernelArg(sum, 0, sizeof from, &from);
    cl->clSetKernelArg(sum, 1, sizeof *to, &to[i]);
    check_code(cl->clEnqueueNDRangeKernel(in_order[i], sum, 1, NULL, &items, NULL, 0, NULL, NULL),
               CL_SUCCESS, "clEnqueueNDRangeKernel");
  }
  for (int i = 0; i < DEVICES; i++) {
    check_ints(in_order[i], to[i], 0, N, 8 + i, NULL);
    check_ints(in_order[i], from, 0, N, 7, NULL);
    cl->clReleaseMemObject(to[i]);
  }
  cl->clReleaseMemObject(from);
}

/* --- parts --- */

static void check_parts(void)
{
  kit_about("parts of a buffer, each at one device");
  cl_mem buffer = buffer_of(0), parts[DEVICES];
  cl_event events[DEVICES];
  for (int i = 0; i < DEVICES; i++) {
    const cl_buffer_region region = {(size_t)i * HALF * sizeof(int), HALF * sizeof(int)};
    cl_int code = CL_SUCCESS;
    parts[i] = cl->clCreateSubBuffer(buffer, 0, CL_BUFFER_CREATE_TYPE_REGION, &region, &code);
    check_code(code, CL_SUCCESS, "clCreateSubBuffer");
    events[i] = launch_add(in_order[i], parts[i], i + 5, HALF, NULL);
  }
  check_code(cl->clWaitForEvents(DEVICES, events), CL_SUCCESS, "clWaitForEvents");
  for (int i = 0; i < DEVICES; i++) {
    check_ints(in_order[1 - i], parts[i], 0, HALF, i + 5, NULL);
    check_ints(in_order[i], buffer, 0, HALF, 5, NULL);
    check_ints(in_order[i], buffer, HALF, HALF, 6, NULL);
    cl->clReleaseEvent(events[i]);
  }
  cl->clReleaseMemObject(buffer);
  for (int i = 0; i < DEVICES; i++)
    cl->clReleaseMemObject(parts[i]);
}

/* --- copies, maps, images --- */

static void check_copies(void)
{
  kit_about("copies and maps");
  cl_mem from = buffer_of(3), to = buffer_of(0);
  cl_int code = CL_SUCCESS;
  cl_event done = launch_add(in_order[0], from, 1, N, NULL), copied = NULL;
  check_code(cl->clEnqueueCopyBuffer(in_order[1], from, to, 0, HALF * sizeof(int),
                                     HALF * sizeof(int), 1, &done, &copied),
             CL_SUCCESS, "clEnqueueCopyBuffer");
  check_ints(in_order[0], to, HALF, HALF, 4, copied);
  check_ints(in_order[0], to, 0, HALF, 0, NULL);
  int *map = cl->clEnqueueMapBuffer(in_order[1], to, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, 0,
                                    N * sizeof *map, 0, NULL, NULL, &code);
  check_code(code, CL_SUCCESS, "clEnqueueMapBuffer");
  kit_check(map[0] == 0 && map[N - 1] == 4, "mapped are %d, %d", map[0], map[N - 1]);
  for (int i = 0; i < N; i++)
    map[i] = 9;
  cl_event unmapped = NULL; /* on the other device */
  check_code(cl->clEnqueueUnmapMemObject(in_order[0], to, map, 0, NULL, &unmapped), CL_SUCCESS,
             "clEnqueueUnmapMemObject");
  check_ints(in_order[1], to, 0, N, 9, unmapped);
  cl->clReleaseEvent(done);
  cl->clReleaseEvent(copied);
  cl->clReleaseEvent(unmapped);
  cl->clReleaseMemObject(from);
  cl->clReleaseMemObject(to);
}

static void check_images(void)
{
  kit_about("images");
  enum { SIDE = 16 };
  const cl_image_format format = {CL_RGBA, CL_UNSIGNED_INT8};
  const cl_image_desc desc = {
      .image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = SIDE, .image_height = SIDE};
  const size_t origin[3] = {0, 0, 0}, line[3] = {SIDE, 1, 1}, all[3] = {SIDE, SIDE, 1};
  unsigned char row[SIDE * 4], got[SIDE * SIDE * 4];
  const unsigned colour[4] = {1, 2, 3, 4};
  cl_int code = CL_SUCCESS;
  cl_event filled = NULL, written = NULL;
  cl_mem image = cl->clCreateImage(both, 0, &format, &desc, NULL, &code);
  check_code(code, CL_SUCCESS, "clCreateImage");
  memset(row, 77, sizeof row);
  check_code(cl->clEnqueueFillImage(in_order[1], image, colour, origin, all, 0, NULL, &filled),
             CL_SUCCESS, "clEnqueueFillImage");
  check_code(cl->clEnqueueWriteImage(in_order[0], image, CL_FALSE, origin, line, 0, 0, row, 1,
                                     &filled, &written),
             CL_SUCCESS, "clEnqueueWriteImage");
  check_code(cl->clEnqueueReadImage(in_order[1], image, CL_TRUE, origin, all, 0, 0, got, 1,
                                    &written, NULL),
             CL_SUCCESS, "clEnqueueReadImage");
  kit_check(memcmp(got, row, sizeof row) == 0, "the first row is %d", got[0]);
  kit_check(got[SIDE * 4] == 1 && got[sizeof got - 1] == 4, "others are %d, %d", got[SIDE * 4],
            got[sizeof got - 1]);
  cl->clReleaseEvent(filled);
  cl->clReleaseEvent(written);
  cl->clReleaseMemObject(image);
}

/* A rejected command has written nothing: the data that it would have overwritten is still there.
 */
static void check_rejections(void)
{
  kit_about("commands that are refused");
  const cl_image_format format = {CL_RGBA, CL_UNSIGNED_INT8};
  const cl_image_desc desc = {
      .image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 4, .image_height = 4};
  const size_t origin[3] = {0, 0, 0}, all[3] = {4, 4, 1};
  const unsigned colour[4] = {9, 9, 9, 9};
  unsigned char got[64], colours[16];
  cl_int code = CL_SUCCESS;
  cl_mem from = buffer_of(1), to = buffer_of(2);
  cl_mem image = cl->clCreateImage(both, 0, &format, &desc, NULL, &code);
  cl_event events[] = {launch_add(in_order[1], to, 3, N, NULL), NULL};
  memset(colours, 9, sizeof colours);
  check_code(cl->clEnqueueFillImage(in_order[1], image, colour, origin, all, 0, NULL, &events[1]),
             CL_SUCCESS, "clEnqueueFillImage");
  check_code(cl->clWaitForEvents(2, events), CL_SUCCESS, "clWaitForEvents");
  check_code(cl->clEnqueueCopyBuffer(in_order[0], from, to, HALF * sizeof(int), 0, N * sizeof(int),
                                     0, NULL, NULL),
             CL_INVALID_VALUE, "clEnqueueCopyBuffer");
  /* PoCL accepts an image as a buffer. */
  code = cl->clEnqueueWriteBuffer(in_order[0], image, CL_TRUE, 0, 16, colours, 0, NULL, NULL);
  kit_check(code == CL_SUCCESS || code == CL_INVALID_MEM_OBJECT, "clEnqueueWriteBuffer: %d", code);
  check_ints(in_order[0], to, 0, N, 5, NULL);
  check_code(
      cl->clEnqueueReadImage(in_order[0], image, CL_TRUE, origin, all, 0, 0, got, 0, NULL, NULL),
      CL_SUCCESS, "clEnqueueReadImage");
  kit_check(got[0] == 9 && got[63] == 9, "pixels are %d, %d", got[0], got[63]);
  for (size_t i = 0; i < 2; i++)
    cl->clReleaseEvent(events[i]);
  cl->clReleaseMemObject(from);
  cl->clReleaseMemObject(to);
  cl->clReleaseMemObject(image);
}

/* --- the program's own events --- */

/* A command that waits runs later than one that was enqueued after it, and sees what that wrote at
 * the other device. */
static void check_user_events(void)
{
  kit_about("a user event");
  cl_int code = CL_SUCCESS;
  cl_mem buffer = buffer_of(1);
  cl_event user = cl->clCreateUserEvent(both, &code);
  cl_event late = launch_add(in_order[0], buffer, 10, N, user);
  cl_event behind = launch_add(unordered[1], buffer, 100, N, late);
  cl_event early = launch_add(unordered[1], buffer, 1000, N, NULL);
  check_code(cl->clWaitForEvents(1, &early), CL_SUCCESS, "clWaitForEvents");
  check_ints(unordered[1], buffer, 0, N, 1001, NULL);
  check_code(cl->clSetUserEventStatus(user, CL_COMPLETE), CL_SUCCESS, "clSetUserEventStatus");
  check_code(cl->clFinish(in_order[0]), CL_SUCCESS, "clFinish");
  check_code(cl->clFinish(unordered[1]), CL_SUCCESS, "clFinish");
  check_ints(in_order[0], buffer, 0, N, 1111, NULL);
  cl_event failed = cl->clCreateUserEvent(both, &code);
  cl_event never = launch_add(in_order[1], buffer, 1, N, failed);
  cl->clSetUserEventStatus(failed, -1);
  check_code(cl->clWaitForEvents(1, &never), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST,
             "clWaitForEvents");
  check_ints(in_order[0], buffer, 0, N, 1111, NULL);
  cl_event all[] = {user, late, behind, early, failed, never};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++)
    cl->clReleaseEvent(all[i]);
  cl->clReleaseMemObject(buffer);
}

/* --- threads, and what is released early --- */

static void *thread_run(void *argument)
{
  const int self = (int)(intptr_t)argument;
  cl_int code = CL_SUCCESS;
  int values[N], got[N];
  cl_mem buffer = cl->clCreateBuffer(both, 0, sizeof values, NULL, &code);
  for (int round = 0; round < ROUNDS * 4; round++) {
    cl_event written = NULL;
    for (int i = 0; i < N; i++)
      values[i] = self * 1000 + round + i;
    check_code(cl->clEnqueueWriteBuffer(in_order[round % 2], buffer, CL_FALSE, 0, sizeof values,
                                        values, 0, NULL, &written),
               CL_SUCCESS, "clEnqueueWriteBuffer");
    check_code(cl->clEnqueueReadBuffer(unordered[1 - round % 2], buffer, CL_TRUE, 0, sizeof got,
                                       got, 1, &written, NULL),
               CL_SUCCESS, "clEnqueueReadBuffer");
    kit_check(memcmp(values, got, sizeof got) == 0, "of thread %d, turn %d: %d", self, round,
              got[0]);
    cl->clReleaseEvent(written);
  }
  cl->clReleaseMemObject(buffer);
  return NULL;
}

static void check_threads(void)
{
  kit_about("threads");
  pthread_t threads[3];
  for (int i = 0; i < 3; i++)
    pthread_create(&threads[i], NULL, thread_run, (void *)(intptr_t)i);
  for (int i = 0; i < 3; i++)
    pthread_join(threads[i], NULL);
}

static int deleted;

static void CL_CALLBACK count_deleted(cl_mem memory, void *data)
{
  (void)memory;
  (void)data;
  __atomic_fetch_add(&deleted, 1, __ATOMIC_RELEASE);
}

/* Commands hold what the program has released. */
static void check_releases(void)
{
  kit_about("released early");
  for (int round = 0; round < ROUNDS; round++) {
    cl_mem buffer = buffer_of(round);
    cl->clSetMemObjectDestructorCallback(buffer, count_deleted, NULL);
    cl_event first = launch_add(in_order[round % 2], buffer, 1, N, NULL);
    cl_event second = launch_add(in_order[1 - round % 2], buffer, 1, N, first);
    cl->clReleaseMemObject(buffer);
    cl->clReleaseEvent(first);
    check_code(cl->clWaitForEvents(1, &second), CL_SUCCESS, "clWaitForEvents");
    cl->clReleaseEvent(second);
  }
  kit_await(&deleted, ROUNDS);
  kit_check(deleted == ROUNDS, "%d of %d buffers are deleted", deleted, ROUNDS);
}

/* Unmapped data arrives although its memory object is released at once while the device is busy,
 * for so long that freed memory would be gone. */
static void check_unmapped(void)
{
  enum { BYTES = 40 << 20, COPIES = 8 };
  kit_about("released behind an unmap");
  for (int i = 0; i < DEVICES; i++) {
    cl_int code = CL_SUCCESS;
    cl_mem mapped = cl->clCreateBuffer(both, 0, BYTES, NULL, &code);
    cl_mem other = cl->clCreateBuffer(both, 0, BYTES, NULL, &code), got = buffer_of(0);
    check_code(cl->clEnqueueCopyBuffer(in_order[i], mapped, other, 0, 0, BYTES, 0, NULL, NULL),
               CL_SUCCESS, "clEnqueueCopyBuffer");
    check_code(cl->clFinish(in_order[i]), CL_SUCCESS, "clFinish"); /* the device has them */
    int *map = cl->clEnqueueMapBuffer(in_order[i], mapped, CL_TRUE, CL_MAP_WRITE_INVALIDATE_REGION,
                                      BYTES / 2, N * sizeof *map, 0, NULL, NULL, &code);
    check_code(code, CL_SUCCESS, "clEnqueueMapBuffer");
    for (int j = 0; j < N; j++)
      map[j] = 8;
    for (int copy = 0; copy < COPIES; copy++)
      cl->clEnqueueCopyBuffer(in_order[i], mapped, other, 0, 0, BYTES, 0, NULL, NULL);
    cl->clFlush(in_order[i]);
    cl->clEnqueueUnmapMemObject(in_order[i], mapped, map, 0, NULL, NULL);
    check_code(cl->clEnqueueCopyBuffer(in_order[i], mapped, got, BYTES / 2, 0, N * sizeof *map, 0,
                                       NULL, NULL),
               CL_SUCCESS, "clEnqueueCopyBuffer");
    cl->clReleaseMemObject(mapped);
    check_ints(in_order[i], got, 0, N, 8, NULL);
    cl->clReleaseMemObject(other);
    cl->clReleaseMemObject(got);
  }
}

/* --- writes that fail --- */

/* Enqueues a write of these values, which must not change until it is complete. Returns its event,
 * or NULL if it failed at once. */
static cl_event write_ints(cl_command_queue on, cl_mem buffer, size_t from, size_t count,
                           const int *values)
{
  cl_event event = NULL;
  const cl_int code = cl->clEnqueueWriteBuffer(on, buffer, CL_FALSE, from * sizeof *values,
                                               count * sizeof *values, values, 0, NULL, &event);
  if (code != CL_SUCCESS)
    return NULL;
  cl->clFlush(on);
  return event;
}

static void write_fails(cl_command_queue on, cl_mem buffer, size_t from, size_t count)
{
  int values[N];
  fill(values, VOCL_FAILS);
  cl_event event = write_ints(on, buffer, from, count, values);
  kit_check(event == NULL || cl->clWaitForEvents(1, &event) != CL_SUCCESS, "a write succeeds");
  if (event != NULL)
    cl->clReleaseEvent(event);
}

/* Checks that data that one device has written is valid after the other one has failed to overwrite
 * it. */
static void check_failures(void)
{
  kit_about("writes that fail");
  int fails[N], nines[N];
  fill(fails, VOCL_FAILS);
  fill(nines, 9);
  for (int round = 0; round < ROUNDS; round++) {
    cl_command_queue *queues = round / 2 % 2 == 0 ? in_order : unordered;
    cl_command_queue here = queues[round % 2], there = queues[1 - round % 2];
    cl_mem buffer = buffer_of(1);
    cl_event added = launch_add(there, buffer, 3, N, NULL);
    check_code(cl->clWaitForEvents(1, &added), CL_SUCCESS, "clWaitForEvents");
    write_fails(here, buffer, 0, N);
    check_ints(there, buffer, 0, N, 4, NULL);
    write_fails(here, buffer, 0, HALF);
    check_ints(here, buffer, 0, N, 4, NULL);
    write_fails(here, buffer, 0, N);
    write_fails(there, buffer, HALF, HALF);
    cl_event none = write_ints(here, buffer, 0, N, fails);
    cl_event written = write_ints(here, buffer, 0, HALF, nines);
    cl->clFinish(here);
    kit_check(none == NULL || cl->clWaitForEvents(1, &none) != CL_SUCCESS, "a write succeeds");
    check_ints(there, buffer, 0, HALF, 9, written);
    check_ints(here, buffer, HALF, HALF, 4, NULL);
    check_ints(there, buffer, HALF, HALF, 4, NULL);
    if (none != NULL)
      cl->clReleaseEvent(none);
    cl->clReleaseEvent(added);
    cl->clReleaseEvent(written);
    cl->clReleaseMemObject(buffer);
  }
}

/* Checks the initial contents of a buffer that is larger than its devices report as their limit. */
static void check_large(void)
{
  kit_about("a large buffer");
  enum { BYTES = 2 * VOCL_SMALL, MANY = BYTES / sizeof(int) };
  int *values = kit_alloc(MANY, sizeof *values);
  cl_int code = CL_SUCCESS;
  for (int i = 0; i < MANY; i++)
    values[i] = 3;
  cl_mem buffer = cl->clCreateBuffer(both, CL_MEM_COPY_HOST_PTR, BYTES, values, &code);
  check_code(code, CL_SUCCESS, "clCreateBuffer");
  check_ints(in_order[0], buffer, 0, N, 3, NULL);
  check_ints(in_order[1], buffer, MANY - N, N, 3, NULL);
  /* The program's memory must not be read if the vendor rejects the size. */
  kit_check(cl->clCreateBuffer(both, CL_MEM_COPY_HOST_PTR, (size_t)1 << 50, values, &code) == NULL,
            "a buffer of a petabyte");
  check_code(code, CL_INVALID_BUFFER_SIZE, "clCreateBuffer");
  cl->clReleaseMemObject(buffer);
  free(values);
}

/* --- what is left --- */

static _Noreturn void leave(void)
{
  for (int i = 0; i < ROUNDS; i++)
    check_ints(in_order[0], buffer_of(i), 0, N, i, NULL); /* the device has it */
  exit(kit_finish());
}

/* --- a location is lost --- */

/* A context whose first device is lost still works. */
static void check_first_lost(cl_context first, cl_command_queue on, cl_program before)
{
  kit_about("a context whose first device is lost");
  const cl_image_format format = {CL_RGBA, CL_UNSIGNED_INT8};
  const cl_image_desc desc = {
      .image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 4, .image_height = 4};
  const cl_buffer_region region = {0, HALF * sizeof(int)};
  int values[N];
  cl_int code = CL_SUCCESS;
  cl_uint count = 0;
  for (int i = 0; i < N; i++)
    values[i] = 4;
  cl_mem buffer = cl->clCreateBuffer(first, CL_MEM_COPY_HOST_PTR, sizeof values, values, &code);
  check_code(code, CL_SUCCESS, "clCreateBuffer");
  check_ints(on, buffer, 0, N, 4, NULL);
  cl_mem part = cl->clCreateSubBuffer(buffer, 0, CL_BUFFER_CREATE_TYPE_REGION, &region, &code);
  check_code(code, CL_SUCCESS, "clCreateSubBuffer");
  check_ints(on, part, 0, HALF, 4, NULL);
  cl_mem image = cl->clCreateImage(first, 0, &format, &desc, NULL, &code);
  check_code(code, CL_SUCCESS, "clCreateImage");
  check_code(cl->clGetSupportedImageFormats(first, CL_MEM_READ_WRITE, CL_MEM_OBJECT_IMAGE2D, 0,
                                            NULL, &count),
             CL_SUCCESS, "clGetSupportedImageFormats");
  kit_check(count > 0, "there are no formats");
  const char *strings[] = {text};
  cl_program after = cl->clCreateProgramWithSource(first, 1, strings, NULL, &code);
  check_code(code, CL_SUCCESS, "clCreateProgramWithSource");
  check_code(cl->clBuildProgram(after, 0, NULL, NULL, NULL, NULL), CL_SUCCESS, "clBuildProgram");
  for (int i = 0; i < 2; i++) {
    cl_kernel kernel = cl->clCreateKernel(i == 0 ? before : after, "sum", &code);
    check_code(code, CL_SUCCESS, "clCreateKernel");
    cl->clReleaseKernel(kernel);
  }
  const unsigned char nothing[] = "no binary", *binaries[] = {nothing, nothing};
  const size_t lengths[] = {sizeof nothing, sizeof nothing};
  cl_int statuses[] = {CL_SUCCESS, CL_SUCCESS};
  cl->clCreateProgramWithBinary(first, DEVICES, devices, lengths, binaries, statuses, &code);
  check_code(code, CL_INVALID_BINARY, "clCreateProgramWithBinary");
  check_code(statuses[1], CL_DEVICE_NOT_AVAILABLE, "the lost device's binary");
  cl_sampler sampler =
      cl->clCreateSampler(first, CL_FALSE, CL_ADDRESS_NONE, CL_FILTER_NEAREST, &code);
  check_code(code, CL_SUCCESS, "clCreateSampler");
  cl->clReleaseSampler(sampler);
  cl->clReleaseProgram(after);
  cl->clReleaseMemObject(image);
  cl->clReleaseMemObject(part);
  cl->clReleaseMemObject(buffer);
}

static void check_lost(const char *command)
{
  kit_about("a lost device");
  char line[512];
  cl_mem buffer = buffer_of(5), there = buffer_of(6);
  cl_int code = CL_SUCCESS;
  const cl_device_id turned[DEVICES] = {devices[1], devices[0]};
  cl_context first = cl->clCreateContext(NULL, DEVICES, turned, NULL, NULL, &code);
  check_code(code, CL_SUCCESS, "clCreateContext");
  cl_command_queue on = cl->clCreateCommandQueue(first, devices[0], 0, &code);
  const char *strings[] = {text};
  cl_program before = cl->clCreateProgramWithSource(first, 1, strings, NULL, &code);
  check_code(cl->clBuildProgram(before, 0, NULL, NULL, NULL, NULL), CL_SUCCESS, "clBuildProgram");
  cl_event moved = launch_add(in_order[1], there, 1, N, NULL);
  check_code(cl->clWaitForEvents(1, &moved), CL_SUCCESS, "clWaitForEvents");
  cl_event user = cl->clCreateUserEvent(both, &code);
  cl_event waits = launch_add(in_order[1], there, 1, N, user);
  snprintf(line, sizeof line, "'%s' stop", command);
  kit_check(system(line) == 0, "%s", line); /* NOLINT(cert-env33-c): it is ours */
  for (int i = 0; i < 60000 && cl->clFinish(in_order[1]) == CL_SUCCESS; i++)
    usleep(1000);
  check_code(cl->clWaitForEvents(1, &waits), CL_DEVICE_NOT_AVAILABLE, "clWaitForEvents");
  int got[N];
  kit_check(cl->clEnqueueReadBuffer(in_order[0], there, CL_TRUE, 0, sizeof got, got, 0, NULL,
                                    NULL) != CL_SUCCESS,
            "what the lost device had is lost");
  cl_event continues = launch_add(in_order[0], buffer, 2, N, NULL);
  check_ints(in_order[0], buffer, 0, N, 7, continues);
  check_code(cl->clSetUserEventStatus(user, CL_COMPLETE), CL_SUCCESS, "clSetUserEventStatus");
  cl_event all[] = {moved, user, waits, continues};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++)
    cl->clReleaseEvent(all[i]);
  cl->clReleaseMemObject(buffer);
  cl->clReleaseMemObject(there);
  check_first_lost(first, on, before);
  cl->clReleaseProgram(before);
  cl->clReleaseCommandQueue(on);
  cl->clReleaseContext(first);
}

/* --- all of it --- */

static void begin(void)
{
  kit_about("the context");
  const char *strings[] = {text};
  cl_int code = CL_SUCCESS;
  cl_uint count = 0;
  cl->clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, DEVICES, devices, &count);
  kit_check(count == DEVICES, "there are %u devices", count);
  both = cl->clCreateContext(NULL, DEVICES, devices, NULL, NULL, &code);
  check_code(code, CL_SUCCESS, "clCreateContext");
  for (int i = 0; i < DEVICES; i++) {
    in_order[i] = cl->clCreateCommandQueue(both, devices[i], 0, &code);
    unordered[i] =
        cl->clCreateCommandQueue(both, devices[i], CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, &code);
    check_code(code, CL_SUCCESS, "clCreateCommandQueue");
  }
  program = cl->clCreateProgramWithSource(both, 1, strings, NULL, &code);
  check_code(cl->clBuildProgram(program, 0, NULL, NULL, NULL, NULL), CL_SUCCESS, "clBuildProgram");
  add = cl->clCreateKernel(program, "add", &code);
  sum = cl->clCreateKernel(program, "sum", &code);
  check_code(code, CL_SUCCESS, "clCreateKernel");
}

static void end(void)
{
  cl->clReleaseContext(both); /* first, because the other objects keep the context */
  cl->clReleaseProgram(program);
  cl->clReleaseKernel(add);
  cl->clReleaseKernel(sum);
  for (int i = 0; i < DEVICES; i++) {
    cl->clReleaseCommandQueue(in_order[i]);
    cl->clReleaseCommandQueue(unordered[i]);
  }
}

int main(int argc, char **argv)
{
  kit_start(&argc, &argv, "vocl_many");
  vocl_open(argv[1]);
  begin();
  if (argc > 3) {
    check_lost(argv[3]);
  } else if (strcmp(argv[2], "fails") == 0) {
    check_failures();
    many_check_unreported(devices[1]);
    check_large();
  } else if (strcmp(argv[2], "leaves") == 0) {
    leave();
  } else {
    check_from_type();
    check_builds();
    kit_about("in turns, in order");
    check_rounds(in_order);
    kit_about("in turns, out of order");
    check_rounds(unordered);
    check_constant();
    check_parts();
    check_copies();
    check_images();
    check_rejections();
    check_user_events();
    check_threads();
    check_releases();
    check_unmapped();
  }
  end();
  return kit_finish();
}
