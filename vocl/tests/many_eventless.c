/* Failures of commands without an event: clFinish or a read returns the error. */
#include "failing.h"
#include "many.h"

#include <stdlib.h>

enum { BYTES = 32 << 20, MANY = BYTES / sizeof(int), SHORT = 4096, GOOD = 5 };

/* A long read that fails in progress returns an error, and leaves the ring to others. */
static void check_spoiled(cl_context one, cl_command_queue on, cl_mem buffer, int *values)
{
  int good = GOOD, got = 0;
  cl_int code = CL_SUCCESS;
  cl_mem other = cl->clCreateBuffer(one, CL_MEM_COPY_HOST_PTR, sizeof good, &good, &code);
  check_code(code, CL_SUCCESS, "clCreateBuffer");
  values[0] = VOCL_SPOILS;
  cl->clEnqueueWriteBuffer(on, buffer, CL_TRUE, 0, sizeof *values, values, 0, NULL, NULL);
  for (size_t bytes = BYTES; bytes >= BYTES / 4;
       bytes /= 4) { /* first more than the ring holds, then as much */
    check_code(cl->clEnqueueReadBuffer(on, buffer, CL_TRUE, 0, bytes, values, 0, NULL, NULL),
               CL_MEM_OBJECT_ALLOCATION_FAILURE, "clEnqueueReadBuffer");
    check_code(cl->clEnqueueReadBuffer(on, other, CL_TRUE, 0, sizeof got, &got, 0, NULL, NULL),
               CL_SUCCESS, "clEnqueueReadBuffer");
    kit_check_long(got, GOOD, "another buffer's number");
  }
  cl->clReleaseMemObject(other);
}

/* Checks that the error is returned once, also if the command failed before the call returned, as a
 * long write does while it waits for space. */
static void check_writes(cl_command_queue on, cl_mem buffer, const int *values)
{
  cl_event event = NULL;
  for (int i = 0; i < 4; i++) {
    const size_t bytes = i / 2 == 0 ? SHORT : BYTES;
    check_code(cl->clEnqueueWriteBuffer(on, buffer, i % 2 != 0, 0, bytes, values, 0, NULL, NULL),
               CL_SUCCESS, "clEnqueueWriteBuffer");
    check_code(cl->clFinish(on), CL_MEM_OBJECT_ALLOCATION_FAILURE, "clFinish");
    check_code(cl->clFinish(on), CL_SUCCESS, "clFinish");
  }
  cl->clEnqueueWriteBuffer(on, buffer, CL_FALSE, 0, SHORT, values, 0, NULL, &event);
  check_code(cl->clFinish(on), CL_SUCCESS, "clFinish"); /* the event has the error */
  kit_check(cl->clWaitForEvents(1, &event) != CL_SUCCESS, "the event does not return the error");
  cl->clReleaseEvent(event);
}

void many_check_unreported(cl_device_id its_device)
{
  kit_about("a failure without an event");
  int *values = kit_alloc(MANY, sizeof *values);
  cl_int code = CL_SUCCESS;
  for (int i = 0; i < MANY; i++)
    values[i] = VOCL_FAILS;
  cl_context one = cl->clCreateContext(NULL, 1, &its_device, NULL, NULL, &code);
  cl_command_queue on = cl->clCreateCommandQueue(one, its_device, 0, &code);
  cl_mem buffer = cl->clCreateBuffer(one, 0, BYTES, NULL, &code);
  check_code(code, CL_SUCCESS, "clCreateBuffer");
  check_writes(on, buffer, values);
  check_spoiled(one, on, buffer, values);
  cl->clReleaseMemObject(buffer);
  cl->clReleaseCommandQueue(on);
  cl->clReleaseContext(one);
  free(values);
}
