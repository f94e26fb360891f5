/* Command queues of the OpenCL back end: the events of their commands, events for the caller, and
 * the order between queues. */
#include "device/opencl/opencl_queue.h"

#include "base/free_list.h"
#include "base/reserve.h"

enum { FIRST_CAPACITY = 64 };

struct cwi_opencl_event {
  struct cwi_free_list spare; /* must be first */
  const char *device;
  struct cwi_opencl_queue *queue;
  struct cwi_opencl_event_list
      events;     /* events of the commands since the previous cwi_opencl_event */
  uint64_t given; /* number of commands enqueued so far */
};

cw_error cwi_opencl_error(const char *device, const char *call, cl_int code)
{
  return cwi_outside("%s: %s says %d %s", device, call, code, cwi_opencl_error_name(code));
}

/* Returns the status of a command. This is CL_COMPLETE (0) if it has ended, a negative error code
 * if it has failed, and a positive number if it has not ended. */
static cl_int event_status(cl_event event)
{
  cl_int status = CL_COMPLETE;
  const cl_int code = cwi_opencl.clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS,
                                                sizeof status, &status, NULL);
  return code == CL_SUCCESS ? status : code;
}

/* Only the first failure is kept. */
void cwi_opencl_fail(struct cwi_opencl_queue *queue, cl_int code)
{
  cl_int none = 0;
  (void)__atomic_compare_exchange_n(&queue->failure, &none, code, false, __ATOMIC_RELAXED,
                                    __ATOMIC_RELAXED);
}

/* Releases the events of commands that have ended, oldest first. */
static void queue_prune(struct cwi_opencl_queue *queue)
{
  struct cwi_opencl_event_list *recent = &queue->recent;
  size_t ended = 0;
  for (; ended < recent->count; ended++) {
    const cl_int status = event_status(recent->list[ended]);
    if (status > CL_COMPLETE)
      break;
    if (status < CL_COMPLETE)
      cwi_opencl_fail(queue, status);
    (void)cwi_opencl.clReleaseEvent(recent->list[ended]);
  }
  recent->count -= ended;
  for (size_t i = 0; i < recent->count; i++)
    recent->list[i] = recent->list[i + ended];
}

cw_error cwi_opencl_prepare(struct cwi_opencl_queue *queue)
{
  struct cwi_opencl_event_list *recent = &queue->recent;
  if (CWI_LIKELY(recent->count < recent->capacity))
    return CW_OK;
  queue_prune(queue);
  if (recent->count <
      recent->capacity /
          2) /* the next prune comes only after at least capacity / 2 more commands */
    return CW_OK;
  if (!CWI_RESERVE(recent->list, recent->capacity, recent->capacity, FIRST_CAPACITY))
    return cwi_outside("there is no memory for more than %zu events of a device", recent->capacity);
  return CW_OK;
}

void cwi_opencl_note(struct cwi_opencl_queue *queue, cl_event event)
{
  if (queue->last != NULL)
    (void)cwi_opencl.clReleaseEvent(queue->last);
  queue->last = event;
  queue->given++;
  (void)cwi_opencl.clRetainEvent(event);
  queue->recent.list[queue->recent.count++] = event;
}

/* Raises `ended` to `given`, unless another thread has set it higher. */
static void queue_has_ended(struct cwi_opencl_queue *queue, uint64_t given)
{
  uint64_t ended = __atomic_load_n(&queue->ended, __ATOMIC_RELAXED);
  while (ended < given && !__atomic_compare_exchange_n(&queue->ended, &ended, given, false,
                                                       __ATOMIC_RELEASE, __ATOMIC_RELAXED))
    ;
}

cw_error cwi_opencl_order(const char *device, struct cwi_opencl_queue *later,
                          struct cwi_opencl_queue *earlier, enum cwi_device_queue which)
{
  if (later == earlier || later->behind[which] == earlier->given ||
      __atomic_load_n(&earlier->ended, __ATOMIC_ACQUIRE) == earlier->given)
    return CW_OK;
  CWI_TRY(cwi_opencl_prepare(later));
  /* Without a flush the earlier commands might never start. */
  cl_int code = cwi_opencl.clFlush(earlier->queue);
  if (code != CL_SUCCESS)
    return cwi_opencl_error(device, "clFlush", code);
  cl_event event = NULL;
  code = cwi_opencl.clEnqueueBarrierWithWaitList(later->queue, 1, &earlier->last, &event);
  if (code != CL_SUCCESS)
    return cwi_opencl_error(device, "clEnqueueBarrierWithWaitList", code);
  later->behind[which] = earlier->given;
  cwi_opencl_note(later, event);
  return CW_OK;
}

