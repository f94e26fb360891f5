/* A program with a device at a proxy: data of all lengths and shapes, commands that wait at the
 * client, maps, events, threads, fork, and the end of the proxy. */
#include "test_proxy.h"
#include "vocl.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { N = 1024, MUCH = 24 << 20 };

static const char *text = "kernel void add(global int *a, int by) { a[get_global_id(0)] += by; }\n"
                          "kernel void slow(global int *a) { for (int i = 0; i < 1000000; i++)"
                          " a[get_global_id(0)] += i ^ a[0]; }\n";

static cl_program program;
static cl_command_queue unordered;

static cl_mem buffer_of(size_t bytes)
{
  cl_int code = CL_SUCCESS;
  cl_mem buffer = cl->clCreateBuffer(context, 0, bytes, NULL, &code);
  check_code(code, CL_SUCCESS, "clCreateBuffer");
  return buffer;
}

static cl_int status_of(cl_event event)
{
  return VOCL_GET(cl_int, clGetEventInfo, event, CL_EVENT_COMMAND_EXECUTION_STATUS);
}

static cl_event user_event(void)
{
  cl_int code = CL_SUCCESS;
  cl_event event = cl->clCreateUserEvent(context, &code);
  check_code(code, CL_SUCCESS, "clCreateUserEvent");
  return event;
}

static void set(cl_event event, cl_int status)
{
  check_code(cl->clSetUserEventStatus(event, status), CL_SUCCESS, "clSetUserEventStatus");
}

static void write_ints(cl_command_queue on, cl_mem buffer, const int *values, cl_uint waits,
                       const cl_event *wait, cl_event *event)
{
  check_code(cl->clEnqueueWriteBuffer(on, buffer, CL_FALSE, 0, N * sizeof *values, values, waits,
                                      wait, event),
             CL_SUCCESS, "write");
}

static void read_ints(cl_command_queue on, cl_mem buffer, int *values, cl_uint waits,
                      const cl_event *wait, cl_event *event)
{
  check_code(cl->clEnqueueReadBuffer(on, buffer, CL_FALSE, 0, N * sizeof *values, values, waits,
                                     wait, event),
             CL_SUCCESS, "read");
}

static double seconds(void)
{
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* --- data --- */

static void check_lengths(void)
{
  static const size_t lengths[] = {1, 7, 64, 4096, 65537, 1 << 20, (1 << 20) + 1, (40 << 20) + 3};
  for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
    const size_t bytes = lengths[i];
    kit_about("%zu bytes", bytes);
    unsigned char *sent = kit_alloc(bytes, 1), *got = kit_alloc(bytes, 1);
    for (size_t b = 0; b < bytes; b++)
      sent[b] = (unsigned char)(b * 2654435761u >> 13);
    cl_mem one = buffer_of(bytes), other = buffer_of(bytes);
    check_code(cl->clEnqueueWriteBuffer(queue, one, CL_FALSE, 0, bytes, sent, 0, NULL, NULL),
               CL_SUCCESS, "write");
    check_code(cl->clEnqueueCopyBuffer(queue, one, other, 0, 0, bytes, 0, NULL, NULL), CL_SUCCESS,
               "copy");
    check_code(cl->clEnqueueReadBuffer(queue, other, CL_TRUE, 0, bytes, got, 0, NULL, NULL),
               CL_SUCCESS, "read");
    kit_check_bytes(got, sent, bytes, "came back");
    cl->clReleaseMemObject(one);
    cl->clReleaseMemObject(other);
    free(sent);
    free(got);
  }
}

