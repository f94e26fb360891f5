/* Executes commands: checks them and sends them. */
#include "stub/stub_calls.h"

/* --- data of a command --- */

static char *box_begin(const struct vocl_command *c, size_t row, size_t slice)
{
  const size_t *origin = c->origin[1];
  return (char *)c->host + origin[0] + origin[1] * row + origin[2] * slice;
}

/* Sets `layout` to the place of the command's data in the program's memory. */
static void command_lay(const struct vocl_command *c, struct vocl_host_layout *layout)
{
  const struct vocl_stub_memory *memory = c->memory[0];
  const size_t *region = c->region;
  size_t row = c->row_pitch[1], slice = c->slice_pitch[1];
  if (!vocl_command_reads(c) && !vocl_command_writes(c))
    return;
  switch (vocl_command_kind_of(c)->operands[0].form) {
  case VOCL_BOX:
    row = row != 0 ? row : region[0];
    slice = slice != 0 ? slice : row * region[1];
    vocl_host_layout_set(layout, box_begin(c, row, slice), region[0], region[1], region[2], row,
                         slice);
    break;
  case VOCL_PIXELS:
    if (memory->type == CL_MEM_OBJECT_IMAGE1D_ARRAY && slice != 0)
      row = slice; /* the slices of a 1D array are its rows */
    vocl_host_layout_set(layout, c->host, region[0] * memory->element, region[1], region[2], row,
                         slice);
    break;
  default:
    vocl_host_layout_set(layout, c->host, c->size, 1, 1, 0, 0);
    break;
  }
}

/* --- the call --- */

/* Completes the event of a command that the vendor rejected. The command counts as never
 * enqueued. */
static void command_reject(struct vocl_stub_event *event)
{
  vocl_stub_event_complete(event, CL_INVALID_OPERATION, NULL);
}

static cl_int send_now(struct vocl_stub_event *event, const struct vocl_command *c, bool is_certain)
{
  struct vocl_session *session = event->stub.session;
  struct vocl_request query;
  uint64_t ticket = 0;
  vocl_session_send_drops(session);
  if (!is_certain)
    ticket = vocl_request_begin(session, &query, NULL, 0);
  const bool was_sent = vocl_command_send(event, c, ticket);
  if (was_sent && !event->is_sent) {
    if (!is_certain)
      vocl_request_cancel(session, &query);
    return CL_SUCCESS;
  }
  if (!is_certain) {
    const cl_int code = vocl_request_wait(session, &query);
    if (code != CL_SUCCESS)
      command_reject(event);
    return code;
  }
  vocl_session_publish_if_due(session);
  return was_sent ? CL_SUCCESS : CL_DEVICE_NOT_AVAILABLE;
}

static cl_int command_start(struct vocl_stub_event *event, const struct vocl_command *c,
                            bool is_certain)
{
  if (!vocl_command_has_failed_wait(c))
    return send_now(event, c, is_certain);
  vocl_stub_event_complete(event, CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST, NULL);
  return CL_SUCCESS;
}

/* Returns true if no other queue of the context exists and this queue is in order: every later
 * command then executes after those in this queue. */
static bool is_first(const struct vocl_stub_queue *queue)
{
  const struct vocl_stub_queue *each = queue->stub.session->queues;
  while (each != NULL && (each == queue || each->context != queue->context))
    each = each->next;
  return each == NULL && (queue->flags & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE) == 0;
}

/* Returns true if a blocking call must wait for its event. OpenCL lets a blocking write return
 * when its data has been copied. However, programs then launch a kernel in another queue that
 * reads the data, which works with vendors. A write therefore returns early only if no other
 * queue can overtake it. */
static bool must_be_awaited(const struct vocl_stub_event *event, const struct vocl_command *c)
{
  const bool is_copied =
      vocl_command_writes(c) && event->is_sent && c->wait_count == 0 && is_first(c->queue);
  return c->blocking && !is_copied;
}

static cl_int command_execute(const struct vocl_command *c, struct vocl_stub_event *event)
{
  struct vocl_stub_queue *queue = c->queue;
  bool is_certain = true;
  cl_int code = vocl_stub_command_check(c, &is_certain);
  if (code == CL_SUCCESS && vocl_command_message_bytes(c) > VOCL_MESSAGE_MAX)
    code = CL_OUT_OF_RESOURCES;
  if (code != CL_SUCCESS)
    return code;
  command_lay(c, &event->layout);
  event->reads = vocl_command_reads(c);
  vocl_stub_ref(event); /* released by vocl_stub_event_complete */
  vocl_stub_event_enqueued(event, queue);
  code = command_start(event, c, is_certain);
  if (code == CL_SUCCESS && must_be_awaited(event, c))
    code = vocl_stub_event_wait(event);
  else if (code == CL_SUCCESS && c->blocking)
    queue->copied = queue->entered;
  return code;
}

bool vocl_remote_cannot_fail(const struct vocl_command *command)
{
  struct vocl_session *session = ((const struct vocl_stub *)command->queue)->session;
  bool is_certain = true;
  vocl_session_lock(session);
  const cl_int code = vocl_stub_command_check(command, &is_certain);
  vocl_session_unlock(session);
  return code == CL_SUCCESS && is_certain;
}

cl_int vocl_remote_execute(struct vocl_command *command)
{
  struct vocl_stub_queue *queue = command->queue;
  struct vocl_session *session = queue->stub.session;
  cl_int code = CL_DEVICE_NOT_AVAILABLE;
  vocl_session_lock(session);
  struct vocl_stub_event *event = NULL;
  if (!session->is_over) {
    event = vocl_stub_new(session, &vocl_stub_event_kind, sizeof *event, true);
    code = event != NULL ? CL_SUCCESS : CL_OUT_OF_HOST_MEMORY;
  }
  if (event != NULL) {
    event->status = CL_QUEUED;
    event->context = queue->context;
    event->is_profiled = (queue->flags & CL_QUEUE_PROFILING_ENABLE) != 0;
    code = command_execute(command, event);
    if (code == CL_SUCCESS && command->event != NULL) {
      *command->event = event;
    } else {
      if (code == CL_SUCCESS) /* the event may have failed while this reference kept its failure
                                 from being recorded */
        vocl_stub_event_record_failure(event, queue);
      vocl_stub_unref(event);
    }
  }
  vocl_session_unlock(session);
  return code;
}
