/* A program whose device is moved while it runs, and whose results are checked all the time.
 *
 *   vocl_moving LIBRARY DEVICE steps ROUNDS    buffers, parts, images, kernels, maps, callbacks
 *   vocl_moving LIBRARY DEVICE builds ROUNDS   builds, compiles and links, one after the other
 *   vocl_moving LIBRARY DEVICE threads ROUNDS  the first one, in three threads with two contexts
 *   vocl_moving LIBRARY DEVICE busy ROUNDS     long kernels: the device is never idle
 *   vocl_moving LIBRARY DEVICE hold WHAT       has what cannot be moved, until its input ends: a
 *                                               map, an event that is not set (event), kernels
 *                                               that take seconds (endless), a part of the device
 *                                               (part), a program that was not built again
 *                                               (rebuilt), is built otherwise for each device
 *                                               (options), was linked for the first one (linked) or
 *                                               is built for the last one afterwards (late); a
 *                                               kernel that it releases meanwhile, to build its
 *                                               program again (released); or `nothing` of that
 *   vocl_moving LIBRARY DEVICE calls ROUNDS    callbacks of a context of the next device launch
 *                                               kernels in one of this device
 *   vocl_moving LIBRARY DEVICE replies ROUNDS  callbacks launch kernels on the device that calls
 *
 * DEVICE is a number, or two with a + between: then each context has both devices, and its commands
 * go to one, then to the other.
 *
 * With 0 rounds they continue until their input ends.
 * It prints a line when it has begun. The exit status is 0 if all was right. */
#include "moving.h"

#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *text =
    "kernel void turn(global uint *a, uint b)\n"
    "{ size_t i = get_global_id(0); a[i] = a[i] * 1664525 + b * SOMETHING; }\n"
    "kernel void add(global const uint *a, global uint *b, local uint *l)\n"
    "{ size_t i = get_global_id(0); l[get_local_id(0)] = a[i]; b[i] += l[get_local_id(0)]; }\n"
    "kernel void paint(write_only image2d_t image, uint b)\n"
    "{ int x = get_global_id(0), y = get_global_id(1);\n"
    "  write_imageui(image, (int2)(x, y), (uint4)(x + b, y, b, 7)); }\n"
    "kernel void spin(global uint *a, uint n)\n"
    "{ uint x = a[0]; for (uint i = 0; i < n; i++) x = x * 1664525 + 1013904223 + (x >> 7);\n"
    "  a[0] = x; }\n";

void migrant_print_begun(void)
{
  static bool has_printed;
  if (!__atomic_exchange_n(&has_printed, true, __ATOMIC_RELAXED)) {
    printf("begun\n");
    fflush(stdout);
  }
}

cl_device_id migrant_devices[2];
cl_uint migrant_device_count;

static cl_mem new_buffer(struct world *w, cl_mem_flags flags, void *host)
{
  cl_int code = CL_SUCCESS;
  cl_mem buffer = cl->clCreateBuffer(w->context, flags, BYTES, host, &code);
  must_be(code, CL_SUCCESS, "clCreateBuffer");
  return buffer;
}

cl_kernel migrant_kernel(struct world *w, const char *name)
{
  cl_int code = CL_SUCCESS;
  cl_kernel kernel = cl->clCreateKernel(w->program, name, &code);
  must_be(code, CL_SUCCESS, name);
  return kernel;
}

void migrant_set(cl_kernel kernel, cl_uint index, size_t size, const void *value)
{
  must_be(cl->clSetKernelArg(kernel, index, size, value), CL_SUCCESS, "clSetKernelArg");
}

cl_command_queue migrant_queue(struct world *w, cl_device_id on, cl_command_queue_properties flags)
{
  cl_int code = CL_SUCCESS;
  cl_command_queue made = cl->clCreateCommandQueue(w->context, on, flags, &code);
  must_be(code, CL_SUCCESS, "clCreateCommandQueue");
  return made;
}

