/* A program that is moved while its callbacks make calls. */
#include "moving.h"

#include <unistd.h>

struct called {
  struct world *world;
  unsigned calls;
};

static void CL_CALLBACK launch_there(cl_event event, cl_int status, void *data)
{
  struct called *called = data;
  (void)event;
  (void)status;
  migrant_launch(called->world->queue, called->world->step_kernel, NUMBERS, NULL);
  __atomic_fetch_add(&called->calls, 1, __ATOMIC_RELEASE);
}

/* The event is complete, so that its callback is called at once. */
void migrant_calls(long rounds)
{
  static struct world here, there;
  struct called called = {.world = &there};
  cl_device_id moved = device;
  const cl_uint b = 3;
  migrant_world_begin(&there);
  migrant_choose("1");
  migrant_world_begin(&here);
  migrant_set(there.step_kernel, 0, sizeof there.a, &there.a);
  migrant_set(there.step_kernel, 1, sizeof b, &b);
  must(moved != device, "there is no other device");
  for (long round = 0; migrant_continues(round, rounds); round++) {
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
      migrant_compare(&there, there.model_a, "a", round);
    }
    migrant_print_begun();
  }
  migrant_world_end(&here);
  migrant_world_end(&there);
}

/* Vendors call from threads that do a device's work: what they call must not wait for a move that
 * waits for that device. Here a move begins while a read waits for the kernel whose callback runs.
 */
void migrant_replies(long rounds)
{
  static struct world w;
  struct called called = {.world = &w};
  const cl_uint iterations = 100000000, b = 3;
  migrant_world_begin(&w);
  cl_kernel spin = migrant_kernel(&w, "spin");
  migrant_set(spin, 0, sizeof w.b, &w.b);
  migrant_set(spin, 1, sizeof iterations, &iterations);
  migrant_set(w.step_kernel, 0, sizeof w.a, &w.a);
  migrant_set(w.step_kernel, 1, sizeof b, &b);
  for (long round = 0; migrant_continues(round, rounds); round++) {
    cl_event event = NULL;
    migrant_launch_spin(w.queue, spin, &event);
    must_be(cl->clSetEventCallback(event, CL_COMPLETE, launch_there, &called), CL_SUCCESS,
            "clSetEventCallback");
    cl->clReleaseEvent(event);
    migrant_print_begun();
    must_be(cl->clEnqueueReadBuffer(w.queue, w.b, CL_TRUE, 0, BYTES, w.got, 0, NULL, NULL),
            CL_SUCCESS, "read");
    while (__atomic_load_n(&called.calls, __ATOMIC_ACQUIRE) <= (unsigned)round)
      usleep(10);
    for (size_t i = 0; i < NUMBERS; i++)
      w.model_a[i] = w.model_a[i] * 1664525 + b;
    must_be(cl->clEnqueueReadBuffer(w.queue, w.a, CL_TRUE, 0, BYTES, w.got, 0, NULL, NULL),
            CL_SUCCESS, "read");
    migrant_compare(&w, w.model_a, "a", round);
    /* The objects of the moving device move with it. */
    migrant_launch(w.next, w.step_kernel, NUMBERS, NULL);
    for (size_t i = 0; i < NUMBERS; i++)
      w.model_a[i] = w.model_a[i] * 1664525 + b;
    must_be(cl->clFinish(w.next), CL_SUCCESS, "clFinish");
  }
  cl->clReleaseKernel(spin);
  migrant_world_end(&w);
}