/* Writes a box of memory with gaps to a box of a buffer, and reads it back with other gaps. */
static void check_boxes(void)
{
  enum { ROW = 13, ROWS = 9, SLICES = 4, PITCH = 31, SLICE = PITCH * 12 };
  kit_about("boxes");
  static unsigned char sent[SLICE * SLICES], got[SLICE * SLICES], wanted[SLICE * SLICES];
  const size_t at[] = {3, 2, 1}, here[] = {5, 1, 0}, region[] = {ROW, ROWS, SLICES - 1};
  for (size_t b = 0; b < sizeof sent; b++)
    sent[b] = (unsigned char)(b * 7 + 1);
  memset(got, 0xee, sizeof got);
  memcpy(wanted, got, sizeof got);
  for (size_t z = 0; z < region[2]; z++)
    for (size_t y = 0; y < region[1]; y++)
      memcpy(&wanted[(z + here[2]) * SLICE + (y + here[1]) * PITCH + here[0]],
             &sent[(z + here[2]) * SLICE + (y + here[1]) * PITCH + here[0]], ROW);
  cl_mem buffer = buffer_of(sizeof sent);
  check_code(cl->clEnqueueWriteBufferRect(queue, buffer, CL_FALSE, at, here, region, PITCH, SLICE,
                                          PITCH, SLICE, sent, 0, NULL, NULL),
             CL_SUCCESS, "write");
  check_code(cl->clEnqueueReadBufferRect(queue, buffer, CL_TRUE, at, here, region, PITCH, SLICE,
                                         PITCH, SLICE, got, 0, NULL, NULL),
             CL_SUCCESS, "read");
  kit_check_bytes(got, wanted, sizeof got, "with its gaps");
  cl->clReleaseMemObject(buffer);
}

/* Writes to a buffer again before the earlier read has been examined. */
static void check_rounds(void)
{
  enum { BYTES = 3 << 20 };
  kit_about("a write from what is being read");
  unsigned char *sent = kit_alloc(BYTES, 1), *over = kit_alloc(BYTES, 1),
                *got = kit_alloc(BYTES, 1);
  for (size_t b = 0; b < BYTES; b++)
    sent[b] = (unsigned char)(b * 31 + b / 4096);
  cl_mem one = buffer_of(BYTES), other = buffer_of(BYTES);
  for (int round = 0; round < 5; round++) {
    memset(over, 0, BYTES);
    cl->clEnqueueWriteBuffer(queue, one, CL_FALSE, 0, BYTES, sent, 0, NULL, NULL);
    cl->clEnqueueReadBuffer(queue, one, CL_FALSE, 0, BYTES, over, 0, NULL, NULL);
    cl->clEnqueueWriteBuffer(queue, other, CL_FALSE, 0, BYTES, over, 0, NULL, NULL);
    check_code(cl->clEnqueueReadBuffer(queue, other, CL_TRUE, 0, BYTES, got, 0, NULL, NULL),
               CL_SUCCESS, "read");
    kit_check_bytes(got, sent, BYTES, "what was read");
  }
  cl->clReleaseMemObject(one);
  cl->clReleaseMemObject(other);
  free(sent);
  free(over);
  free(got);
}

/* --- commands that wait at the client --- */

static void check_order(void)
{
  kit_about("a queue that waits");
  int values[N], got[N] = {0};
  for (int i = 0; i < N; i++)
    values[i] = i;
  cl_mem one = buffer_of(sizeof values), other = buffer_of(sizeof values);
  cl_event user = user_event(), write = NULL, read = NULL;
  write_ints(queue, one, values, 1, &user, &write);
  check_code(cl->clEnqueueCopyBuffer(queue, one, other, 0, 0, sizeof values, 0, NULL, NULL),
             CL_SUCCESS, "copy");
  read_ints(queue, other, got, 0, NULL, &read);
  check_code(cl->clFlush(queue), CL_SUCCESS, "clFlush");
  usleep(20000);
  kit_check(status_of(write) > CL_RUNNING && status_of(read) > CL_RUNNING, "they have begun");
  kit_check(got[1] == 0, "it was read too early");
  set(user, CL_COMPLETE);
  check_code(cl->clFinish(queue), CL_SUCCESS, "clFinish");
  kit_check_bytes(got, values, sizeof got, "in order");
  kit_check(status_of(read) == CL_COMPLETE, "status %d", status_of(read));
  cl->clReleaseEvent(user);
  cl->clReleaseEvent(write);
  cl->clReleaseEvent(read);
  cl->clReleaseMemObject(one);
  cl->clReleaseMemObject(other);
}

