/* Events: what becomes of them, who waits for them, and who is told. */
#include "remote/session.h"

#include <stdlib.h>
#include <string.h>

/* --- callbacks --- */

struct telling {
  cwi_event_notice function;
  void *data;
  cl_int status;
};

static void event_tell(void *what)
{
  struct telling *telling = what;
  telling->function(NULL, telling->status, telling->data);
  free(telling);
}

/* Those that wanted to know of the status that it has now. */
static void event_tell_later(struct cwi_far_event *event)
{
  struct cwi_told **each = &event->told;
  while (*each != NULL) {
    struct cwi_told *told = *each;
    if (event->status > told->status) {
      each = &told->next;
      continue;
    }
    *each = told->next;
    struct telling *telling = malloc(sizeof *telling);
    if (telling != NULL) {
      *telling = (struct telling){told->function, told->data,
                                  event->status < 0 ? event->status : told->status};
      if (!cwi_call_later(event->far.session, event_tell, telling))
        free(telling);
    }
    free(told);
  }
}

cl_int cwi_remote_tell_event(void *object, cl_int status, cwi_event_notice function, void *data)
{
  struct cwi_far_event *event = object;
  struct cwi_session *session = event->far.session;
  struct cwi_told *told = malloc(sizeof *told);
  if (told == NULL)
    return CL_OUT_OF_HOST_MEMORY;
  cwi_session_lock(session);
  cwi_session_hear(session);
  const cl_int now = event->status;
  if (now > status) {
    *told = (struct cwi_told){NULL, status, function, data};
    cwi_told_add(&event->told, told);
    cwi_say_commonly(session);
  }
  cwi_session_unlock(session);
  if (now > status)
    return CL_SUCCESS;
  free(told);
  function(NULL, now < 0 ? now : status, data);
  return CL_SUCCESS;
}

/* --- the end of an event --- */

static void event_leave_queue(struct cwi_far_event *event)
{
  struct cwi_far_queue *queue = event->queue;
  *(event->before != NULL ? &event->before->after : &queue->first) = event->after;
  *(event->after != NULL ? &event->after->before : &queue->last) = event->before;
  event->queue = NULL;
  cwi_far_let_go(queue);
}

static void event_leave_reads(struct cwi_far_event *event)
{
  struct cwi_session *session = event->far.session;
  if (event->reads_before == NULL && session->reads != event)
    return;
  *(event->reads_before != NULL ? &event->reads_before->reads_after : &session->reads) =
      event->reads_after;
  if (event->reads_after != NULL)
    event->reads_after->reads_before = event->reads_before;
  event->reads_before = event->reads_after = NULL;
}

/* What waits for a failed event has no fault of its own. */
void cwi_event_blame(const struct cwi_far_event *event, struct cwi_far_queue *queue)
{
  const bool is_fault =
      event->status < 0 && event->status != CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST;
  if (is_fault && event->far.held == 1 && queue->failure == CL_SUCCESS)
    queue->failure = event->status;
}

void cwi_event_complete(struct cwi_far_event *event, cl_int status, const uint64_t *times)
{
  struct cwi_session *session = event->far.session;
  if (cwi_is_complete(event))
    return;
  event->status = status;
  for (size_t i = 0; times != NULL && i < 4; i++)
    event->times[i] = times[i];
  event_tell_later(event);
  session->sent -= event->is_sent;
  session->ended++;
  event_leave_reads(event);
  cwi_event_blame(event, event->queue);
  event_leave_queue(event);
  cwi_far_let_go(event);
}

void cwi_event_enter(struct cwi_far_event *event, struct cwi_far_queue *queue)
{
  event->queue = queue;
  event->place = ++queue->entered;
  event->before = queue->last;
  *(queue->last != NULL ? &queue->last->after : &queue->first) = event;
  queue->last = event;
  cwi_far_hold(queue);
}

void cwi_event_submitted(struct cwi_far_event *event)
{
  struct cwi_session *session = event->far.session;
  event->is_sent = true;
  session->sent++;
  session->unpublished++;
  event->status = CL_SUBMITTED;
  if (event->told != NULL)
    event_tell_later(event);
  if (!event->reads)
    return;
  event->reads_after = session->reads;
  if (session->reads != NULL)
    session->reads->reads_before = event;
  session->reads = event;
}

/* --- what the proxy says of it --- */

