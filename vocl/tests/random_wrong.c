/* Calls with wrong arguments. Only mistakes that a vendor's library must find itself: invalid
 * handles crash some vendors' libraries. */
#include "random.h"

#include <stdlib.h>

static void wrong_buffer(struct random_program *run)
{
  cl_int code = CL_SUCCESS;
  switch (draw(run, 5)) {
  case 0:
    (void)cl->clCreateBuffer(run->context, 0, 0, NULL, &code);
    log_call(run, code, "buffer of nothing");
    break;
  case 1:
    (void)cl->clCreateBuffer(run->context, CL_MEM_READ_ONLY | CL_MEM_WRITE_ONLY, 64, NULL, &code);
    log_call(run, code, "buffer with two accesses");
    break;
  case 2:
    (void)cl->clCreateBuffer(run->context, CL_MEM_COPY_HOST_PTR, 64, NULL, &code);
    log_call(run, code, "buffer of no memory");
    break;
  case 3:
    (void)cl->clCreateBuffer(run->context, CL_MEM_READ_WRITE, 64, &code, &code);
    log_call(run, code, "buffer of memory without a flag");
    break;
  default:
    (void)cl->clCreateBuffer(run->context, 0, (size_t)1 << 60, NULL, &code);
    log_call(run, code, "buffer of everything");
  }
}

static void wrong_part(struct random_program *run, const struct memory *memory)
{
  cl_int code = CL_SUCCESS;
  const cl_buffer_region regions[] = {
      {0, memory->size + 1}, {0, 0}, {memory->size & ~(size_t)127, 256}, {1, 1}};
  const size_t which = draw(run, 4);
  cl_mem part = cl->clCreateSubBuffer(memory->handle, 0, CL_BUFFER_CREATE_TYPE_REGION,
                                      &regions[which], &code);
  log_call(run, code, "wrong part %zu", which);
  if (part != NULL)
    log_call(run, cl->clReleaseMemObject(part), "which is none");
}

static void wrong_move(struct random_program *run, const struct memory *memory)
{
  cl_command_queue queue_used = run->queues[draw(run, QUEUES)].handle;
  char *bytes = short_memory(run, 64);
  const cl_mem one = memory->handle;
  cl_event none = NULL;
  cl_int code = CL_SUCCESS;
  const size_t zero[3] = {0, 0, 0}, empty[3] = {1, 0, 1}, region[3] = {8, 2, 1};
  const size_t kind = draw(run, 9);
  let_go(run);
  switch (kind) {
  case 0:
    code = cl->clEnqueueReadBuffer(queue_used, one, CL_TRUE, memory->size, 1, bytes, 0, NULL, NULL);
    break;
  case 1:
    code = cl->clEnqueueWriteBuffer(queue_used, one, CL_FALSE, 0, memory->size + 1, bytes, 0, NULL,
                                    NULL);
    break;
  case 2:
    code = cl->clEnqueueWriteBuffer(queue_used, one, CL_FALSE, 0, 1, NULL, 0, NULL, NULL);
    break;
  case 3:
    code = cl->clEnqueueReadBuffer(queue_used, one, CL_TRUE, 0, 1, bytes, 1, NULL, NULL);
    break;
  case 4:
    code = cl->clEnqueueReadBuffer(queue_used, one, CL_TRUE, 0, 1, bytes, 1, &none, NULL);
    break;
  case 5:
    code = cl->clEnqueueReadBufferRect(queue_used, one, CL_TRUE, zero, zero, empty, 0, 0, 0, 0,
                                       bytes, 0, NULL, NULL);
    break;
  case 6: /* rows shorter than what is in them */
    code = cl->clEnqueueReadBufferRect(queue_used, one, CL_TRUE, zero, zero, region, 4, 0, 0, 0,
                                       bytes, 0, NULL, NULL);
    break;
  case 7:
    (void)cl->clEnqueueMapBuffer(queue_used, one, CL_TRUE, CL_MAP_READ, 1, memory->size, 0, NULL,
                                 NULL, &code);
    break;
  default:
    code = cl->clEnqueueUnmapMemObject(queue_used, one, bytes, 0, NULL, NULL);
  }
  log_call(run, code, "wrong move %zu", kind);
}

static void wrong_copy(struct random_program *run, const struct memory *memory)
{
  cl_command_queue queue_used = run->queues[draw(run, QUEUES)].handle;
  const cl_mem one = memory->handle;
  const size_t kind = draw(run, 5);
  cl_int code = CL_SUCCESS;
  switch (kind) {
  case 0:
    code = cl->clEnqueueCopyBuffer(queue_used, one, one, 0, 0, memory->size, 0, NULL, NULL);
    break;
  case 1:
    code = cl->clEnqueueCopyBuffer(queue_used, one, one, 0, memory->size, 1, 0, NULL, NULL);
    break;
  case 2:
    code = cl->clEnqueueFillBuffer(queue_used, one, "abc", 3, 0, 3, 0, NULL, NULL);
    break;
  case 3:
    code = cl->clEnqueueFillBuffer(queue_used, one, "abcd", 4, 2, 4, 0, NULL, NULL);
    break;
  default:
    code = cl->clEnqueueFillBuffer(queue_used, one, "a", 1, 0, memory->size + 1, 0, NULL, NULL);
  }
  log_call(run, code, "wrong copy %zu", kind);
}

