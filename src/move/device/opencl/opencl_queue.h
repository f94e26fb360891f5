/* A command queue of OpenCL's that knows what it holds, and marks in it.
 *
 * opencl_backend.c  back end: OpenCL; memory
 * opencl_library.c  its library, devices and codes
 * opencl_none.c     in its place where OpenCL's headers are missing
 * opencl_program.c  its programs and kernels
 * opencl_queue.c    its queues: rows, marks */
#ifndef CWI_DEVICE_OPENCL_OPENCL_QUEUE_H
#define CWI_DEVICE_OPENCL_OPENCL_QUEUE_H

#include "base/error.h"
#include "device/backend.h"
#include "device/opencl/opencl_library.h"

#include <stddef.h>
#include <stdint.h>

struct cwi_opencl_event_list {
  cl_event *list;
  size_t count, capacity;
};

/* The events of all commands are kept until a event has them: the standard does not say that a
 * command is told of a failure before it, and PoCL's event may say "complete" behind one. */
struct cwi_opencl_queue {
  cl_command_queue queue;
  struct cwi_opencl_event_list recent; /* since the last event */
  cl_event last;                       /* of the newest command; NULL: there was none */
  uint64_t given;                      /* commands so far */
  uint64_t ended;                     /* so many have been waited for; read and set by any thread */
  uint64_t behind[CWI_DEVICE_QUEUES]; /* so many commands of that queue ours are ordered behind */
  cl_int failure;                     /* of one of its commands, negative; by any thread */
};

struct cwi_opencl_event;

/* The refusal of a call; `call` may say more than its name. device: "OpenCL device 1 (its name)".
 */
CWI_CHECKED cw_error cwi_opencl_error(const char *device, const char *call, cl_int code);

/* Before a command is put into the queue: capacity for its event, so that nothing can fail
 * afterwards; and behind it: the event is the queue's now. */
CWI_CHECKED cw_error cwi_opencl_prepare(struct cwi_opencl_queue *queue);
void cwi_opencl_note(struct cwi_opencl_queue *queue, cl_event event);

/* The queue has failed: all waits for its marks say so. The first failure stays. Any thread. */
void cwi_opencl_fail(struct cwi_opencl_queue *queue, cl_int code);

/* Commands that are put into `later` from now on wait for what `earlier` holds; which: the number
 * of `earlier`. */
CWI_CHECKED cw_error cwi_opencl_order(const char *device, struct cwi_opencl_queue *later,
                                      struct cwi_opencl_queue *earlier,
                                      enum cwi_device_queue which);

/* spares: where marks that are forgotten wait for their next use. */
struct cwi_free_list;
CWI_CHECKED cw_error cwi_opencl_event(const char *device, struct cwi_opencl_queue *queue,
                                      struct cwi_free_list **spares,
                                      struct cwi_opencl_event **event);
CWI_CHECKED cw_error cwi_opencl_passed(struct cwi_opencl_event *event, bool *passed);
CWI_CHECKED cw_error cwi_opencl_wait(struct cwi_opencl_event *event);
void cwi_opencl_forget(struct cwi_free_list **spares, struct cwi_opencl_event *event);

void cwi_opencl_queue_end(struct cwi_opencl_queue *queue);
void cwi_opencl_events_end(struct cwi_free_list **spares);
#endif