static void event_free(struct cwi_far *far)
{
  struct cwi_far_event *event = (struct cwi_far_event *)far;
  while (event->told != NULL) {
    struct cwi_told *told = event->told;
    event->told = told->next;
    free(told);
  }
}

static bool event_is_known(const struct cwi_far *far)
{
  return ((const struct cwi_far_event *)far)->is_sent;
}

static void event_over(struct cwi_far *far)
{
  cwi_event_complete((struct cwi_far_event *)far, CL_DEVICE_NOT_AVAILABLE, NULL);
}

static bool event_result(struct cwi_far *far, const struct cwi_say_data *data, const char *piece)
{
  struct cwi_far_event *event = (struct cwi_far_event *)far;
  if (!event->reads || !event->is_sent || cwi_is_complete(event) ||
      data->bytes > event->layout.bytes || data->offset > event->layout.bytes - data->bytes)
    return false;
  cwi_layout_unpack(&event->layout, data->offset, piece, data->bytes);
  event->come += data->bytes;
  return true;
}

static bool event_done(struct cwi_far *far, const struct cwi_done *done)
{
  struct cwi_far_event *event = (struct cwi_far_event *)far;
  const bool is_short = event->reads && event->come < event->layout.bytes;
  if (!event->is_sent || cwi_is_complete(event) || (done->status == CL_COMPLETE && is_short))
    return false;
  cwi_event_complete(event, done->status <= CL_COMPLETE ? done->status : CL_COMPLETE, done->times);
  return true;
}

const struct cwi_far_kind cwi_events = {.sort = CWI_EVENT,
                                        .free = event_free,
                                        .is_known = event_is_known,
                                        .over = event_over,
                                        .done = event_done,
                                        .result = event_result};

/* --- waiting --- */

static bool event_is_complete(const void *what)
{
  return cwi_is_complete(what);
}

cl_int cwi_event_wait(struct cwi_far_event *event)
{
  struct cwi_session *session = event->far.session;
  if (!cwi_is_complete(event))
    cwi_session_wait(session, event_is_complete, event);
  if (event->status == CL_COMPLETE)
    return CL_SUCCESS;
  return session->is_over ? CL_DEVICE_NOT_AVAILABLE : event->status;
}

cl_int cwi_remote_wait(cl_uint count, void *const *events)
{
  struct cwi_session *session = ((struct cwi_far_event *)events[0])->far.session;
  cl_int code = CL_SUCCESS;
  cwi_session_lock(session);
  for (cl_uint i = 0; i < count; i++) {
    const cl_int status = cwi_event_wait(events[i]);
    if (status == CL_DEVICE_NOT_AVAILABLE)
      code = status;
    else if (status != CL_SUCCESS && code == CL_SUCCESS)
      code = CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST;
  }
  cwi_session_unlock(session);
  return code;
}

struct finish {
  const struct cwi_far_queue *queue;
  uint64_t place;
};

static bool is_finished(const void *what)
{
  const struct finish *finish = what;
  return cwi_queue_is_done(finish->queue, finish->place);
}

void cwi_queue_await(struct cwi_far_queue *queue, uint64_t place)
{
  const struct finish finish = {queue, place};
  if (!is_finished(&finish))
    cwi_session_wait(queue->far.session, is_finished, &finish);
}

cl_int cwi_remote_finish(void *object)
{
  struct cwi_far_queue *queue = object;
  struct cwi_session *session = queue->far.session;
  cwi_session_lock(session);
  cwi_queue_await(queue, queue->entered);
  const cl_int code = session->is_over ? CL_DEVICE_NOT_AVAILABLE : queue->failure;
  queue->failure = CL_SUCCESS;
  cwi_session_unlock(session);
  return code;
}

/* The proxy has the vendor's queue flushed. */
cl_int cwi_remote_flush(void *object)
{
  struct cwi_far_queue *queue = object;
  struct cwi_session *session = queue->far.session;
  cwi_session_lock(session);
  if (queue->first != NULL && cwi_say_numbers(session, CWI_SAYS_FLUSH, 0, &queue->far.number, 1)) {
    cwi_say_publish(session);
    cwi_listener_want(session);
  }
  const bool is_over = session->is_over;
  cwi_session_unlock(session);
  return is_over ? CL_DEVICE_NOT_AVAILABLE : CL_SUCCESS;
}
