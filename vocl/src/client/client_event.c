/* Events of commands, and user events. */
#include "client/client_entries.h"
#include "client/client_objects.h"
#include "replica/freeze.h"

#include <stdlib.h>

static void event_end(struct vocl_handle *handle)
{
  struct vocl_cl_event *event = (struct vocl_cl_event *)handle;
  if (event->queue != NULL)
    vocl_handle_unref(&event->queue->handle);
  if (event->context != NULL)
    vocl_handle_unref(&event->context->handle);
}

static struct cwi_objects event_objects = CWI_OBJECTS(struct vocl_cl_event);
const struct vocl_kind vocl_kind_event = {&event_objects, VOCL_EVENT, CL_INVALID_EVENT, NULL,
                                          event_end};

cl_event vocl_clCreateUserEvent(cl_context in, cl_int *errcode_ret)
{
  struct vocl_cl_context *context = vocl_context_find(in);
  struct vocl_cl_event *event = NULL;
  cl_int code = CL_INVALID_CONTEXT;
  if (context != NULL)
    event = vocl_handle_make(
        &vocl_kind_event,
        &(struct vocl_making){.sort = VOCL_USER_EVENT, .parent = context->handle.object}, &code);
  if (event != NULL) {
    vocl_handle_ref(&context->handle);
    event->context = context;
    event->type = CL_COMMAND_USER;
  }
  return vocl_return_created(event, code, errcode_ret);
}

cl_int vocl_clSetUserEventStatus(cl_event handle, cl_int status)
{
  const struct vocl_cl_event *event = vocl_event_find(handle);
  if (event == NULL || event->type != CL_COMMAND_USER)
    return CL_INVALID_EVENT;
  if (status > CL_COMPLETE)
    return CL_INVALID_VALUE;
  return vocl_executor_set_user_event(event->handle.object, status);
}

cl_int vocl_clGetEventInfo(cl_event event, cl_event_info what, size_t size, void *value,
                           size_t *size_ret)
{
  static const struct vocl_query_row rows[] = {
      VOCL_ANSWER_FIELD(CL_EVENT_COMMAND_QUEUE, vocl_cl_event, queue),
      VOCL_ANSWER_FIELD(CL_EVENT_COMMAND_TYPE, vocl_cl_event, type),
      VOCL_ANSWER_COUNT(CL_EVENT_REFERENCE_COUNT),
      VOCL_ANSWER_EXECUTOR(CL_EVENT_COMMAND_EXECUTION_STATUS),
      VOCL_ANSWER_FIELD(CL_EVENT_CONTEXT, vocl_cl_event, context),
  };
  static const struct vocl_query_table answers = {&vocl_kind_event, VOCL_ABOUT_EVENT,
                                                  sizeof rows / sizeof *rows, rows};
  return vocl_query_answer(&answers, event, what,
                           &(struct vocl_query_result){size, value, size_ret});
}

cl_int vocl_clGetEventProfilingInfo(cl_event event, cl_profiling_info what, size_t size,
                                    void *value, size_t *size_ret)
{
  static const struct vocl_query_row rows[] = {VOCL_ANSWER_EXECUTOR(CL_PROFILING_COMMAND_QUEUED),
                                               VOCL_ANSWER_EXECUTOR(CL_PROFILING_COMMAND_SUBMIT),
                                               VOCL_ANSWER_EXECUTOR(CL_PROFILING_COMMAND_START),
                                               VOCL_ANSWER_EXECUTOR(CL_PROFILING_COMMAND_END),
                                               VOCL_ANSWER_EXECUTOR(CL_PROFILING_COMMAND_COMPLETE)};
  static const struct vocl_query_table answers = {&vocl_kind_event, VOCL_ABOUT_PROFILE,
                                                  sizeof rows / sizeof *rows, rows};
  return vocl_query_answer(&answers, event, what,
                           &(struct vocl_query_result){size, value, size_ret});
}

cl_int vocl_clWaitForEvents(cl_uint count, const cl_event *events)
{
  struct vocl_handle_list list;
  if (count == 0 || events == NULL)
    return CL_INVALID_VALUE;
  cl_int code = vocl_handle_list_begin(&list, &vocl_kind_event, count, events);
  if (code != CL_SUCCESS)
    return code;
  for (cl_uint i = 1; i < count && code == CL_SUCCESS; i++)
    if (vocl_event_find(events[i])->context != vocl_event_find(events[0])->context)
      code = CL_INVALID_CONTEXT;
  if (code == CL_SUCCESS)
    code = vocl_executor_wait(count, list.objects);
  vocl_handle_list_end(&list);
  return code;
}

/* A callback for an event. It references the event until it has been called. */
struct event_notice {
  struct vocl_cl_event *event;
  void(CL_CALLBACK *function)(cl_event, cl_int, void *);
  void *data;
};

static void CL_CALLBACK event_run_callback(cl_event theirs, cl_int status, void *data)
{
  struct event_notice *notice = data;
  (void)theirs;
  vocl_callback_begins();
  notice->function((cl_event)(void *)notice->event, status, notice->data);
  vocl_callback_ends();
  vocl_handle_unref(&notice->event->handle);
  free(notice);
}

cl_int vocl_clSetEventCallback(cl_event handle, cl_int status,
                               void(CL_CALLBACK *function)(cl_event, cl_int, void *), void *data)
{
  struct vocl_cl_event *event = vocl_event_find(handle);
  if (event == NULL)
    return CL_INVALID_EVENT;
  if (function == NULL || status < CL_COMPLETE || status > CL_SUBMITTED)
    return CL_INVALID_VALUE;
  struct event_notice *notice = malloc(sizeof *notice);
  if (notice == NULL)
    return CL_OUT_OF_HOST_MEMORY;
  *notice = (struct event_notice){event, function, data};
  vocl_handle_ref(&event->handle);
  const cl_int code =
      vocl_executor_on_event(event->handle.object, status, event_run_callback, notice);
  if (code != CL_SUCCESS) {
    vocl_handle_unref(&event->handle);
    free(notice);
  }
  return code;
}