void migrant_world_begin(struct world *w)
{
  cl_int code = CL_SUCCESS;
  const cl_image_format format = {CL_RGBA, CL_UNSIGNED_INT32};
  const cl_image_desc image = {
      .image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = WIDTH, .image_height = HEIGHT};
  const cl_buffer_region half = {BYTES / 2, BYTES / 2};
  for (cl_uint i = 0; i < NUMBERS; i++)
    w->model_a[i] = w->model_b[i] = i * 2654435761U;
  w->context = cl->clCreateContext(NULL, migrant_device_count, migrant_devices, NULL, NULL, &code);
  must_be(code, CL_SUCCESS, "clCreateContext");
  w->queue = migrant_queue(w, migrant_devices[0], CL_QUEUE_PROFILING_ENABLE);
  w->next = migrant_queue(w, migrant_devices[1], CL_QUEUE_PROFILING_ENABLE);
  w->other = migrant_queue(w, migrant_devices[1], CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
  w->program = cl->clCreateProgramWithSource(w->context, 1, &text, NULL, &code);
  must_be(cl->clBuildProgram(w->program, 0, NULL, "-D SOMETHING=1", NULL, NULL), CL_SUCCESS,
          "clBuildProgram");
  w->step_kernel = migrant_kernel(w, "turn");
  w->add = migrant_kernel(w, "add");
  w->paint = migrant_kernel(w, "paint");
  w->a = new_buffer(w, CL_MEM_COPY_HOST_PTR, w->model_a);
  w->b = new_buffer(w, CL_MEM_COPY_HOST_PTR, w->model_b);
  w->part = cl->clCreateSubBuffer(w->a, 0, CL_BUFFER_CREATE_TYPE_REGION, &half, &code);
  must_be(code, CL_SUCCESS, "clCreateSubBuffer");
  w->image = cl->clCreateImage(w->context, CL_MEM_READ_WRITE, &format, &image, NULL, &code);
  must_be(code, CL_SUCCESS, "clCreateImage");
  migrant_set(w->add, 0, sizeof w->a, &w->a);
  migrant_set(w->add, 1, sizeof w->b, &w->b);
  migrant_set(w->add, 2, 64 * sizeof(cl_uint), NULL);
  migrant_set(w->paint, 0, sizeof w->image, &w->image);
}

void migrant_world_end(struct world *w)
{
  cl_kernel kernels[] = {w->step_kernel, w->add, w->paint};
  cl_mem memories[] = {w->part, w->a, w->b, w->image};
  for (size_t i = 0; i < 3; i++)
    must_be(cl->clReleaseKernel(kernels[i]), CL_SUCCESS, "clReleaseKernel");
  for (size_t i = 0; i < 4; i++)
    must_be(cl->clReleaseMemObject(memories[i]), CL_SUCCESS, "clReleaseMemObject");
  must_be(cl->clReleaseProgram(w->program), CL_SUCCESS, "clReleaseProgram");
  must_be(cl->clReleaseCommandQueue(w->queue), CL_SUCCESS, "clReleaseCommandQueue");
  must_be(cl->clReleaseCommandQueue(w->next), CL_SUCCESS, "clReleaseCommandQueue");
  must_be(cl->clReleaseCommandQueue(w->other), CL_SUCCESS, "clReleaseCommandQueue");
  must_be(cl->clReleaseContext(w->context), CL_SUCCESS, "clReleaseContext");
}

void migrant_launch(cl_command_queue on, cl_kernel kernel, size_t items, cl_event *event)
{
  const size_t group = 64;
  must_be(cl->clEnqueueNDRangeKernel(on, kernel, 1, NULL, &items, &group, 0, NULL, event),
          CL_SUCCESS, "clEnqueueNDRangeKernel");
}

void migrant_compare(const struct world *w, const cl_uint *model, const char *what, long round)
{
  for (cl_uint i = 0; i < NUMBERS; i++)
    must(w->got[i] == model[i], "round %ld: number %u of %s is %u, not %u", round, i, what,
         w->got[i], model[i]);
}

static void CL_CALLBACK count_callback(cl_event event, cl_int status, void *data)
{
  (void)event;
  (void)status;
  __atomic_fetch_add((unsigned *)data, 1, __ATOMIC_RELAXED);
}

void migrant_step_numbers(struct world *w, cl_uint b, bool half)
{
  cl_event event = NULL;
  const size_t first = half ? NUMBERS / 2 : 0;
  migrant_set(w->step_kernel, 0, sizeof w->a, half ? &w->part : &w->a);
  migrant_set(w->step_kernel, 1, sizeof b, &b);
  migrant_launch(w->queue, w->step_kernel, NUMBERS - first, &event);
  must_be(cl->clSetEventCallback(event, CL_COMPLETE, count_callback, &w->callbacks), CL_SUCCESS,
          "clSetEventCallback");
  w->wanted++;
  must_be(cl->clReleaseEvent(event), CL_SUCCESS, "clReleaseEvent");
  for (size_t i = first; i < NUMBERS; i++)
    w->model_a[i] = w->model_a[i] * 1664525 + b;
}

/* Adds in the other queue, which is out of order: only events order its commands. */
static void step_add(struct world *w)
{
  cl_event before = NULL, after = NULL;
  must_be(cl->clEnqueueMarkerWithWaitList(w->queue, 0, NULL, &before), CL_SUCCESS, "marker");
  const size_t items = NUMBERS, group = 64;
  must_be(cl->clEnqueueNDRangeKernel(w->other, w->add, 1, NULL, &items, &group, 1, &before, &after),
          CL_SUCCESS, "clEnqueueNDRangeKernel");
  must_be(cl->clEnqueueBarrierWithWaitList(w->queue, 1, &after, NULL), CL_SUCCESS, "barrier");
  must_be(cl->clFlush(w->other), CL_SUCCESS, "clFlush");
  cl->clReleaseEvent(before);
  cl->clReleaseEvent(after);
  for (size_t i = 0; i < NUMBERS; i++)
    w->model_b[i] += w->model_a[i];
}

static void step_paint(struct world *w, cl_uint b)
{
  const size_t items[] = {WIDTH, HEIGHT};
  migrant_set(w->paint, 1, sizeof b, &b);
  must_be(cl->clEnqueueNDRangeKernel(w->queue, w->paint, 2, NULL, items, NULL, 0, NULL, NULL),
          CL_SUCCESS, "clEnqueueNDRangeKernel");
  w->painted = b;
}

static void check_image(struct world *w, long round)
{
  static __thread cl_uint pixels[HEIGHT][WIDTH][4];
  const size_t origin[3] = {0}, region[] = {WIDTH, HEIGHT, 1};
  must_be(cl->clEnqueueReadImage(w->queue, w->image, CL_TRUE, origin, region, 0, 0, pixels, 0, NULL,
                                 NULL),
          CL_SUCCESS, "clEnqueueReadImage");
  for (cl_uint y = 0; y < HEIGHT; y++)
    for (cl_uint x = 0; x < WIDTH; x++)
      must(pixels[y][x][0] == x + w->painted && pixels[y][x][1] == y &&
               pixels[y][x][2] == w->painted && pixels[y][x][3] == 7,
           "round %ld: pixel %u %u is wrong", round, x, y);
}

static void step_map(struct world *w, cl_uint b)
{
  cl_int code = CL_SUCCESS;
  cl_uint *map = cl->clEnqueueMapBuffer(w->queue, w->a, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, 400,
                                        4000, 0, NULL, NULL, &code);
  must_be(code, CL_SUCCESS, "clEnqueueMapBuffer");
  for (cl_uint i = 0; i < 1000; i++) {
    must(map[i] == w->model_a[100 + i], "mapped number %u is %u, not %u", i, map[i],
         w->model_a[100 + i]);
    map[i] = w->model_a[100 + i] ^= b;
  }
  must_be(cl->clEnqueueUnmapMemObject(w->queue, w->a, map, 0, NULL, NULL), CL_SUCCESS, "unmap");
}

static void check_events(struct world *w, long round)
{
  cl_event event = NULL;
  cl_ulong times[2] = {0, 0};
  cl_int status = 1;
  must_be(cl->clEnqueueReadBuffer(w->queue, w->a, CL_FALSE, 0, BYTES, w->got, 0, NULL, &event),
          CL_SUCCESS, "read");
  must_be(cl->clWaitForEvents(1, &event), CL_SUCCESS, "clWaitForEvents");
  migrant_compare(w, w->model_a, "a", round);
  if (round % 3 == 0)
    usleep(3000); /* the event may see a move */
  must_be(
      cl->clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL),
      CL_SUCCESS, "status");
  must_be(status, CL_COMPLETE, "an event's status");
  must_be(cl->clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_QUEUED, sizeof *times, &times[0],
                                      NULL),
          CL_SUCCESS, "times");
  must_be(
      cl->clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_END, sizeof *times, &times[1], NULL),
      CL_SUCCESS, "times");
  must(times[1] >= times[0] && times[0] > 0, "times go back");
  must_be(cl->clEnqueueMarkerWithWaitList(w->other, 1, &event, NULL), CL_SUCCESS, "marker");
  must_be(cl->clWaitForEvents(1, &event), CL_SUCCESS, "clWaitForEvents");
  cl->clReleaseEvent(event);
}

