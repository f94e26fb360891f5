/* An OpenCL command queue that keeps track of its commands, and events in it.
 *
 * opencl_backend.c  the back end, and memory
 * opencl_library.c  the OpenCL library, its devices and error codes
 * opencl_none.c     replaces the back end if OpenCL's headers are missing
 * opencl_program.c  programs and kernels
 * opencl_queue.c    queues, their events and their order */
#pragma once

#include "base/error.h"
#include "device/backend.h"
#include "device/opencl/opencl_library.h"

#include <stddef.h>
#include <stdint.h>

/* Events of commands, the oldest first. */
struct cwi_opencl_event_list {
  cl_event *list;
  size_t count, capacity;
};

/* A queue. It keeps the events of all commands until a cwi_opencl_event takes them. All of them are
 * needed, because the standard does not guarantee that a later command reports the failure of an
 * earlier one. With PoCL a later event may be "complete" after a failure. */
struct cwi_opencl_queue {
  cl_command_queue queue;
  struct cwi_opencl_event_list recent; /* events of the commands since the last cwi_opencl_event */
  cl_event last;  /* event of the newest command; NULL if there was no command */
  uint64_t given; /* number of commands so far */
  uint64_t ended; /* number of commands known to have ended; accessed by any thread */
  uint64_t behind[CWI_DEVICE_QUEUES]; /* [queues] our commands wait for this number of commands of
                                         each other queue */
  cl_int failure; /* error code of the first failed command, or 0; accessed by any thread */
};

struct cwi_opencl_event;

/* Returns the error of a failed call. `call` may contain more than the function's name. `device`
 * has the form "OpenCL device 1 (its name)". */
CWI_CHECKED cw_error cwi_opencl_error(const char *device, const char *call, cl_int code);

/* cwi_opencl_prepare is called before a command is enqueued. It reserves memory for the command's
 * event. cwi_opencl_note is called after the command has been enqueued. It cannot fail, and takes
 * ownership of the event. */
CWI_CHECKED cw_error cwi_opencl_prepare(struct cwi_opencl_queue *queue);
void cwi_opencl_note(struct cwi_opencl_queue *queue, cl_event event);

/* Marks the queue as failed: all waits for its events return the error. Only the first failure is
 * kept. Any thread may call this. */
void cwi_opencl_fail(struct cwi_opencl_queue *queue, cl_int code);

/* Makes later commands of `later` wait for the present commands of `earlier`. `which` is the number
 * of the queue `earlier`. */
CWI_CHECKED cw_error cwi_opencl_order(const char *device, struct cwi_opencl_queue *later,
                                      struct cwi_opencl_queue *earlier,
                                      enum cwi_device_queue which);

/* These functions do what the functions of cwi_backend with the same names do. `spares` is a list
 * of forgotten events, which are reused. */
struct cwi_free_list;
CWI_CHECKED cw_error cwi_opencl_event(const char *device, struct cwi_opencl_queue *queue,
                                      struct cwi_free_list **spares,
                                      struct cwi_opencl_event **event);
CWI_CHECKED cw_error cwi_opencl_passed(struct cwi_opencl_event *event, bool *passed);
CWI_CHECKED cw_error cwi_opencl_wait(struct cwi_opencl_event *event);
void cwi_opencl_forget(struct cwi_free_list **spares, struct cwi_opencl_event *event);

/* Release a queue and the list of forgotten events. Called when the device is closed. */
void cwi_opencl_queue_end(struct cwi_opencl_queue *queue);
void cwi_opencl_events_end(struct cwi_free_list **spares);
