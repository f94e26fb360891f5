/* A program whose device is moved while it runs, and whose results are checked all the time.
 *
 *   vocl_migrant LIBRARY DEVICE steps ROUNDS    buffers, parts, images, kernels, maps, callbacks
 *   vocl_migrant LIBRARY DEVICE builds ROUNDS   builds, compiles and links, one after the other
 *   vocl_migrant LIBRARY DEVICE threads ROUNDS  the first one, in three threads with two contexts
 *   vocl_migrant LIBRARY DEVICE busy ROUNDS     kernels that take long: the device never rests
 *   vocl_migrant LIBRARY DEVICE hold WHAT       has what cannot be moved, until its input ends: a
 *                                               map, an event that is not set (event), kernels
 *                                               that take seconds (endless), a part of the device
 *                                               (part), a program that was not built again
 *                                               (rebuilt), is built otherwise for each device
 *                                               (options), was linked for the first one (linked) or
 *                                               is built for the last one afterwards (late); a
 *                                               kernel that it releases meanwhile, to build its
 *                                               program again (released); or `nothing` of that
 *   vocl_migrant LIBRARY DEVICE calls ROUNDS    callbacks of a context of the next device launch
 *                                               kernels in one of this device
 *   vocl_migrant LIBRARY DEVICE replies ROUNDS  callbacks launch kernels on the device that calls
 *
 * DEVICE is a number, or two with a + between: then each context has both devices, and its commands
 * go to one, then to the other.
 *
 * With 0 rounds they go on until their input ends.
 * It prints a line when it has begun. Exit status 0: all was as it should be. */
#include "vocl/vocl.h"

#include "base/clock.h"

#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { NUMBERS = 1 << 14, BYTES = NUMBERS * (int)sizeof(cl_uint), WIDTH = 64, HEIGHT = 48 };

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

static void say_begun(void)
{
  static bool has_said;
  if (!__atomic_exchange_n(&has_said, true, __ATOMIC_RELAXED)) {
    printf("begun\n");
    fflush(stdout);
  }
}

static cl_device_id chosen[2]; /* the same one, where there is one */
static cl_uint chosen_count;

/* What a thread works with. */
struct world {
  cl_context context;
  cl_command_queue queue, next; /* in order: of the device at work, and of the next one */
  cl_command_queue other;       /* of the last one */
  cl_program program;
  cl_kernel turn, add, paint;
  cl_mem a, b, part, image;
  cl_uint model_a[NUMBERS], model_b[NUMBERS], got[NUMBERS];
  cl_uint painted;
  unsigned told, wanted;
};

static cl_mem new_buffer(struct world *w, cl_mem_flags flags, void *host)
{
  cl_int code = CL_SUCCESS;
  cl_mem buffer = cl->clCreateBuffer(w->context, flags, BYTES, host, &code);
  must_be(code, CL_SUCCESS, "clCreateBuffer");
  return buffer;
}

static cl_kernel new_kernel(struct world *w, const char *name)
{
  cl_int code = CL_SUCCESS;
  cl_kernel kernel = cl->clCreateKernel(w->program, name, &code);
  must_be(code, CL_SUCCESS, name);
  return kernel;
}

static void set(cl_kernel kernel, cl_uint index, size_t size, const void *value)
{
  must_be(cl->clSetKernelArg(kernel, index, size, value), CL_SUCCESS, "clSetKernelArg");
}

static cl_command_queue new_queue(struct world *w, cl_device_id on,
                                  cl_command_queue_properties flags)
{
  cl_int code = CL_SUCCESS;
  cl_command_queue made = cl->clCreateCommandQueue(w->context, on, flags, &code);
  must_be(code, CL_SUCCESS, "clCreateCommandQueue");
  return made;
}