void migrant_step_over(struct world *w)
{
  cl_event before = NULL;
  const cl_command_queue queue_before = w->queue;
  must_be(cl->clEnqueueMarkerWithWaitList(w->queue, 0, NULL, &before), CL_SUCCESS, "marker");
  must_be(cl->clEnqueueBarrierWithWaitList(w->next, 1, &before, NULL), CL_SUCCESS, "barrier");
  must_be(cl->clFlush(w->queue), CL_SUCCESS, "clFlush");
  cl->clReleaseEvent(before);
  w->queue = w->next;
  w->next = queue_before;
}

static void check_binaries(struct world *w)
{
  size_t sizes[2] = {0};
  unsigned char *binaries[2];
  must_be(cl->clGetProgramInfo(w->program, CL_PROGRAM_BINARY_SIZES, sizeof sizes, sizes, NULL),
          CL_SUCCESS, "CL_PROGRAM_BINARY_SIZES");
  for (cl_uint i = 0; i < migrant_device_count; i++) {
    must(sizes[i] > 0, "the binary of device %u is empty", i);
    binaries[i] = calloc(1, sizes[i]);
  }
  must_be(cl->clGetProgramInfo(w->program, CL_PROGRAM_BINARIES, sizeof binaries, binaries, NULL),
          CL_SUCCESS, "CL_PROGRAM_BINARIES");
  for (cl_uint i = 0; i < migrant_device_count; i++) {
    must(binaries[i][0] != 0, "the binary of device %u did not come", i);
    free(binaries[i]);
  }
}