/* The new event takes the queue's list of recent events, and gives its own empty list to the queue.
 */
cw_error cwi_opencl_event(const char *device, struct cwi_opencl_queue *queue,
                          struct cwi_free_list **spares, struct cwi_opencl_event **event)
{
  CWI_TRY(cwi_opencl_prepare(queue));
  struct cwi_opencl_event *new = cwi_free_list_take(spares, sizeof *new);
  if (new == NULL)
    return cwi_outside("there is no memory for an event of a device");
  const cl_int code = cwi_opencl.clFlush(queue->queue);
  if (code != CL_SUCCESS) {
    cwi_free_list_give(spares, new);
    return cwi_opencl_error(device, "clFlush", code);
  }
  if (queue->recent.count == 0 && queue->last != NULL) {
    (void)cwi_opencl.clRetainEvent(queue->last);
    queue->recent.list[queue->recent.count++] = queue->last;
  }
  const struct cwi_opencl_event_list empty = new->events;
  new->events = queue->recent;
  queue->recent = empty;
  new->device = device;
  new->queue = queue;
  new->given = queue->given;
  *event = new;
  return CW_OK;
}

/* Returns the result of an event whose last command has ended. */
static cw_error event_result(const struct cwi_opencl_event *event, cl_int code)
{
  cl_int failed = 0;
  for (size_t i = 0; i < event->events.count && failed == 0; i++) {
    const cl_int status = event_status(event->events.list[i]);
    if (status < CL_COMPLETE)
      failed = status;
  }
  if (failed == 0 && code != CL_SUCCESS)
    failed = code;
  if (failed != 0)
    cwi_opencl_fail(event->queue, failed);
  failed = __atomic_load_n(&event->queue->failure, __ATOMIC_RELAXED);
  if (failed != 0)
    return cwi_opencl_error(event->device, "a command has failed: its event", failed);
  queue_has_ended(event->queue, event->given);
  return CW_OK;
}

static cl_event event_last(const struct cwi_opencl_event *event)
{
  return event->events.count > 0 ? event->events.list[event->events.count - 1] : NULL;
}

cw_error cwi_opencl_wait(struct cwi_opencl_event *event)
{
  const cl_event last = event_last(event);
  return event_result(event, last != NULL ? cwi_opencl.clWaitForEvents(1, &last) : CL_SUCCESS);
}

/* Polls an event. The status "complete" does not make the data of a command visible; only a wait
 * does. */
cw_error cwi_opencl_passed(struct cwi_opencl_event *event, bool *passed)
{
  const cl_event last = event_last(event);
  *passed = last == NULL || event_status(last) <= CL_COMPLETE;
  return *passed ? cwi_opencl_wait(event) : CW_OK;
}

static void events_release(struct cwi_opencl_event_list *events)
{
  for (size_t i = 0; i < events->count; i++)
    (void)cwi_opencl.clReleaseEvent(events->list[i]);
  events->count = 0;
}

void cwi_opencl_forget(struct cwi_free_list **spares, struct cwi_opencl_event *event)
{
  events_release(&event->events);
  cwi_free_list_give(spares, event);
}

void cwi_opencl_queue_end(struct cwi_opencl_queue *queue)
{
  events_release(&queue->recent);
  free(queue->recent.list);
  if (queue->last != NULL)
    (void)cwi_opencl.clReleaseEvent(queue->last);
  if (queue->queue != NULL)
    (void)cwi_opencl.clReleaseCommandQueue(queue->queue);
}

void cwi_opencl_events_end(struct cwi_free_list **spares)
{
  for (struct cwi_opencl_event *event; (event = cwi_free_list_pop(spares)) != NULL;) {
    free(event->events.list);
    free(event);
  }
}