/* Checks that a launch that waits uses the arguments of the time of its call. */
static void check_arguments(void)
{
  kit_about("arguments of a launch that waits");
  int values[N] = {0}, got[N];
  const int by_one = 1, by_ten = 10;
  const size_t count = N;
  cl_int code = CL_SUCCESS;
  cl_mem buffer = buffer_of(sizeof values);
  cl_kernel kernel = cl->clCreateKernel(program, "add", &code);
  check_code(code, CL_SUCCESS, "clCreateKernel");
  write_ints(queue, buffer, values, 0, NULL, NULL);
  cl->clFinish(queue);
  cl_event user = user_event(), launched = NULL;
  cl->clSetKernelArg(kernel, 0, sizeof buffer, &buffer);
  cl->clSetKernelArg(kernel, 1, sizeof by_one, &by_one);
  check_code(
      cl->clEnqueueNDRangeKernel(unordered, kernel, 1, NULL, &count, NULL, 1, &user, &launched),
      CL_SUCCESS, "launch");
  cl->clSetKernelArg(kernel, 1, sizeof by_ten, &by_ten);
  set(user, CL_COMPLETE);
  check_code(
      cl->clEnqueueNDRangeKernel(unordered, kernel, 1, NULL, &count, NULL, 1, &launched, NULL),
      CL_SUCCESS, "launch");
  check_code(cl->clFinish(unordered), CL_SUCCESS, "clFinish");
  read_ints(queue, buffer, got, 0, NULL, NULL);
  cl->clFinish(queue);
  kit_check(got[0] == 11 && got[N - 1] == 11, "%d and %d", got[0], got[N - 1]);
  cl->clReleaseEvent(user);
  cl->clReleaseEvent(launched);
  cl->clReleaseKernel(kernel);
  cl->clReleaseMemObject(buffer);
}

/* Checks that only commands with dependences wait in an out-of-order queue. */
static void check_disorder(void)
{
  kit_about("a queue without order");
  int values[N] = {1, 2, 3}, got[N] = {0}, later[N] = {0};
  cl_mem buffer = buffer_of(sizeof values);
  cl_event user = user_event(), first = NULL, second = NULL, barrier = NULL;
  write_ints(queue, buffer, values, 0, NULL, NULL);
  cl->clFinish(queue);
  check_code(cl->clEnqueueMarkerWithWaitList(unordered, 1, &user, &first), CL_SUCCESS, "marker");
  read_ints(unordered, buffer, got, 0, NULL, &second);
  check_code(cl->clWaitForEvents(1, &second), CL_SUCCESS, "clWaitForEvents");
  kit_check(got[2] == 3, "it waits for what it need not");
  check_code(cl->clEnqueueBarrierWithWaitList(unordered, 0, NULL, &barrier), CL_SUCCESS, "barrier");
  read_ints(unordered, buffer, later, 0, NULL, NULL);
  usleep(20000);
  kit_check(later[2] == 0, "it passes a barrier");
  set(user, CL_COMPLETE);
  check_code(cl->clFinish(unordered), CL_SUCCESS, "clFinish");
  kit_check(later[2] == 3 && status_of(barrier) == CL_COMPLETE, "after the barrier");
  cl_event all[] = {user, first, second, barrier};
  for (int i = 0; i < 4; i++)
    cl->clReleaseEvent(all[i]);
  cl->clReleaseMemObject(buffer);
}

/* Checks that a launch in another queue sees the data of an earlier blocking write, although the
 * write waits for a long kernel. The other queue exists before the write, or is created after it.
 */