static void step(struct world *w, long round)
{
  const cl_uint b = (cl_uint)round * 7919 + 13;
  if (migrant_device_count > 1 && round % 3 != 0)
    migrant_step_over(w);
  migrant_step_numbers(w, b, round % 2 == 1);
  if (round % 3 == 0)
    step_add(w);
  if (round % 4 == 0)
    step_paint(w, b);
  if (round % 5 == 0)
    step_map(w, b);
  if (round % 4 == 3)
    check_events(w, round);
  if (round % 7 == 0) {
    must_be(cl->clEnqueueReadBuffer(w->queue, w->b, CL_TRUE, 0, BYTES, w->got, 0, NULL, NULL),
            CL_SUCCESS, "read");
    migrant_compare(w, w->model_b, "b", round);
  }
  if (round % 9 == 0 && w->painted != 0)
    check_image(w, round);
  if (round % 11 == 0)
    must_be(cl->clFinish(w->queue), CL_SUCCESS, "clFinish");
  if (round % 13 == 0)
    check_binaries(w);
}

bool migrant_input_is_open(int milliseconds)
{
  struct pollfd input = {.fd = STDIN_FILENO, .events = POLLIN};
  return poll(&input, 1, milliseconds) == 0;
}

bool migrant_continues(long round, long rounds)
{
  return rounds > 0 ? round < rounds : migrant_input_is_open(0);
}

static void *steps(void *rounds)
{
  struct world *w = calloc(1, sizeof *w);
  must(w != NULL, "no memory");
  migrant_world_begin(w);
  for (long round = 0; migrant_continues(round, (long)(intptr_t)rounds); round++) {
    step(w, round);
    migrant_print_begun();
  }
  must_be(cl->clFinish(w->queue), CL_SUCCESS, "clFinish");
  must_be(cl->clFinish(w->next), CL_SUCCESS, "clFinish");
  must_be(cl->clFinish(w->other), CL_SUCCESS, "clFinish");
  for (int i = 0; i < 60000 && __atomic_load_n(&w->callbacks, __ATOMIC_RELAXED) < w->wanted; i++)
    usleep(1000);
  must(__atomic_load_n(&w->callbacks, __ATOMIC_RELAXED) == w->wanted, "%u callbacks, not %u",
       w->callbacks, w->wanted);
  migrant_world_end(w);
  free(w);
  return NULL;
}

static void busy(long rounds)
{
  enum { TOGETHER = 3 };
  const cl_uint iterations = 1000000;
  struct world w = {0};
  migrant_world_begin(&w);
  cl_kernel spin = migrant_kernel(&w, "spin");
  migrant_set(spin, 0, sizeof w.b, &w.b);
  migrant_set(spin, 1, sizeof iterations, &iterations);
  for (long round = 0; migrant_continues(round, rounds); round++) {
    for (int i = 0; i < TOGETHER; i++)
      migrant_launch(w.queue, spin, 64, NULL);
    must_be(cl->clFinish(w.queue), CL_SUCCESS, "clFinish");
    migrant_print_begun();
  }
  cl->clReleaseKernel(spin);
  migrant_world_end(&w);
}

