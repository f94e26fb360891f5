/* Devices whose work others do since they were moved: new contexts have it done there, too. One
 * move at a time. */
#include "sites/remade.h"

#include "base/clock.h"

#include <errno.h>
#include <stdio.h>
#include <time.h>

enum { MOST_MOVED = 256 };
static struct moved_device {
  void *given;
  struct cwi_found_device now;
} moved_devices[MOST_MOVED];
static size_t moved_count;
static pthread_mutex_t moved_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t one_at_a_time = PTHREAD_MUTEX_INITIALIZER;

void *cwi_moved_device(void *given, unsigned *vendor)
{
  void *now = given;
  pthread_mutex_lock(&moved_lock);
  for (size_t i = 0; i < moved_count; i++)
    if (moved_devices[i].given == given) {
      now = moved_devices[i].now.object;
      *vendor = moved_devices[i].now.vendor;
    }
  pthread_mutex_unlock(&moved_lock);
  return now;
}

/* A device that finds no room here does its own work in new contexts. */
void cwi_moved_remember(void *given, const struct cwi_found_device *now)
{
  size_t i = 0;
  pthread_mutex_lock(&moved_lock);
  while (i < moved_count && moved_devices[i].given != given)
    i++;
  if (i < MOST_MOVED) {
    moved_devices[i] = (struct moved_device){given, *now};
    moved_count += i == moved_count;
  }
  pthread_mutex_unlock(&moved_lock);
}

bool cwi_move_begin(void)
{
  return pthread_mutex_trylock(&one_at_a_time) == 0;
}

void cwi_move_end(void)
{
  pthread_mutex_unlock(&one_at_a_time);
}

void cwi_moves_forget(void)
{
  pthread_mutex_init(&one_at_a_time, NULL);
  pthread_mutex_init(&moved_lock, NULL);
}

/* --- for whoever moves one --- */

int cwi_move_say(const struct cwi_move *move, int code, const char *sentence)
{
  snprintf(move->report->text, sizeof move->report->text, "%s", sentence);
  return code;
}

int cwi_move_say_code(const struct cwi_move *move, const char *sentence, cl_int code)
{
  snprintf(move->report->text, sizeof move->report->text, "%s (OpenCL says %d)", sentence, code);
  return EIO;
}

void cwi_move_nap(void)
{
  const struct timespec short_time = {.tv_nsec = 200000};
  nanosleep(&short_time, NULL);
}

/* The event is asked, which takes in what the proxy says: nobody else needs to. */
static int event_await(const struct cwi_move *move, void *event, const char *late)
{
  cl_int status = CL_QUEUED;
  const struct cwi_native_question question = {
      .about = CWI_ABOUT_EVENT, .object = event, .what = CL_EVENT_COMMAND_EXECUTION_STATUS};
  while (status > CL_COMPLETE) {
    if (cwi_copy_ask(&question, sizeof status, &status, NULL) != CL_SUCCESS)
      return cwi_move_say(move, EIO, "the device is not available");
    if (status > CL_COMPLETE && cwi_now() > move->until)
      return cwi_move_say(move, ETIMEDOUT, late);
    if (status > CL_COMPLETE)
      cwi_move_nap();
  }
  return status == CL_DEVICE_NOT_AVAILABLE ? cwi_move_say(move, EIO, "the device is not available")
                                           : 0;
}

int cwi_move_perform(const struct cwi_move *move, const struct cwi_command *given,
                     const char *refused, const char *late)
{
  void *event = NULL;
  struct cwi_command command = *given;
  command.event = &event;
  cl_int code = cwi_copy_execute(&command);
  if (code == CL_SUCCESS)
    code = cwi_copy_flush(command.queue);
  const int result =
      code == CL_SUCCESS ? event_await(move, event, late) : cwi_move_say_code(move, refused, code);
  if (event != NULL)
    cwi_copy_drop(CWI_EVENT, event);
  return result;
}