static void check_blocking(void)
{
  kit_about("blocking writes, and another queue");
  int zeros[N] = {0}, values[N], got[N];
  const int by_one = 1;
  const size_t one_item = 1, all = N;
  cl_int code = CL_SUCCESS;
  for (int i = 0; i < N; i++)
    values[i] = 1000 + i;
  for (int is_made_later = 0; is_made_later < 2; is_made_later++) {
    cl_context own = cl->clCreateContext(NULL, 1, &device, NULL, NULL, &code);
    cl_command_queue first = cl->clCreateCommandQueue(own, device, 0, &code);
    cl_command_queue second =
        is_made_later ? NULL : cl->clCreateCommandQueue(own, device, 0, &code);
    cl_program built = cl->clCreateProgramWithSource(own, 1, &text, NULL, &code);
    check_code(cl->clBuildProgram(built, 1, &device, "", NULL, NULL), CL_SUCCESS, "clBuildProgram");
    cl_kernel slow = cl->clCreateKernel(built, "slow", &code);
    cl_kernel add = cl->clCreateKernel(built, "add", &code);
    cl_mem busy = cl->clCreateBuffer(own, 0, sizeof values, NULL, &code);
    cl_mem buffer = cl->clCreateBuffer(own, 0, sizeof values, NULL, &code);
    cl->clEnqueueWriteBuffer(first, busy, CL_FALSE, 0, sizeof zeros, zeros, 0, NULL, NULL);
    cl->clEnqueueWriteBuffer(first, buffer, CL_FALSE, 0, sizeof zeros, zeros, 0, NULL, NULL);
    check_code(cl->clFinish(first), CL_SUCCESS, "clFinish");
    cl->clSetKernelArg(slow, 0, sizeof busy, &busy);
    cl->clSetKernelArg(add, 0, sizeof buffer, &buffer);
    cl->clSetKernelArg(add, 1, sizeof by_one, &by_one);
    for (int i = 0; i < 20; i++)
      cl->clEnqueueNDRangeKernel(first, slow, 1, NULL, &one_item, NULL, 0, NULL, NULL);
    check_code(
        cl->clEnqueueWriteBuffer(first, buffer, CL_TRUE, 0, sizeof values, values, 0, NULL, NULL),
        CL_SUCCESS, "a blocking write");
    if (is_made_later)
      second = cl->clCreateCommandQueue(own, device, 0, &code);
    cl->clEnqueueNDRangeKernel(second, add, 1, NULL, &all, NULL, 0, NULL, NULL);
    check_code(cl->clFinish(second), CL_SUCCESS, "clFinish");
    check_code(cl->clEnqueueReadBuffer(first, buffer, CL_TRUE, 0, sizeof got, got, 0, NULL, NULL),
               CL_SUCCESS, "read");
    kit_check(got[0] == 1001 && got[N - 1] == 1000 + N, "%d and %d behind a launch in a queue %s",
              got[0], got[N - 1], is_made_later ? "that was made later" : "beside it");
    cl->clReleaseMemObject(busy);
    cl->clReleaseMemObject(buffer);
    cl->clReleaseKernel(slow);
    cl->clReleaseKernel(add);
    cl->clReleaseProgram(built);
    cl->clReleaseCommandQueue(first);
    cl->clReleaseCommandQueue(second);
    cl->clReleaseContext(own);
  }
}

static volatile int noted_status;
static int noted_times;

static void CL_CALLBACK note_status(cl_event event, cl_int status, void *data)
{
  (void)event;
  (void)data;
  noted_status = status;
  __atomic_fetch_add(&noted_times, 1, __ATOMIC_SEQ_CST);
}

static void await_noted(int times)
{
  kit_await(&noted_times, times);
  kit_check(noted_times == times, "called %d times", noted_times);
}

static void check_failures(void)
{
  kit_about("an event that failed");
  int values[N] = {0};
  cl_mem buffer = buffer_of(sizeof values);
  cl_event user = user_event(), first = NULL, second = NULL, third = NULL;
  read_ints(queue, buffer, values, 1, &user, &first);
  read_ints(unordered, buffer, values, 1, &first, &second);
  noted_times = 0;
  check_code(cl->clSetEventCallback(second, CL_COMPLETE, note_status, NULL), CL_SUCCESS,
             "callback");
  set(user, -5);
  cl_event all[] = {first, second};
  check_code(cl->clWaitForEvents(2, all), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST,
             "clWaitForEvents");
  kit_check(status_of(first) < 0 && status_of(second) < 0, "they go on: %d, %d", status_of(first),
            status_of(second));
  await_noted(1);
  kit_check(noted_status < 0, "its status is %d", noted_status);
  check_code(cl->clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, 4, values, 1, &user, NULL),
             CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST, "a blocking read");
  check_code(cl->clEnqueueMarkerWithWaitList(queue, 1, &user, &third), CL_SUCCESS, "marker");
  kit_check(status_of(third) < 0, "a marker goes on: %d", status_of(third));
  check_code(cl->clFinish(queue), CL_SUCCESS, "clFinish");
  check_code(cl->clFinish(unordered), CL_SUCCESS, "clFinish");
  cl->clReleaseEvent(user);
  cl->clReleaseEvent(first);
  cl->clReleaseEvent(second);
  cl->clReleaseEvent(third);
  cl->clReleaseMemObject(buffer);
}

/* --- maps --- */

