/* Commands that a move executes on a device and waits for, and the errors that it reports. */
#include "migrate/move_recreate.h"

#include "base/clock.h"
#include "wait/waiter.h"

#include <errno.h>
#include <stdio.h>

int vocl_move_report_error(const struct vocl_device_move *move, int code, const char *message)
{
  snprintf(move->report->text, sizeof move->report->text, "%s", message);
  return code;
}

int vocl_move_report_code(const struct vocl_device_move *move, const char *message, cl_int code)
{
  snprintf(move->report->text, sizeof move->report->text, "%s (OpenCL error %d)", message, code);
  return EIO;
}

void vocl_move_sleep(void)
{
  enum { NAP_NANOSECONDS = 200000 };
  cwi_nap(NAP_NANOSECONDS);
}

/* Waits until the event is complete or the move's time is over. Querying the event also handles
 * messages of the proxy, so no other thread is needed. */
static int event_wait_for(const struct vocl_device_move *move, void *event, const char *late)
{
  cl_int status = CL_QUEUED;
  const struct vocl_query query = {
      .about = VOCL_ABOUT_EVENT, .object = event, .what = CL_EVENT_COMMAND_EXECUTION_STATUS};
  while (status > CL_COMPLETE) {
    if (vocl_replica_query(&query, sizeof status, &status, NULL) != CL_SUCCESS)
      return vocl_move_report_error(move, EIO, "the device is not available");
    if (status > CL_COMPLETE && cwi_now() > move->until)
      return vocl_move_report_error(move, ETIMEDOUT, late);
    if (status > CL_COMPLETE)
      vocl_move_sleep();
  }
  return status == CL_DEVICE_NOT_AVAILABLE
             ? vocl_move_report_error(move, EIO, "the device is not available")
             : 0;
}

int vocl_move_execute(const struct vocl_device_move *move, const struct vocl_command *given,
                      const char *rejected, const char *late)
{
  void *event = NULL;
  struct vocl_command command = *given;
  command.event = &event;
  cl_int code = vocl_replica_execute(&command);
  if (code == CL_SUCCESS)
    code = vocl_replica_flush(command.queue);
  const int result = code == CL_SUCCESS ? event_wait_for(move, event, late)
                                        : vocl_move_report_code(move, rejected, code);
  if (event != NULL)
    vocl_replica_drop(VOCL_EVENT, event);
  return result;
}
