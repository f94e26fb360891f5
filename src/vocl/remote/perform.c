/* Performs commands: checks them and says them. */
#include "remote/session.h"

/* --- data of a command --- */

static char *box_begin(const struct cwi_command *c, size_t row, size_t slice)
{
  const size_t *origin = c->origin[1];
  return (char *)c->host + origin[0] + origin[1] * row + origin[2] * slice;
}

/* Where its data lies in the program's memory. */
static void command_lay(const struct cwi_command *c, struct cwi_layout *layout)
{
  const struct cwi_far_memory *memory = c->memory[0];
  const size_t *region = c->region;
  size_t row = c->row_pitch[1], slice = c->slice_pitch[1];
  switch (c->sort) {
  case CWI_COMMAND_READ:
  case CWI_COMMAND_WRITE:
    cwi_layout_set(layout, c->host, c->size, 1, 1, 0, 0);
    break;
  case CWI_COMMAND_READ_RECT:
  case CWI_COMMAND_WRITE_RECT:
    row = row != 0 ? row : region[0];
    slice = slice != 0 ? slice : row * region[1];
    cwi_layout_set(layout, box_begin(c, row, slice), region[0], region[1], region[2], row, slice);
    break;
  case CWI_COMMAND_READ_IMAGE:
  case CWI_COMMAND_WRITE_IMAGE:
    if (memory->type == CL_MEM_OBJECT_IMAGE1D_ARRAY && slice != 0)
      row = slice; /* the layers of such an array are its rows */
    cwi_layout_set(layout, c->host, region[0] * memory->element, region[1], region[2], row, slice);
    break;
  default:
    break;
  }
}

/* --- the call --- */

/* The vendor did not take it: it never was. */
static void command_refuse(struct cwi_far_event *event)
{
  cwi_event_complete(event, CL_INVALID_OPERATION, NULL);
}

static cl_int say_now(struct cwi_far_event *event, struct cwi_command *c, bool is_certain)
{
  struct cwi_session *session = event->far.session;
  struct cwi_far_question question;
  uint64_t ticket = 0;
  cwi_say_drops(session);
  if (!is_certain)
    ticket = cwi_far_question_begin(session, &question, NULL, 0);
  const bool is_said = cwi_command_say(event, c, ticket);
  if (is_said && !event->is_sent) {
    if (!is_certain)
      cwi_far_question_withdraw(session, &question);
    return CL_SUCCESS;
  }
  if (!is_certain) {
    const cl_int code = cwi_far_question_wait(session, &question);
    if (code != CL_SUCCESS)
      command_refuse(event);
    return code;
  }
  cwi_say_commonly(session);
  return is_said ? CL_SUCCESS : CL_DEVICE_NOT_AVAILABLE;
}

static cl_int command_go(struct cwi_far_event *event, struct cwi_command *c, bool is_certain)
{
  if (!cwi_command_has_failed_wait(c))
    return say_now(event, c, is_certain);
  cwi_event_complete(event, CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST, NULL);
  return CL_SUCCESS;
}

/* Can what is commanded later only come behind what is in this queue? */
static bool comes_first(const struct cwi_far_queue *queue)
{
  const struct cwi_far_queue *each = queue->far.session->queues;
  while (each != NULL && (each == queue || each->context != queue->context))
    each = each->next;
  return each == NULL && (queue->flags & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE) == 0;
}

/* When a blocking call returns. OpenCL lets a write return when its data has been copied; but
 * programs launch what reads it in another queue then, and with vendors that is right. */
static bool must_be_awaited(const struct cwi_far_event *event, const struct cwi_command *given)
{
  const bool is_copied = cwi_command_writes(given->sort) && event->is_sent &&
                         given->wait_count == 0 && comes_first(given->queue);
  return given->blocking && !is_copied;
}

static cl_int command_execute(struct cwi_command *given, struct cwi_far_event *event)
{
  struct cwi_far_queue *queue = given->queue;
  struct cwi_command c = *given;
  bool is_certain = true;
  cl_int code = cwi_command_check(&c, &is_certain);
  if (code == CL_SUCCESS && cwi_command_bytes(&c) > CWI_MESSAGE_MOST)
    code = CL_OUT_OF_RESOURCES;
  if (code != CL_SUCCESS)
    return code;
  command_lay(&c, &event->layout);
  event->reads = cwi_command_reads(c.sort);
  cwi_far_hold(event); /* until it is complete */
  cwi_event_enter(event, queue);
  code = command_go(event, &c, is_certain);
  if (code == CL_SUCCESS && must_be_awaited(event, given))
    code = cwi_event_wait(event);
  else if (code == CL_SUCCESS && given->blocking)
    queue->copied = queue->entered;
  return code;
}

bool cwi_remote_is_certain(const struct cwi_command *command)
{
  struct cwi_session *session = ((const struct cwi_far *)command->queue)->session;
  bool is_certain = true;
  cwi_session_lock(session);
  const cl_int code = cwi_command_check(command, &is_certain);
  cwi_session_unlock(session);
  return code == CL_SUCCESS && is_certain;
}

cl_int cwi_remote_execute(struct cwi_command *command)
{
  struct cwi_far_queue *queue = command->queue;
  struct cwi_session *session = queue->far.session;
  cl_int code = CL_DEVICE_NOT_AVAILABLE;
  cwi_session_lock(session);
  struct cwi_far_event *event = NULL;
  if (!session->is_over) {
    event = cwi_far_new(session, &cwi_events, sizeof *event, true);
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
      if (code == CL_SUCCESS) /* it may have failed meanwhile, when we still had the event */
        cwi_event_blame(event, queue);
      cwi_far_let_go(event);
    }
  }
  cwi_session_unlock(session);
  return code;
}