static void threads(long rounds)
{
  enum { THREADS = 3 };
  pthread_t all[THREADS];
  for (size_t i = 0; i < THREADS; i++)
    must(pthread_create(&all[i], NULL, steps, (void *)(intptr_t)rounds) == 0, "no thread");
  for (size_t i = 0; i < THREADS; i++)
    pthread_join(all[i], NULL);
}

/* Each kernel contains another number, so that no build has been made before. */
static void build_one(struct world *w, long round)
{
  static const char *const library =
      "uint more(uint a); uint more(uint a) { return a + ADDEND; }\n";
  static const char *const user =
      "uint more(uint a);\nkernel void fill(global uint *a) { a[get_global_id(0)] = more(7); }\n";
  char option[64];
  cl_int code = CL_SUCCESS;
  const cl_uint addend = (cl_uint)(round + 1000 * (long)getpid());
  snprintf(option, sizeof option, "-D ADDEND=%uu", addend);
  cl_program parts[] = {
      cl->clCreateProgramWithSource(w->context, 1, (const char **)(uintptr_t)&library, NULL, &code),
      cl->clCreateProgramWithSource(w->context, 1, (const char **)(uintptr_t)&user, NULL, &code)};
  for (size_t i = 0; i < 2; i++)
    must_be(cl->clCompileProgram(parts[i], 0, NULL, option, 0, NULL, NULL, NULL, NULL), CL_SUCCESS,
            "clCompileProgram");
  cl_program linked = cl->clLinkProgram(w->context, 0, NULL, NULL, 2, parts, NULL, NULL, &code);
  must_be(code, CL_SUCCESS, "clLinkProgram");
  cl->clReleaseProgram(parts[0]);
  cl->clReleaseProgram(parts[1]);
  cl_kernel kernel = cl->clCreateKernel(linked, "fill", &code);
  must_be(code, CL_SUCCESS, "clCreateKernel");
  migrant_set(kernel, 0, sizeof w->b, &w->b);
  for (int i = 0; i < 20; i++) {
    migrant_launch(w->queue, kernel, NUMBERS, NULL);
    must_be(cl->clEnqueueReadBuffer(w->queue, w->b, CL_TRUE, 0, BYTES, w->got, 0, NULL, NULL),
            CL_SUCCESS, "read");
    must(w->got[5] == addend + 7 && w->got[NUMBERS - 1] == addend + 7, "it is %u, not %u",
         w->got[5], addend + 7);
  }
  cl->clReleaseKernel(kernel);
  cl->clReleaseProgram(linked);
}

static void builds(long rounds)
{
  static struct world w;
  migrant_world_begin(&w);
  migrant_print_begun();
  for (long round = 0; migrant_continues(round, rounds); round++)
    build_one(&w, round);
  migrant_world_end(&w);
}

void migrant_launch_spin(cl_command_queue on, cl_kernel spin, cl_event *event)
{
  const size_t items = 1;
  must_be(cl->clEnqueueNDRangeKernel(on, spin, 1, NULL, &items, NULL, 0, NULL, event), CL_SUCCESS,
          "clEnqueueNDRangeKernel");
  must_be(cl->clFlush(on), CL_SUCCESS, "clFlush");
}

void migrant_choose(const char *numbers)
{
  char *rest = NULL;
  vocl_choose(strtoul(numbers, &rest, 10));
  migrant_devices[0] = migrant_devices[1] = device;
  migrant_device_count = 1;
  if (*rest != '+')
    return;
  vocl_choose(strtoul(rest + 1, NULL, 10));
  migrant_devices[migrant_device_count++] = device;
}

int main(int argc, char **argv)
{
  must(argc == 5, "usage: vocl_moving LIBRARY DEVICE steps|builds|threads|calls|replies|busy|hold "
                  "ROUNDS|WHAT");
  vocl_open(argv[1]);
  migrant_choose(argv[2]);
  const long rounds = strtol(argv[4], NULL, 10);
  if (strcmp(argv[3], "steps") == 0)
    steps((void *)(intptr_t)rounds);
  else if (strcmp(argv[3], "builds") == 0)
    builds(rounds);
  else if (strcmp(argv[3], "threads") == 0)
    threads(rounds);
  else if (strcmp(argv[3], "calls") == 0)
    migrant_calls(rounds);
  else if (strcmp(argv[3], "replies") == 0)
    migrant_replies(rounds);
  else if (strcmp(argv[3], "busy") == 0)
    busy(rounds);
  else
    migrant_hold(argv[4]);
  return KIT_PASS;
}