static void check_maps(void)
{
  kit_about("maps");
  int values[N], got[N];
  for (int i = 0; i < N; i++)
    values[i] = i;
  cl_int code = CL_SUCCESS;
  cl_mem buffer = buffer_of(sizeof values);
  write_ints(queue, buffer, values, 0, NULL, NULL);
  int *all = cl->clEnqueueMapBuffer(queue, buffer, CL_TRUE, CL_MAP_READ, 0, sizeof values, 0, NULL,
                                    NULL, &code);
  check_code(code, CL_SUCCESS, "clEnqueueMapBuffer");
  int *part =
      cl->clEnqueueMapBuffer(queue, buffer, CL_TRUE, CL_MAP_WRITE, 400, 40, 0, NULL, NULL, &code);
  check_code(code, CL_SUCCESS, "clEnqueueMapBuffer");
  kit_check(part == all + 100 && part[0] == 100, "two maps do not agree");
  part[0] = -1;
  kit_check(VOCL_GET(cl_uint, clGetMemObjectInfo, buffer, CL_MEM_MAP_COUNT) == 2, "map count");
  cl->clEnqueueUnmapMemObject(queue, buffer, part, 0, NULL, NULL);
  cl->clEnqueueUnmapMemObject(queue, buffer, all, 0, NULL, NULL);
  check_code(cl->clEnqueueUnmapMemObject(queue, buffer, all, 0, NULL, NULL), CL_INVALID_VALUE,
             "unmapped twice");
  values[100] = -1;
  part = cl->clEnqueueMapBuffer(queue, buffer, CL_TRUE, CL_MAP_WRITE_INVALIDATE_REGION, 0, 8, 0,
                                NULL, NULL, &code);
  check_code(code, CL_SUCCESS, "clEnqueueMapBuffer");
  part[0] = values[0] = 70;
  part[1] = values[1] = 80;
  cl->clEnqueueUnmapMemObject(queue, buffer, part, 0, NULL, NULL);
  read_ints(queue, buffer, got, 0, NULL, NULL);
  cl->clFinish(queue);
  kit_check_bytes(got, values, sizeof got, "what was unmapped");
  cl->clReleaseMemObject(buffer);
}

/* Checks that maps and unmaps that transfer no data do not wait for earlier commands in an
 * out-of-order queue. Here the earlier command can run only after them. */
static void check_maps_in_disorder(void)
{
  kit_about("maps in a queue without order");
  cl_int code = CL_SUCCESS;
  cl_mem buffer = buffer_of(4096), other = buffer_of(4096);
  cl_event user = user_event(), kept = NULL, unmapped = NULL;
  int values[N] = {0};
  int *read =
      cl->clEnqueueMapBuffer(unordered, other, CL_TRUE, CL_MAP_READ, 0, 64, 0, NULL, NULL, &code);
  check_code(code, CL_SUCCESS, "clEnqueueMapBuffer");
  write_ints(unordered, buffer, values, 1, &user, &kept);
  int *part = cl->clEnqueueMapBuffer(unordered, other, CL_TRUE, CL_MAP_WRITE_INVALIDATE_REGION, 64,
                                     64, 0, NULL, NULL, &code);
  check_code(code, CL_SUCCESS, "clEnqueueMapBuffer");
  check_code(cl->clEnqueueUnmapMemObject(unordered, other, read, 0, NULL, &unmapped), CL_SUCCESS,
             "clEnqueueUnmapMemObject");
  check_code(cl->clWaitForEvents(1, &unmapped), CL_SUCCESS, "clWaitForEvents");
  kit_check(status_of(kept) > CL_RUNNING, "the command that waits has begun");
  set(user, CL_COMPLETE);
  cl->clEnqueueUnmapMemObject(unordered, other, part, 0, NULL, NULL);
  check_code(cl->clFinish(unordered), CL_SUCCESS, "clFinish");
  cl->clReleaseEvent(user);
  cl->clReleaseEvent(kept);
  cl->clReleaseEvent(unmapped);
  cl->clReleaseMemObject(buffer);
  cl->clReleaseMemObject(other);
}

