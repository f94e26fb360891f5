/* Events: their status, waits, and callbacks. */
#include "stub/stub_calls.h"

#include <stdlib.h>
#include <string.h>

/* --- callbacks --- */

struct reporting {
  vocl_event_function function;
  void *data;
  cl_int status;
};

static void event_notify(void *what)
{
  struct reporting *reporting = what;
  reporting->function(NULL, reporting->status, reporting->data);
  free(reporting);
}

/* Schedules the callbacks whose status the event has reached. */
static void event_notify_later(struct vocl_stub_event *event)
{
  struct vocl_event_callback **each = &event->callback;
  while (*each != NULL) {
    struct vocl_event_callback *callback = *each;
    if (event->status > callback->status) {
      each = &callback->next;
      continue;
    }
    *each = callback->next;
    struct reporting *reporting = malloc(sizeof *reporting);
    if (reporting != NULL) {
      *reporting = (struct reporting){callback->function, callback->data,
                                      event->status < 0 ? event->status : callback->status};
      if (!vocl_session_call_later(event->stub.session, event_notify, reporting))
        free(reporting);
    }
    free(callback);
  }
}

cl_int vocl_remote_on_event(void *object, cl_int status, vocl_event_function function, void *data)
{
  struct vocl_stub_event *event = object;
  struct vocl_session *session = event->stub.session;
  struct vocl_event_callback *callback = malloc(sizeof *callback);
  if (callback == NULL)
    return CL_OUT_OF_HOST_MEMORY;
  vocl_session_lock(session);
  vocl_session_receive(session);
  const cl_int now = event->status;
  if (now > status) {
    *callback = (struct vocl_event_callback){NULL, status, function, data};
    vocl_event_callback_add(&event->callback, callback);
    vocl_session_publish_if_due(session);
  }
  vocl_session_unlock(session);
  if (now > status)
    return CL_SUCCESS;
  free(callback);
  function(NULL, now < 0 ? now : status, data);
  return CL_SUCCESS;
}

/* --- the end of an event --- */

static void event_leave_queue(struct vocl_stub_event *event)
{
  struct vocl_stub_queue *queue = event->queue;
  *(event->before != NULL ? &event->before->after : &queue->first) = event->after;
  *(event->after != NULL ? &event->after->before : &queue->last) = event->before;
  event->queue = NULL;
  vocl_stub_unref(queue);
}

static void event_leave_reads(struct vocl_stub_event *event)
{
  struct vocl_session *session = event->stub.session;
  if (event->reads_before == NULL && session->reads != event)
    return;
  *(event->reads_before != NULL ? &event->reads_before->reads_after : &session->reads) =
      event->reads_after;
  if (event->reads_after != NULL)
    event->reads_after->reads_before = event->reads_before;
  event->reads_before = event->reads_after = NULL;
}

/* Records a failure of the command itself for clFinish. An event that only waited for a failed
 * event does not count. */
void vocl_stub_event_record_failure(const struct vocl_stub_event *event,
                                    struct vocl_stub_queue *queue)
{
  const bool is_fault =
      event->status < 0 && event->status != CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST;
  if (is_fault && event->stub.refs == 1 && queue->failure == CL_SUCCESS)
    queue->failure = event->status;
}

void vocl_stub_event_complete(struct vocl_stub_event *event, cl_int status, const uint64_t *times)
{
  struct vocl_session *session = event->stub.session;
  if (vocl_stub_event_is_complete(event))
    return;
  event->status = status;
  for (size_t i = 0; times != NULL && i < 4; i++)
    event->times[i] = times[i];
  event_notify_later(event);
  session->sent -= event->is_sent;
  session->ended++;
  event_leave_reads(event);
  vocl_stub_event_record_failure(event, event->queue);
  event_leave_queue(event);
  vocl_stub_unref(event);
}

void vocl_stub_event_enqueued(struct vocl_stub_event *event, struct vocl_stub_queue *queue)
{
  event->queue = queue;
  event->place = ++queue->entered;
  event->before = queue->last;
  *(queue->last != NULL ? &queue->last->after : &queue->first) = event;
  queue->last = event;
  vocl_stub_ref(queue);
}

void vocl_stub_event_submitted(struct vocl_stub_event *event)
{
  struct vocl_session *session = event->stub.session;
  event->is_sent = true;
  session->sent++;
  session->unpublished++;
  event->status = CL_SUBMITTED;
  if (event->callback != NULL)
    event_notify_later(event);
  if (!event->reads)
    return;
  event->reads_after = session->reads;
  if (session->reads != NULL)
    session->reads->reads_before = event;
  session->reads = event;
}

/* --- messages of the proxy about an event --- */

