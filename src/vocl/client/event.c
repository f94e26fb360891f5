/* Events: of commands and of programs. */
#include "client/entries.h"
#include "client/kinds.h"
#include "sites/gate.h"

#include <stdlib.h>

static void event_end(struct cwi_handle *handle)
{
  struct cwi_cl_event *event = (struct cwi_cl_event *)handle;
  if (event->queue != NULL)
    cwi_handle_let_go(&event->queue->handle);
  if (event->context != NULL)
    cwi_handle_let_go(&event->context->handle);
}

static struct cwi_objects event_objects = CWI_OBJECTS(struct cwi_cl_event);
const struct cwi_kind cwi_kind_event = {&event_objects, CWI_EVENT, CL_INVALID_EVENT, NULL,
                                        event_end};

cl_event cwi_clCreateUserEvent(cl_context in, cl_int *errcode_ret)
{
  struct cwi_cl_context *context = cwi_context_find(in);
  struct cwi_cl_event *event = NULL;
  cl_int code = CL_INVALID_CONTEXT;
  if (context != NULL)
    event = cwi_handle_make(
        &cwi_kind_event,
        &(struct cwi_making){.sort = CWI_USER_EVENT, .parent = context->handle.object}, &code);
  if (event != NULL) {
    cwi_handle_hold(&context->handle);
    event->context = context;
    event->type = CL_COMMAND_USER;
  }
  return cwi_created(event, code, errcode_ret);
}

cl_int cwi_clSetUserEventStatus(cl_event handle, cl_int status)
{
  const struct cwi_cl_event *event = cwi_event_find(handle);
  if (event == NULL || event->type != CL_COMMAND_USER)
    return CL_INVALID_EVENT;
  if (status > CL_COMPLETE)
    return CL_INVALID_VALUE;
  return cwi_executor_set_user_event(event->handle.object, status);
}

cl_int cwi_clGetEventInfo(cl_event event, cl_event_info what, size_t size, void *value,
                          size_t *size_ret)
{
  static const struct cwi_query_row rows[] = {
      CWI_ANSWER_FIELD(CL_EVENT_COMMAND_QUEUE, cwi_cl_event, queue),
      CWI_ANSWER_FIELD(CL_EVENT_COMMAND_TYPE, cwi_cl_event, type),
      CWI_ANSWER_COUNT(CL_EVENT_REFERENCE_COUNT),
      CWI_ANSWER_ASKED(CL_EVENT_COMMAND_EXECUTION_STATUS),
      CWI_ANSWER_FIELD(CL_EVENT_CONTEXT, cwi_cl_event, context),
  };
  static const struct cwi_query_table answers = {&cwi_kind_event, CWI_ABOUT_EVENT,
                                                 sizeof rows / sizeof *rows, rows};
  return cwi_query_answer(&answers, event, what, &(struct cwi_asker){size, value, size_ret});
}

cl_int cwi_clGetEventProfilingInfo(cl_event event, cl_profiling_info what, size_t size, void *value,
                                   size_t *size_ret)
{
  static const struct cwi_query_row rows[] = {
      CWI_ANSWER_ASKED(CL_PROFILING_COMMAND_QUEUED), CWI_ANSWER_ASKED(CL_PROFILING_COMMAND_SUBMIT),
      CWI_ANSWER_ASKED(CL_PROFILING_COMMAND_START), CWI_ANSWER_ASKED(CL_PROFILING_COMMAND_END),
      CWI_ANSWER_ASKED(CL_PROFILING_COMMAND_COMPLETE)};
  static const struct cwi_query_table answers = {&cwi_kind_event, CWI_ABOUT_PROFILE,
                                                 sizeof rows / sizeof *rows, rows};
  return cwi_query_answer(&answers, event, what, &(struct cwi_asker){size, value, size_ret});
}

cl_int cwi_clWaitForEvents(cl_uint count, const cl_event *events)
{
  struct cwi_list list;
  if (count == 0 || events == NULL)
    return CL_INVALID_VALUE;
  cl_int code = cwi_list_begin(&list, &cwi_kind_event, count, events);
  if (code != CL_SUCCESS)
    return code;
  for (cl_uint i = 1; i < count && code == CL_SUCCESS; i++)
    if (cwi_event_find(events[i])->context != cwi_event_find(events[0])->context)
      code = CL_INVALID_CONTEXT;
  if (code == CL_SUCCESS)
    code = cwi_executor_wait(count, list.objects);
  cwi_list_end(&list);
  return code;
}

/* What a program wants to be told of an event. The event stays until it has been told. */
struct event_notice {
  struct cwi_cl_event *event;
  void(CL_CALLBACK *function)(cl_event, cl_int, void *);
  void *data;
};

static void CL_CALLBACK event_told(cl_event theirs, cl_int status, void *data)
{
  struct event_notice *notice = data;
  (void)theirs;
  cwi_gate_callback_begins();
  notice->function((cl_event)(void *)notice->event, status, notice->data);
  cwi_gate_callback_ends();
  cwi_handle_let_go(&notice->event->handle);
  free(notice);
}

cl_int cwi_clSetEventCallback(cl_event handle, cl_int status,
                              void(CL_CALLBACK *function)(cl_event, cl_int, void *), void *data)
{
  struct cwi_cl_event *event = cwi_event_find(handle);
  if (event == NULL)
    return CL_INVALID_EVENT;
  if (function == NULL || status < CL_COMPLETE || status > CL_SUBMITTED)
    return CL_INVALID_VALUE;
  struct event_notice *notice = malloc(sizeof *notice);
  if (notice == NULL)
    return CL_OUT_OF_HOST_MEMORY;
  *notice = (struct event_notice){event, function, data};
  cwi_handle_hold(&event->handle);
  const cl_int code = cwi_executor_tell_event(event->handle.object, status, event_told, notice);
  if (code != CL_SUCCESS) {
    cwi_handle_let_go(&event->handle);
    free(notice);
  }
  return code;
}