static void wrong_launch(struct random_program *run)
{
  cl_command_queue queue_used = run->queues[draw(run, QUEUES)].handle;
  cl_int code = CL_SUCCESS;
  cl_kernel kernel = cl->clCreateKernel(run->program, "counter", &code);
  cl_mem memory = cl->clCreateBuffer(run->context, 0, 64, NULL, &code);
  const size_t ten[3] = {10, 10, 10}, three[3] = {3, 3, 3}, much[3] = {1 << 20, 1, 1};
  const size_t kind = draw(run, 8);
  if (kind > 0)
    code = cl->clSetKernelArg(kernel, 0, sizeof(cl_mem), &memory);
  log_call(run, code, "argument");
  switch (kind) {
  case 0: /* an argument is missing */
    code = cl->clEnqueueNDRangeKernel(queue_used, kernel, 1, NULL, ten, NULL, 0, NULL, NULL);
    break;
  case 1:
    code = cl->clEnqueueNDRangeKernel(queue_used, kernel, 4, NULL, ten, NULL, 0, NULL, NULL);
    break;
  case 2:
    code = cl->clEnqueueNDRangeKernel(queue_used, kernel, 0, NULL, ten, NULL, 0, NULL, NULL);
    break;
  case 3:
    code = cl->clEnqueueNDRangeKernel(queue_used, kernel, 1, NULL, ten, three, 0, NULL, NULL);
    break;
  case 4:
    code = cl->clEnqueueNDRangeKernel(queue_used, kernel, 1, NULL, much, much, 0, NULL, NULL);
    break;
  case 5:
    code = cl->clEnqueueNDRangeKernel(queue_used, kernel, 1, NULL, NULL, NULL, 0, NULL, NULL);
    break;
  case 6:
    code = cl->clSetKernelArg(kernel, 1, sizeof(cl_mem), NULL);
    break;
  default:
    code = cl->clSetKernelArg(kernel, 0, 3, &code);
  }
  log_call(run, code, "wrong launch %zu", kind);
  log_call(run, cl->clReleaseKernel(kernel), "release kernel");
  log_call(run, cl->clReleaseMemObject(memory), "release memory");
}

static void wrong_make(struct random_program *run)
{
  const size_t kind = draw(run, 7);
  cl_int code = CL_SUCCESS;
  const char *nothing = NULL;
  void *made = NULL;
  switch (kind) {
  case 0:
    made = cl->clCreateKernel(run->program, "nobody", &code);
    break;
  case 1:
    made = cl->clCreateKernel(run->program, NULL, &code);
    break;
  case 2:
    made = cl->clCreateProgramWithSource(run->context, 0, NULL, NULL, &code);
    break;
  case 3:
    made = cl->clCreateProgramWithSource(run->context, 1, &nothing, NULL, &code);
    break;
  case 4:
    made = cl->clCreateCommandQueue(run->context, run->device, 1 << 20, &code);
    break;
  case 5:
    made = cl->clCreateSampler(run->context, CL_FALSE, 7, CL_FILTER_NEAREST, &code);
    break;
  default:
    made = cl->clCreateContext(NULL, 0, &run->device, NULL, NULL, &code);
  }
  log_call(run, code, "wrong object %zu: %d", kind, made != NULL);
}

static void wrong_event(struct random_program *run)
{
  cl_int code = CL_SUCCESS, status = 99;
  cl_event user_event = cl->clCreateUserEvent(run->context, &code);
  log_call(run, code, "user event");
  cl->clGetEventInfo(user_event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL);
  log_call(run, cl->clSetUserEventStatus(user_event, 2), "set to a status that is none, it was %d",
           status);
  log_call(run, cl->clSetUserEventStatus(user_event, CL_COMPLETE), "set");
  log_call(run, cl->clSetUserEventStatus(user_event, CL_COMPLETE), "set again");
  log_call(run, cl->clWaitForEvents(0, &user_event), "wait for none");
  log_call(run, cl->clWaitForEvents(1, &user_event), "wait for it");
  log_call(run, cl->clReleaseEvent(user_event), "release event");
}

void wrong_steps(struct random_program *run)
{
  /* A command that waits for a user event is checked when that is set. */
  settle(run);
  const struct memory *memory = any_buffer(run);
  const size_t kind = draw(run, 7);
  if (kind < 2)
    wrong_launch(run);
  else if (kind == 2)
    wrong_make(run);
  else if (kind == 3)
    wrong_event(run);
  else if (memory == NULL || kind == 4)
    wrong_buffer(run);
  else if (kind == 5 && memory->hosts_use) /* one error, not two */
    wrong_move(run, memory);
  else if (chance(run, 50))
    wrong_copy(run, memory);
  else
    wrong_part(run, memory);
}