static void event_free(struct vocl_stub *stub)
{
  struct vocl_stub_event *event = (struct vocl_stub_event *)stub;
  while (event->callback != NULL) {
    struct vocl_event_callback *callback = event->callback;
    event->callback = callback->next;
    free(callback);
  }
}

static bool event_is_known(const struct vocl_stub *stub)
{
  return ((const struct vocl_stub_event *)stub)->is_sent;
}

static void event_over(struct vocl_stub *stub)
{
  vocl_stub_event_complete((struct vocl_stub_event *)stub, CL_DEVICE_NOT_AVAILABLE, NULL);
}

static bool event_result(struct vocl_stub *stub, const struct vocl_msg_data *data,
                         const char *piece)
{
  struct vocl_stub_event *event = (struct vocl_stub_event *)stub;
  if (!event->reads || !event->is_sent || vocl_stub_event_is_complete(event) ||
      data->bytes > event->layout.bytes || data->offset > event->layout.bytes - data->bytes)
    return false;
  vocl_host_layout_unpack(&event->layout, data->offset, piece, data->bytes);
  event->received += data->bytes;
  return true;
}

static bool event_done(struct vocl_stub *stub, const struct vocl_completion *done)
{
  struct vocl_stub_event *event = (struct vocl_stub_event *)stub;
  const bool is_short = event->reads && event->received < event->layout.bytes;
  if (!event->is_sent || vocl_stub_event_is_complete(event) ||
      (done->status == CL_COMPLETE && is_short))
    return false;
  vocl_stub_event_complete(event, done->status <= CL_COMPLETE ? done->status : CL_COMPLETE,
                           done->times);
  return true;
}

const struct vocl_stub_kind vocl_stub_event_kind = {.sort = VOCL_EVENT,
                                                    .free = event_free,
                                                    .is_known = event_is_known,
                                                    .over = event_over,
                                                    .done = event_done,
                                                    .result = event_result};

/* --- waiting --- */

static bool event_is_complete(const void *what)
{
  return vocl_stub_event_is_complete(what);
}

cl_int vocl_stub_event_wait(struct vocl_stub_event *event)
{
  struct vocl_session *session = event->stub.session;
  if (!vocl_stub_event_is_complete(event))
    vocl_session_wait(session, event_is_complete, event);
  if (event->status == CL_COMPLETE)
    return CL_SUCCESS;
  return session->is_over ? CL_DEVICE_NOT_AVAILABLE : event->status;
}

cl_int vocl_remote_wait(cl_uint count, void *const *events)
{
  struct vocl_session *session = ((struct vocl_stub_event *)events[0])->stub.session;
  cl_int code = CL_SUCCESS;
  vocl_session_lock(session);
  for (cl_uint i = 0; i < count; i++) {
    const cl_int status = vocl_stub_event_wait(events[i]);
    if (status == CL_DEVICE_NOT_AVAILABLE)
      code = status;
    else if (status != CL_SUCCESS && code == CL_SUCCESS)
      code = CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST;
  }
  vocl_session_unlock(session);
  return code;
}

struct finish {
  const struct vocl_stub_queue *queue;
  uint64_t place;
};

static bool is_finished(const void *what)
{
  const struct finish *finish = what;
  return vocl_stub_queue_is_done(finish->queue, finish->place);
}

void vocl_stub_queue_wait(struct vocl_stub_queue *queue, uint64_t place)
{
  const struct finish finish = {queue, place};
  if (!is_finished(&finish))
    vocl_session_wait(queue->stub.session, is_finished, &finish);
}

cl_int vocl_remote_finish(void *object)
{
  struct vocl_stub_queue *queue = object;
  struct vocl_session *session = queue->stub.session;
  vocl_session_lock(session);
  vocl_stub_queue_wait(queue, queue->entered);
  const cl_int code = session->is_over ? CL_DEVICE_NOT_AVAILABLE : queue->failure;
  queue->failure = CL_SUCCESS;
  vocl_session_unlock(session);
  return code;
}

/* Sends the proxy the request to flush the vendor's queue. */
cl_int vocl_remote_flush(void *object)
{
  struct vocl_stub_queue *queue = object;
  struct vocl_session *session = queue->stub.session;
  vocl_session_lock(session);
  if (queue->first != NULL &&
      vocl_msg_numbers(session, VOCL_MSG_FLUSH, 0, &queue->stub.number, 1)) {
    vocl_session_publish(session);
    vocl_listener_wake(session);
  }
  const bool is_over = session->is_over;
  vocl_session_unlock(session);
  return is_over ? CL_DEVICE_NOT_AVAILABLE : CL_SUCCESS;
}