static void check_own_memory(void)
{
  kit_about("memory of the program's");
  static int own[N];
  int got[N];
  for (int i = 0; i < N; i++)
    own[i] = 3 * i;
  cl_int code = CL_SUCCESS;
  cl_mem buffer = cl->clCreateBuffer(context, CL_MEM_USE_HOST_PTR, sizeof own, own, &code);
  check_code(code, CL_SUCCESS, "clCreateBuffer");
  const cl_buffer_region region = {1024, 1024};
  cl_mem part = cl->clCreateSubBuffer(buffer, 0, CL_BUFFER_CREATE_TYPE_REGION, &region, &code);
  check_code(code, CL_SUCCESS, "clCreateSubBuffer");
  cl_event user = user_event();
  int *mapped = cl->clEnqueueMapBuffer(queue, part, CL_FALSE, CL_MAP_READ | CL_MAP_WRITE, 16, 64, 1,
                                       &user, NULL, &code);
  check_code(code, CL_SUCCESS, "clEnqueueMapBuffer");
  kit_check(mapped == own + 256 + 4, "it is mapped elsewhere");
  own[260] = 0;
  set(user, CL_COMPLETE);
  check_code(cl->clFinish(queue), CL_SUCCESS, "clFinish");
  kit_check(mapped[0] == 780, "%d is mapped", mapped[0]);
  mapped[1] = 5;
  cl->clEnqueueUnmapMemObject(queue, part, mapped, 0, NULL, NULL);
  read_ints(queue, buffer, got, 0, NULL, NULL);
  cl->clFinish(queue);
  kit_check(got[260] == 780 && got[261] == 5 && got[262] == 786, "%d %d %d", got[260], got[261],
            got[262]);
  cl->clReleaseEvent(user);
  cl->clReleaseMemObject(part);
  cl->clReleaseMemObject(buffer);
}

/* --- events and threads --- */

static void check_times(void)
{
  kit_about("times");
  const size_t count = 16;
  cl_ulong times[4];
  cl_event event = NULL;
  cl_mem buffer = buffer_of(4096);
  cl_kernel kernel = cl->clCreateKernel(program, "slow", NULL);
  cl_event user = user_event();
  cl->clSetKernelArg(kernel, 0, sizeof buffer, &buffer);
  check_code(cl->clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &count, NULL, 1, &user, &event),
             CL_SUCCESS, "launch");
  kit_check(cl->clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_END, 8, times, NULL) ==
                CL_PROFILING_INFO_NOT_AVAILABLE,
            "times before the end");
  noted_times = 0;
  check_code(cl->clSetEventCallback(event, CL_COMPLETE, note_status, NULL), CL_SUCCESS, "callback");
  check_code(cl->clFlush(queue), CL_SUCCESS, "clFlush");
  set(user, CL_COMPLETE);
  await_noted(1); /* only the callback is waited for */
  for (cl_uint i = 0; i < 4; i++)
    times[i] = VOCL_GET(cl_ulong, clGetEventProfilingInfo, event, CL_PROFILING_COMMAND_QUEUED + i);
  kit_check(times[0] <= times[1] && times[1] <= times[2] && times[2] < times[3], "not in order");
  cl->clReleaseEvent(user);
  cl->clReleaseEvent(event);
  cl->clReleaseKernel(kernel);
  cl->clReleaseMemObject(buffer);
}

static void *use_queue(void *argument)
{
  cl_mem buffer = argument;
  int wrong = 0;
  for (int i = 0; i < 300; i++) {
    int value = i, got = -1;
    cl_event event = NULL;
    cl->clEnqueueWriteBuffer(queue, buffer, CL_FALSE, 0, 4, &value, 0, NULL, &event);
    cl->clEnqueueReadBuffer(queue, buffer, i % 3 == 0, 0, 4, &got, 1, &event, NULL);
    wrong += cl->clFinish(queue) != CL_SUCCESS || got != i;
    wrong += cl->clWaitForEvents(1, &event) != CL_SUCCESS;
    cl->clReleaseEvent(event);
  }
  return (void *)(intptr_t)wrong;
}

/* Writes more than may be in flight, while other threads write little to the same queue. */
static void *use_much(void *argument)
{
  enum { ROUNDS = 4 };
  static int sent[MUCH / sizeof(int)], got[MUCH / sizeof(int)];
  cl_mem buffer = argument;
  int wrong = 0;
  for (int round = 0; round < ROUNDS; round++) {
    for (size_t i = 0; i < MUCH / sizeof(int); i++)
      sent[i] = (int)i * 7 + round;
    wrong += cl->clEnqueueWriteBuffer(queue, buffer, round % 2 == 0, 0, MUCH, sent, 0, NULL, NULL);
    wrong += cl->clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, MUCH, got, 0, NULL, NULL);
    wrong += memcmp(sent, got, MUCH) != 0;
  }
  cl->clReleaseMemObject(buffer);
  return (void *)(intptr_t)wrong;
}

