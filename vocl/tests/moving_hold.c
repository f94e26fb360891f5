/* Objects that a program has during a move, and objects that prevent one. */
#include "moving.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void await_end_of_input(void)
{
  char byte = 0;
  migrant_print_begun();
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
  migrant_set(w->step_kernel, 0, sizeof w->a, &w->a);
  migrant_set(w->step_kernel, 1, sizeof b, &b);
  const size_t items = NUMBERS;
  must_be(
      cl->clEnqueueNDRangeKernel(w->queue, w->step_kernel, 1, NULL, &items, NULL, 1, &event, NULL),
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

/* Keeps seven kernels waiting for the device. Together they take longer than the test lets a move
 * wait, however late the move or this thread is. They wait for nothing else, so that the device
 * runs them before later commands. */
static void hold_endless(struct world *w)
{
  enum { KERNELS = 8 };
  const cl_uint iterations = 265000000U;
  cl_kernel spin = migrant_kernel(w, "spin");
  cl_command_queue unordered =
      migrant_queue(w, migrant_devices[0], CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
  cl_event ends[KERNELS];
  migrant_set(spin, 0, sizeof w->b, &w->b);
  migrant_set(spin, 1, sizeof iterations, &iterations);
  for (int i = 0; i < KERNELS; i++)
    migrant_launch_spin(unordered, spin, &ends[i]);
  migrant_print_begun();
  for (int i = 0; migrant_input_is_open(20);)
    if (is_complete(ends[i])) {
      cl->clReleaseEvent(ends[i]);
      migrant_launch_spin(unordered, spin, &ends[i]);
      i = (i + 1) % KERNELS;
    }
  for (int i = 0; i < KERNELS; i++)
    cl->clReleaseEvent(ends[i]);
  must_be(cl->clFinish(unordered), CL_SUCCESS, "clFinish");
  cl->clReleaseCommandQueue(unordered);
  cl->clReleaseKernel(spin);
}

static void must_not_be_rebuilt(struct world *w)
{
  must_be(cl->clBuildProgram(w->program, 0, NULL, "-D SOMETHING=2", NULL, NULL),
          CL_INVALID_OPERATION, "clBuildProgram");
}

/* Checks that a build, which fails because the program has kernels, changes no kernel. */
static void hold_rebuilt(struct world *w)
{
  must_not_be_rebuilt(w);
  await_end_of_input();
  must_not_be_rebuilt(w);
  for (int i = 0; i < 2; i++) {
    migrant_step_numbers(w, 9, false);
    migrant_step_over(w);
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

/* Checks that the program's kernel writes this number on the device. */
static void must_write(struct world *w, cl_command_queue on, cl_kernel number_kernel,
                       cl_uint number)
{
  migrant_launch(on, number_kernel, NUMBERS, NULL);
  must_be(cl->clEnqueueReadBuffer(on, w->b, CL_TRUE, 0, BYTES, w->got, 0, NULL, NULL), CL_SUCCESS,
          "read");
  must(w->got[0] == number && w->got[NUMBERS - 1] == number, "it is %u, not %u", w->got[0], number);
}

static cl_kernel new_number_kernel(struct world *w, cl_program program)
{
  cl_int code = CL_SUCCESS;
  cl_kernel number_kernel = cl->clCreateKernel(program, "tell", &code);
  must_be(code, CL_SUCCESS, "clCreateKernel");
  migrant_set(number_kernel, 0, sizeof w->b, &w->b);
  return number_kernel;
}

/* Builds a program with other options for each device, and checks that each keeps its own. */
static void hold_options(struct world *w)
{
  static const char *const options[] = {"-D NUMBER=64", "-D NUMBER=256"};
  cl_program program = new_number_program(w);
  for (size_t i = 0; i < 2; i++)
    must_be(cl->clBuildProgram(program, 1, &migrant_devices[i], options[i], NULL, NULL), CL_SUCCESS,
            "clBuildProgram");
  cl_kernel number_kernel = new_number_kernel(w, program);
  await_end_of_input();
  must_write(w, w->queue, number_kernel, 64);
  must_write(w, w->next, number_kernel, 256);
  cl->clReleaseKernel(number_kernel);
  cl->clReleaseProgram(program);
}

/* A move that begins while the number is awaited waits for that, and ends before the program is
 * built again: the kernel has gone by then. */
static void hold_released(struct world *w)
{
  static const char *const options[] = {"-D NUMBER=64", "-D NUMBER=256"};
  static const cl_uint numbers[] = {64, 256}, iterations = 500000000U;
  cl_kernel spin = migrant_kernel(w, "spin");
  cl_program program = new_number_program(w);
  migrant_set(spin, 0, sizeof w->b, &w->b);
  migrant_set(spin, 1, sizeof iterations, &iterations);
  for (size_t i = 0; i < 2; i++) {
    must_be(cl->clBuildProgram(program, 0, NULL, options[i], NULL, NULL), CL_SUCCESS,
            "clBuildProgram");
    cl_kernel number_kernel = new_number_kernel(w, program);
    migrant_launch_spin(w->queue, spin, NULL);
    migrant_print_begun();
    must_write(w, w->queue, number_kernel, numbers[i]);
    cl->clReleaseKernel(number_kernel);
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
      cl->clLinkProgram(w->context, 1, migrant_devices, NULL, 1, &program, NULL, NULL, &code);
  must_be(code, CL_SUCCESS, "clLinkProgram");
  cl_kernel number_kernel = new_number_kernel(w, linked);
  await_end_of_input();
  must_write(w, w->queue, number_kernel, 64);
  cl->clReleaseKernel(number_kernel);
  cl->clReleaseProgram(linked);
  cl->clReleaseProgram(program);
}

static void hold_late(struct world *w)
{
  cl_program program = new_number_program(w);
  await_end_of_input();
  must_be(cl->clBuildProgram(program, 1, &migrant_devices[1], "-D NUMBER=64", NULL, NULL),
          CL_SUCCESS, "clBuildProgram");
  cl_kernel number_kernel = new_number_kernel(w, program);
  must_write(w, w->next, number_kernel, 64);
  cl->clReleaseKernel(number_kernel);
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

void migrant_hold(const char *what)
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
  migrant_world_begin(&w);
  must_be(cl->clFinish(w.queue), CL_SUCCESS, "clFinish");
  all[i].hold(&w);
  must_be(cl->clEnqueueReadBuffer(w.queue, w.a, CL_TRUE, 0, BYTES, w.got, 0, NULL, NULL),
          CL_SUCCESS, "read");
  migrant_compare(&w, w.model_a, "a", 0);
  migrant_world_end(&w);
}