static void world_begin(struct world *w)
{
  cl_int code = CL_SUCCESS;
  const cl_image_format format = {CL_RGBA, CL_UNSIGNED_INT32};
  const cl_image_desc image = {
      .image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = WIDTH, .image_height = HEIGHT};
  const cl_buffer_region half = {BYTES / 2, BYTES / 2};
  for (cl_uint i = 0; i < NUMBERS; i++)
    w->model_a[i] = w->model_b[i] = i * 2654435761U;
  w->context = cl->clCreateContext(NULL, chosen_count, chosen, NULL, NULL, &code);
  must_be(code, CL_SUCCESS, "clCreateContext");
  w->queue = new_queue(w, chosen[0], CL_QUEUE_PROFILING_ENABLE);
  w->next = new_queue(w, chosen[1], CL_QUEUE_PROFILING_ENABLE);
  w->other = new_queue(w, chosen[1], CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
  w->program = cl->clCreateProgramWithSource(w->context, 1, &text, NULL, &code);
  must_be(cl->clBuildProgram(w->program, 0, NULL, "-D SOMETHING=1", NULL, NULL), CL_SUCCESS,
          "clBuildProgram");
  w->turn = new_kernel(w, "turn");
  w->add = new_kernel(w, "add");
  w->paint = new_kernel(w, "paint");
  w->a = new_buffer(w, CL_MEM_COPY_HOST_PTR, w->model_a);
  w->b = new_buffer(w, CL_MEM_COPY_HOST_PTR, w->model_b);
  w->part = cl->clCreateSubBuffer(w->a, 0, CL_BUFFER_CREATE_TYPE_REGION, &half, &code);
  must_be(code, CL_SUCCESS, "clCreateSubBuffer");
  w->image = cl->clCreateImage(w->context, CL_MEM_READ_WRITE, &format, &image, NULL, &code);
  must_be(code, CL_SUCCESS, "clCreateImage");
  set(w->add, 0, sizeof w->a, &w->a);
  set(w->add, 1, sizeof w->b, &w->b);
  set(w->add, 2, 64 * sizeof(cl_uint), NULL);
  set(w->paint, 0, sizeof w->image, &w->image);
}

static void world_end(struct world *w)
{
  cl_kernel kernels[] = {w->turn, w->add, w->paint};
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

static void launch(cl_command_queue on, cl_kernel kernel, size_t items, cl_event *event)
{
  const size_t group = 64;
  must_be(cl->clEnqueueNDRangeKernel(on, kernel, 1, NULL, &items, &group, 0, NULL, event),
          CL_SUCCESS, "clEnqueueNDRangeKernel");
}

static void compare(const struct world *w, const cl_uint *model, const char *what, long round)
{
  for (cl_uint i = 0; i < NUMBERS; i++)
    must(w->got[i] == model[i], "round %ld: number %u of %s is %u, not %u", round, i, what,
         w->got[i], model[i]);
}

static void CL_CALLBACK count_told(cl_event event, cl_int status, void *data)
{
  (void)event;
  (void)status;
  __atomic_fetch_add((unsigned *)data, 1, __ATOMIC_RELAXED);
}

static void step_turn(struct world *w, cl_uint b, bool half)
{
  cl_event event = NULL;
  const size_t first = half ? NUMBERS / 2 : 0;
  set(w->turn, 0, sizeof w->a, half ? &w->part : &w->a);
  set(w->turn, 1, sizeof b, &b);
  launch(w->queue, w->turn, NUMBERS - first, &event);
  must_be(cl->clSetEventCallback(event, CL_COMPLETE, count_told, &w->told), CL_SUCCESS,
          "clSetEventCallback");
  w->wanted++;
  must_be(cl->clReleaseEvent(event), CL_SUCCESS, "clReleaseEvent");
  for (size_t i = first; i < NUMBERS; i++)
    w->model_a[i] = w->model_a[i] * 1664525 + b;
}

/* By the other queue, which keeps no order but by events. */
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
  set(w->paint, 1, sizeof b, &b);
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
  compare(w, w->model_a, "a", round);
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

/* What comes goes to the other device, behind what is there. */
static void step_over(struct world *w)
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
  for (cl_uint i = 0; i < chosen_count; i++) {
    must(sizes[i] > 0, "the binary of device %u is empty", i);
    binaries[i] = calloc(1, sizes[i]);
  }
  must_be(cl->clGetProgramInfo(w->program, CL_PROGRAM_BINARIES, sizeof binaries, binaries, NULL),
          CL_SUCCESS, "CL_PROGRAM_BINARIES");
  for (cl_uint i = 0; i < chosen_count; i++) {
    must(binaries[i][0] != 0, "the binary of device %u did not come", i);
    free(binaries[i]);
  }
}

static void step(struct world *w, long round)
{
  const cl_uint b = (cl_uint)round * 7919 + 13;
  if (chosen_count > 1 && round % 3 != 0)
    step_over(w);
  step_turn(w, b, round % 2 == 1);
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
    compare(w, w->model_b, "b", round);
  }
  if (round % 9 == 0 && w->painted != 0)
    check_image(w, round);
  if (round % 11 == 0)
    must_be(cl->clFinish(w->queue), CL_SUCCESS, "clFinish");
  if (round % 13 == 0)
    check_binaries(w);
}