static void check_threads(void)
{
  enum { THREADS = 4 };
  kit_about("threads on one queue");
  pthread_t threads[THREADS], much;
  cl_mem buffers[THREADS];
  pthread_create(&much, NULL, use_much, buffer_of(MUCH));
  for (int i = 0; i < THREADS; i++) {
    buffers[i] = buffer_of(64);
    pthread_create(&threads[i], NULL, use_queue, buffers[i]);
  }
  for (int i = 0; i < THREADS; i++) {
    void *wrong = NULL;
    pthread_join(threads[i], &wrong);
    kit_check(wrong == NULL, "%d things wrong", (int)(intptr_t)wrong);
    cl->clReleaseMemObject(buffers[i]);
  }
  void *wrong = NULL;
  pthread_join(much, &wrong);
  kit_check(wrong == NULL, "%d things wrong with much data", (int)(intptr_t)wrong);
}

static void check_contexts(void)
{
  kit_about("many contexts");
  for (int i = 0; i < 100; i++) {
    cl_int code = CL_SUCCESS, value = i, got = -1;
    cl_context own = cl->clCreateContext(NULL, 1, &device, NULL, NULL, &code);
    check_code(code, CL_SUCCESS, "clCreateContext");
    cl_command_queue on = cl->clCreateCommandQueue(own, device, 0, &code);
    cl_mem buffer = cl->clCreateBuffer(own, CL_MEM_COPY_HOST_PTR, 4, &value, &code);
    cl->clReleaseContext(own);
    cl->clEnqueueReadBuffer(on, buffer, CL_FALSE, 0, 4, &got, 0, NULL, NULL);
    cl->clReleaseMemObject(buffer);
    check_code(cl->clFinish(on), CL_SUCCESS, "clFinish");
    kit_check(got == i, "%d, not %d", got, i);
    cl->clReleaseCommandQueue(on);
  }
}

/* --- fork, and the end of the proxy --- */

/* The child cannot use its parent's objects, and can use all that it creates itself. */
static int be_child(cl_mem buffer)
{
  int value = 5, got = 0;
  cl_int code = CL_SUCCESS;
  if (cl->clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, 4, &got, 0, NULL, NULL) !=
      CL_DEVICE_NOT_AVAILABLE)
    return 1;
  if (cl->clFinish(queue) != CL_DEVICE_NOT_AVAILABLE || cl->clReleaseMemObject(buffer) != 0)
    return 2;
  cl_context own = cl->clCreateContext(NULL, 1, &device, NULL, NULL, &code);
  if (code != CL_SUCCESS)
    return 3;
  cl_command_queue on = cl->clCreateCommandQueue(own, device, 0, &code);
  cl_mem mine = cl->clCreateBuffer(own, CL_MEM_COPY_HOST_PTR, 4, &value, &code);
  code = cl->clEnqueueReadBuffer(on, mine, CL_TRUE, 0, 4, &got, 0, NULL, NULL);
  return code == CL_SUCCESS && got == 5 ? 0 : 4;
}

static void check_fork(void)
{
  kit_about("fork");
  cl_mem buffer = buffer_of(64);
  const pid_t child = fork();
  if (child == 0)
    _exit(be_child(buffer));
  int status = -1, got = 0;
  waitpid(child, &status, 0);
  kit_check(status == 0, "the child ends with %x", (unsigned)status);
  check_code(cl->clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, 4, &got, 0, NULL, NULL), CL_SUCCESS,
             "the parent's read");
  cl->clReleaseMemObject(buffer);
}

static void *wait_for(void *event)
{
  return (void *)(intptr_t)cl->clWaitForEvents(1, (cl_event *)&event);
}

static void check_end(void)
{
  kit_about("the end of the proxy");
  int values[N] = {0};
  cl_mem buffer = buffer_of(sizeof values);
  cl_event user = user_event(), read = NULL;
  read_ints(queue, buffer, values, 1, &user, &read);
  noted_times = 0;
  check_code(cl->clSetEventCallback(read, CL_COMPLETE, note_status, NULL), CL_SUCCESS, "callback");
  pthread_t thread;
  pthread_create(&thread, NULL, wait_for, read);
  usleep(50000);
  const double begun = seconds();
  kill(vocl_double, SIGKILL);
  void *code = NULL;
  pthread_join(thread, &code);
  check_code((cl_int)(intptr_t)code, CL_DEVICE_NOT_AVAILABLE, "clWaitForEvents");
  await_noted(1);
  kit_check(seconds() - begun < 40, "it took %g s", seconds() - begun);
  kit_check(status_of(read) < 0, "status %d", status_of(read));
  check_code(cl->clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, 4, values, 0, NULL, NULL),
             CL_DEVICE_NOT_AVAILABLE, "read");
  cl_int made = CL_SUCCESS;
  kit_check(cl->clCreateBuffer(context, 0, 64, NULL, &made) == NULL, "a buffer");
  check_code(made, CL_DEVICE_NOT_AVAILABLE, "clCreateBuffer");
  kit_check(cl->clCreateContext(NULL, 1, &device, NULL, NULL, &made) == NULL, "a context");
  check_code(made, CL_DEVICE_NOT_AVAILABLE, "clCreateContext");
  check_code(cl->clFinish(queue), CL_DEVICE_NOT_AVAILABLE, "clFinish");
  check_code(cl->clReleaseEvent(user), CL_SUCCESS, "clReleaseEvent");
  check_code(cl->clReleaseEvent(read), CL_SUCCESS, "clReleaseEvent");
  check_code(cl->clReleaseMemObject(buffer), CL_SUCCESS, "clReleaseMemObject");
}

