/* A command queue of OpenCL's that knows what it holds, and marks in it. */
#ifndef CWI_DEVICE_OPENCL_QUEUE_H
#define CWI_DEVICE_OPENCL_QUEUE_H

#include "base/check.h"
#include "device/backend.h"
#include "device/opencl_library.h"

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct cwi_opencl_events {
  cl_event *list;
  size_t count, room;
};

/* The events of all commands are kept until a mark has them: the standard does not say that a
 * command is told of a failure before it, and PoCL's event may say "complete" behind one. */
struct cwi_opencl_queue {
  cl_command_queue queue;
  struct cwi_opencl_events recent;    /* since the last mark */
  cl_event last;                      /* of the newest command; NULL: there was none */
  uint64_t given;                     /* commands so far */
  uint64_t ended;                     /* so many have been waited for; read and set by any thread */
  uint64_t behind[CWI_DEVICE_QUEUES]; /* so many commands of that queue ours are ordered behind */
  cl_int failure;                     /* of one of its commands, negative; by any thread */
};

struct cwi_opencl_mark;

/* The refusal of a call; `call` may say more than its name. device: "OpenCL device 1 (its name)".
 */
CWI_CHECKED cw_error cwi_opencl_refused(const char *device, const char *call, cl_int code);

/* Before a command is put into the queue: room for its event, so that nothing can fail afterwards;
 * and behind it: the event is the queue's now. */
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
struct cwi_spare;
CWI_CHECKED cw_error cwi_opencl_mark(const char *device, struct cwi_opencl_queue *queue,
                                     struct cwi_spare **spares, struct cwi_opencl_mark **mark);
CWI_CHECKED cw_error cwi_opencl_passed(struct cwi_opencl_mark *mark, bool *passed);
CWI_CHECKED cw_error cwi_opencl_wait(struct cwi_opencl_mark *mark);
void cwi_opencl_forget(struct cwi_spare **spares, struct cwi_opencl_mark *mark);

void cwi_opencl_queue_end(struct cwi_opencl_queue *queue);
void cwi_opencl_marks_end(struct cwi_spare **spares);

#ifdef __cplusplus
}
#endif
#endif