static bool input_goes_on(int milliseconds)
{
  struct pollfd input = {.fd = STDIN_FILENO, .events = POLLIN};
  return poll(&input, 1, milliseconds) == 0;
}

static bool goes_on(long round, long rounds)
{
  return rounds > 0 ? round < rounds : input_goes_on(0);
}

static void *steps(void *rounds)
{
  struct world *w = calloc(1, sizeof *w);
  must(w != NULL, "no memory");
  world_begin(w);
  for (long round = 0; goes_on(round, (long)(intptr_t)rounds); round++) {
    step(w, round);
    say_begun();
  }
  must_be(cl->clFinish(w->queue), CL_SUCCESS, "clFinish");
  must_be(cl->clFinish(w->next), CL_SUCCESS, "clFinish");
  must_be(cl->clFinish(w->other), CL_SUCCESS, "clFinish");
  for (int i = 0; i < 2000 && __atomic_load_n(&w->told, __ATOMIC_RELAXED) < w->wanted; i++)
    usleep(1000);
  must(__atomic_load_n(&w->told, __ATOMIC_RELAXED) == w->wanted, "%u callbacks, not %u", w->told,
       w->wanted);
  world_end(w);
  free(w);
  return NULL;
}

static void busy(long rounds)
{
  enum { TOGETHER = 3 };
  const cl_uint turns = 1000000;
  struct world w = {0};
  world_begin(&w);
  cl_kernel spin = new_kernel(&w, "spin");
  set(spin, 0, sizeof w.b, &w.b);
  set(spin, 1, sizeof turns, &turns);
  for (long round = 0; goes_on(round, rounds); round++) {
    for (int i = 0; i < TOGETHER; i++)
      launch(w.queue, spin, 64, NULL);
    must_be(cl->clFinish(w.queue), CL_SUCCESS, "clFinish");
    say_begun();
  }
  cl->clReleaseKernel(spin);
  world_end(&w);
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

/* Each kernel has another number in it, so that no build is known already. */
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
  set(kernel, 0, sizeof w->b, &w->b);
  for (int i = 0; i < 20; i++) {
    launch(w->queue, kernel, NUMBERS, NULL);
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
  world_begin(&w);
  say_begun();
  for (long round = 0; goes_on(round, rounds); round++)
    build_one(&w, round);
  world_end(&w);
}

/* By one work item. */
static void launch_spin(cl_command_queue on, cl_kernel spin, cl_event *event)
{
  const size_t items = 1;
  must_be(cl->clEnqueueNDRangeKernel(on, spin, 1, NULL, &items, NULL, 0, NULL, event), CL_SUCCESS,
          "clEnqueueNDRangeKernel");
  must_be(cl->clFlush(on), CL_SUCCESS, "clFlush");
}

/* --- Callbacks that call -----------------------------------------------------------------------
 */

struct called {
  struct world *world;
  unsigned calls;
};

static void CL_CALLBACK launch_there(cl_event event, cl_int status, void *data)
{
  struct called *called = data;
  (void)event;
  (void)status;
  launch(called->world->queue, called->world->turn, NUMBERS, NULL);
  __atomic_fetch_add(&called->calls, 1, __ATOMIC_RELEASE);
}

static void choose_devices(const char *numbers)
{
  char *rest = NULL;
  vocl_choose(strtoul(numbers, &rest, 10));
  chosen[0] = chosen[1] = device;
  chosen_count = 1;
  if (*rest != '+')
    return;
  vocl_choose(strtoul(rest + 1, NULL, 10));
  chosen[chosen_count++] = device;
}

/* The event is complete, so that its callback is called at once. */
static void calls(long rounds)
{
  static struct world here, there;
  struct called called = {.world = &there};
  cl_device_id moved = device;
  const cl_uint b = 3;
  world_begin(&there);
  choose_devices("1");
  world_begin(&here);
  set(there.turn, 0, sizeof there.a, &there.a);
  set(there.turn, 1, sizeof b, &b);
  must(moved != device, "there is no other device");
  for (long round = 0; goes_on(round, rounds); round++) {
    cl_event event = NULL;
    must_be(cl->clEnqueueMarkerWithWaitList(here.queue, 0, NULL, &event), CL_SUCCESS, "marker");
    must_be(cl->clWaitForEvents(1, &event), CL_SUCCESS, "clWaitForEvents");
    must_be(cl->clSetEventCallback(event, CL_COMPLETE, launch_there, &called), CL_SUCCESS,
            "clSetEventCallback");
    cl->clReleaseEvent(event);
    while (__atomic_load_n(&called.calls, __ATOMIC_ACQUIRE) <= (unsigned)round)
      usleep(10);
    for (size_t i = 0; i < NUMBERS; i++)
      there.model_a[i] = there.model_a[i] * 1664525 + b;
    if (round % 8 == 7) {
      must_be(cl->clEnqueueReadBuffer(there.queue, there.a, CL_TRUE, 0, BYTES, there.got, 0, NULL,
                                      NULL),
              CL_SUCCESS, "read");
      compare(&there, there.model_a, "a", round);
    }
    say_begun();
  }
  world_end(&here);
  world_end(&there);
}

/* Vendors call from threads that do a device's work: what they call must not wait for a move that
 * waits for that device. Here a move begins while a read waits behind the kernel whose end is told.
 */
static void replies(long rounds)
{
  static struct world w;
  struct called called = {.world = &w};
  const cl_uint turns = 100000000, b = 3;
  world_begin(&w);
  cl_kernel spin = new_kernel(&w, "spin");
  set(spin, 0, sizeof w.b, &w.b);
  set(spin, 1, sizeof turns, &turns);
  set(w.turn, 0, sizeof w.a, &w.a);
  set(w.turn, 1, sizeof b, &b);
  for (long round = 0; goes_on(round, rounds); round++) {
    cl_event event = NULL;
    launch_spin(w.queue, spin, &event);
    must_be(cl->clSetEventCallback(event, CL_COMPLETE, launch_there, &called), CL_SUCCESS,
            "clSetEventCallback");
    cl->clReleaseEvent(event);
    say_begun();
    must_be(cl->clEnqueueReadBuffer(w.queue, w.b, CL_TRUE, 0, BYTES, w.got, 0, NULL, NULL),
            CL_SUCCESS, "read");
    while (__atomic_load_n(&called.calls, __ATOMIC_ACQUIRE) <= (unsigned)round)
      usleep(10);
    for (size_t i = 0; i < NUMBERS; i++)
      w.model_a[i] = w.model_a[i] * 1664525 + b;
    must_be(cl->clEnqueueReadBuffer(w.queue, w.a, CL_TRUE, 0, BYTES, w.got, 0, NULL, NULL),
            CL_SUCCESS, "read");
    compare(&w, w.model_a, "a", round);
    launch(w.next, w.turn, NUMBERS, NULL); /* what the device has travels by the next move */
    for (size_t i = 0; i < NUMBERS; i++)
      w.model_a[i] = w.model_a[i] * 1664525 + b;
    must_be(cl->clFinish(w.next), CL_SUCCESS, "clFinish");
  }
  cl->clReleaseKernel(spin);
  world_end(&w);
}

/* --- What cannot be moved ----------------------------------------------------------------------
 */

static void await_end_of_input(void)
{
  char byte = 0;
  say_begun();
  while (read(STDIN_FILENO, &byte, 1) > 0)
    ;
}

static void hold_map(struct world *w)
{
  cl_int code = CL_SUCCESS;
  cl_uint *map =
      cl->clEnqueueMapBuffer(w->queue, w->a, CL_TRUE, CL_MAP_WRITE, 0, BYTES, 0, NULL, NULL, &code);
  must_be(code, CL_SUCCESS, "clEnqueueMapBuffer");
  await_end_of_input();
  map[17] = w->model_a[17] = 4711;
  must_be(cl->clEnqueueUnmapMemObject(w->queue, w->a, map, 0, NULL, NULL), CL_SUCCESS, "unmap");
}

static void hold_event(struct world *w)
{
  cl_int code = CL_SUCCESS;
  cl_event event = cl->clCreateUserEvent(w->context, &code);
  const cl_uint b = 5;
  set(w->turn, 0, sizeof w->a, &w->a);
  set(w->turn, 1, sizeof b, &b);
  const size_t items = NUMBERS;
  must_be(cl->clEnqueueNDRangeKernel(w->queue, w->turn, 1, NULL, &items, NULL, 1, &event, NULL),
          CL_SUCCESS, "clEnqueueNDRangeKernel");
  await_end_of_input();
  must_be(cl->clSetUserEventStatus(event, CL_COMPLETE), CL_SUCCESS, "clSetUserEventStatus");
  cl->clReleaseEvent(event);
  for (size_t i = 0; i < NUMBERS; i++)
    w->model_a[i] = w->model_a[i] * 1664525 + b;
}

static bool is_complete(cl_event event)
{
  cl_int status = CL_QUEUED;
  must_be(
      cl->clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL),
      CL_SUCCESS, "clGetEventInfo");
  return status == CL_COMPLETE;
}