/* Boxes whose ends wrap to places in the image. PoCL would fill and copy them, somewhere. */
static void check_pixels_outside(void)
{
  enum { SIDE = 4, SLICES = 3, ALL = SIDE * SIDE * SLICES * 4 };
  static const size_t here[3] = {0, 0, 0}, region[3] = {SIDE, SIDE, SLICES};
  static const size_t outside[][3] = {{SIZE_MAX, 0, 0}, {0, SIZE_MAX - 1, 0}, {0, 0, SIZE_MAX}};
  const cl_image_format format = {CL_RGBA, CL_UNSIGNED_INT8};
  const cl_image_desc description = {.image_type = CL_MEM_OBJECT_IMAGE3D,
                                     .image_width = SIDE,
                                     .image_height = SIDE,
                                     .image_depth = SLICES};
  const cl_uint colour[4] = {1, 2, 3, 4};
  cl_int code = CL_SUCCESS;
  kit_about("far pixels");
  cl_mem image = cl->clCreateImage(context, 0, &format, &description, NULL, &code);
  check_code(code, CL_SUCCESS, "clCreateImage");
  cl_mem other = cl->clCreateImage(context, 0, &format, &description, NULL, &code);
  cl_mem buffer = buffer_of(ALL);
  for (size_t i = 0; i < sizeof outside / sizeof *outside; i++) {
    check_code(cl->clEnqueueFillImage(queue, image, colour, outside[i], region, 0, NULL, NULL),
               CL_INVALID_VALUE, "fill");
    check_code(cl->clEnqueueCopyImage(queue, image, other, outside[i], here, region, 0, NULL, NULL),
               CL_INVALID_VALUE, "copy from there");
    check_code(cl->clEnqueueCopyImage(queue, image, other, here, outside[i], region, 0, NULL, NULL),
               CL_INVALID_VALUE, "copy to there");
    check_code(
        cl->clEnqueueCopyImageToBuffer(queue, image, buffer, outside[i], region, 0, 0, NULL, NULL),
        CL_INVALID_VALUE, "to a buffer");
    check_code(
        cl->clEnqueueCopyBufferToImage(queue, buffer, image, 0, outside[i], region, 0, NULL, NULL),
        CL_INVALID_VALUE, "from a buffer");
  }
  check_code(
      cl->clEnqueueCopyImageToBuffer(queue, image, buffer, here, region, SIZE_MAX, 0, NULL, NULL),
      CL_INVALID_VALUE, "to far behind a buffer");
  check_code(cl->clFinish(queue), CL_SUCCESS, "clFinish");
  cl->clReleaseMemObject(image);
  cl->clReleaseMemObject(other);
  cl->clReleaseMemObject(buffer);
}

int main(int argc, char **argv)
{
  vocl_start(&argc, &argv, "vocl_remote");
  cl_int code = CL_SUCCESS;
  unordered =
      cl->clCreateCommandQueue(context, device, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, &code);
  check_code(code, CL_SUCCESS, "clCreateCommandQueue");
  program = vocl_build(text);
  check_lengths();
  check_boxes();
  check_rounds();
  check_order();
  check_arguments();
  check_disorder();
  check_blocking();
  check_failures();
  check_maps();
  check_maps_in_disorder();
  check_own_memory();
  check_times();
  check_threads();
  check_contexts();
  check_pixels_outside();
  check_fork();
  check_end();
  cl->clReleaseProgram(program);
  cl->clReleaseCommandQueue(unordered);
  return vocl_finish();
}