/* There is always a kernel that has not begun, and takes longer than the test lets a move wait,
 * however late the move comes. It waits for nothing but the device, so that it is before what comes
 * there later. */
static void hold_endless(struct world *w)
{
  const cl_uint turns = 1000000000U;
  cl_kernel spin = new_kernel(w, "spin");
  cl_command_queue unordered = new_queue(w, chosen[0], CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
  cl_event begun = NULL, waiting = NULL;
  set(spin, 0, sizeof w->b, &w->b);
  set(spin, 1, sizeof turns, &turns);
  launch_spin(unordered, spin, &begun);
  launch_spin(unordered, spin, &waiting);
  say_begun();
  while (input_goes_on(20))
    if (is_complete(begun)) {
      cl->clReleaseEvent(begun);
      begun = waiting;
      launch_spin(unordered, spin, &waiting);
    }
  cl->clReleaseEvent(begun);
  cl->clReleaseEvent(waiting);
  must_be(cl->clFinish(unordered), CL_SUCCESS, "clFinish");
  cl->clReleaseCommandQueue(unordered);
  cl->clReleaseKernel(spin);
}

static void must_not_be_rebuilt(struct world *w)
{
  must_be(cl->clBuildProgram(w->program, 0, NULL, "-D SOMETHING=2", NULL, NULL),
          CL_INVALID_OPERATION, "clBuildProgram");
}

/* What is refused because there are kernels changes no kernel. */
static void hold_rebuilt(struct world *w)
{
  must_not_be_rebuilt(w);
  await_end_of_input();
  must_not_be_rebuilt(w);
  for (int i = 0; i < 2; i++) {
    step_turn(w, 9, false);
    step_over(w);
  }
}

static cl_program new_number_program(struct world *w)
{
  static const char *number = "kernel void tell(global uint *a)\n"
                              "{ a[get_global_id(0)] = NUMBER; }\n";
  cl_int code = CL_SUCCESS;
  cl_program program = cl->clCreateProgramWithSource(w->context, 1, &number, NULL, &code);
  must_be(code, CL_SUCCESS, "clCreateProgramWithSource");
  return program;
}

/* Its kernel writes this number on the device. */
static void must_tell(struct world *w, cl_command_queue on, cl_kernel tell, cl_uint number)
{
  launch(on, tell, NUMBERS, NULL);
  must_be(cl->clEnqueueReadBuffer(on, w->b, CL_TRUE, 0, BYTES, w->got, 0, NULL, NULL), CL_SUCCESS,
          "read");
  must(w->got[0] == number && w->got[NUMBERS - 1] == number, "it is %u, not %u", w->got[0], number);
}

static cl_kernel new_tell(struct world *w, cl_program program)
{
  cl_int code = CL_SUCCESS;
  cl_kernel tell = cl->clCreateKernel(program, "tell", &code);
  must_be(code, CL_SUCCESS, "clCreateKernel");
  set(tell, 0, sizeof w->b, &w->b);
  return tell;
}

/* Each device keeps its options. */
static void hold_options(struct world *w)
{
  static const char *const options[] = {"-D NUMBER=64", "-D NUMBER=256"};
  cl_program program = new_number_program(w);
  for (size_t i = 0; i < 2; i++)
    must_be(cl->clBuildProgram(program, 1, &chosen[i], options[i], NULL, NULL), CL_SUCCESS,
            "clBuildProgram");
  cl_kernel tell = new_tell(w, program);
  await_end_of_input();
  must_tell(w, w->queue, tell, 64);
  must_tell(w, w->next, tell, 256);
  cl->clReleaseKernel(tell);
  cl->clReleaseProgram(program);
}

/* A move that begins while the number is awaited waits for that, and ends before the program is
 * built again: the kernel has gone by then. */
static void hold_released(struct world *w)
{
  static const char *const options[] = {"-D NUMBER=64", "-D NUMBER=256"};
  static const cl_uint numbers[] = {64, 256}, turns = 500000000U;
  cl_kernel spin = new_kernel(w, "spin");
  cl_program program = new_number_program(w);
  set(spin, 0, sizeof w->b, &w->b);
  set(spin, 1, sizeof turns, &turns);
  for (size_t i = 0; i < 2; i++) {
    must_be(cl->clBuildProgram(program, 0, NULL, options[i], NULL, NULL), CL_SUCCESS,
            "clBuildProgram");
    cl_kernel tell = new_tell(w, program);
    launch_spin(w->queue, spin, NULL);
    say_begun();
    must_tell(w, w->queue, tell, numbers[i]);
    cl->clReleaseKernel(tell);
  }
  cl->clReleaseKernel(spin);
  cl->clReleaseProgram(program);
  await_end_of_input();
}

static void hold_linked(struct world *w)
{
  cl_int code = CL_SUCCESS;
  cl_program program = new_number_program(w);
  must_be(cl->clCompileProgram(program, 0, NULL, "-D NUMBER=64", 0, NULL, NULL, NULL, NULL),
          CL_SUCCESS, "clCompileProgram");
  cl_program linked =
      cl->clLinkProgram(w->context, 1, chosen, NULL, 1, &program, NULL, NULL, &code);
  must_be(code, CL_SUCCESS, "clLinkProgram");
  cl_kernel tell = new_tell(w, linked);
  await_end_of_input();
  must_tell(w, w->queue, tell, 64);
  cl->clReleaseKernel(tell);
  cl->clReleaseProgram(linked);
  cl->clReleaseProgram(program);
}

static void hold_late(struct world *w)
{
  cl_program program = new_number_program(w);
  await_end_of_input();
  must_be(cl->clBuildProgram(program, 1, &chosen[1], "-D NUMBER=64", NULL, NULL), CL_SUCCESS,
          "clBuildProgram");
  cl_kernel tell = new_tell(w, program);
  must_tell(w, w->next, tell, 64);
  cl->clReleaseKernel(tell);
  cl->clReleaseProgram(program);
}

static void hold_part(struct world *w)
{
  (void)w;
  const cl_device_partition_property by[] = {CL_DEVICE_PARTITION_BY_COUNTS, 1,
                                             CL_DEVICE_PARTITION_BY_COUNTS_LIST_END, 0};
  cl_device_id part = NULL;
  cl_int code = cl->clCreateSubDevices(device, by, 1, &part, NULL);
  must_be(code, CL_SUCCESS, "clCreateSubDevices");
  cl_context of_part = cl->clCreateContext(NULL, 1, &part, NULL, NULL, &code);
  must_be(code, CL_SUCCESS, "clCreateContext");
  await_end_of_input();
  cl->clReleaseContext(of_part);
  cl->clReleaseDevice(part);
}

static void hold_nothing(struct world *w)
{
  (void)w;
  await_end_of_input();
}

static void hold(const char *what)
{
  static const struct {
    const char *name;
    void (*hold)(struct world *w);
  } all[] = {{"map", hold_map},          {"event", hold_event},     {"endless", hold_endless},
             {"part", hold_part},        {"rebuilt", hold_rebuilt}, {"options", hold_options},
             {"linked", hold_linked},    {"late", hold_late},       {"nothing", hold_nothing},
             {"released", hold_released}};
  static struct world w;
  size_t i = 0;
  while (strcmp(what, all[i].name) != 0)
    must(++i < sizeof all / sizeof *all, "nothing is called %s", what);
  world_begin(&w);
  must_be(cl->clFinish(w.queue), CL_SUCCESS, "clFinish");
  all[i].hold(&w);
  must_be(cl->clEnqueueReadBuffer(w.queue, w.a, CL_TRUE, 0, BYTES, w.got, 0, NULL, NULL),
          CL_SUCCESS, "read");
  compare(&w, w.model_a, "a", 0);
  world_end(&w);
}

int main(int argc, char **argv)
{
  must(argc == 5, "usage: vocl_migrant LIBRARY DEVICE steps|builds|threads|calls|replies|busy|hold "
                  "ROUNDS|WHAT");
  vocl_open(argv[1]);
  choose_devices(argv[2]);
  const long rounds = strtol(argv[4], NULL, 10);
  if (strcmp(argv[3], "steps") == 0)
    steps((void *)(intptr_t)rounds);
  else if (strcmp(argv[3], "builds") == 0)
    builds(rounds);
  else if (strcmp(argv[3], "threads") == 0)
    threads(rounds);
  else if (strcmp(argv[3], "calls") == 0)
    calls(rounds);
  else if (strcmp(argv[3], "replies") == 0)
    replies(rounds);
  else if (strcmp(argv[3], "busy") == 0)
    busy(rounds);
  else
    hold(argv[4]);
  return KIT_PASS;
}
