/* Failed calls whose errors the program has not read: found, counted, reported. */
#include "base/unread_errors.h"

#include "base/error.h"
#include "base/log.h"
#include "base/settings.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { MESSAGE = 1024, UNREAD = 16, MOST_REPORTED = 10 };

/* The last failure of a thread until it is read. It is not in thread-local memory, because it must
 * outlive the thread. */
struct unread {
  unsigned long number; /* number of the failure; 0 if this place is free */
  char message[MESSAGE];
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
/* first: the earliest failure that can no longer be read */
static struct unread waiting[UNREAD], first;
static unsigned long failures, waits, missed, reported;
static unsigned life = 1;
static bool by_binding, reports_at_exit;

/* The last failure of this thread. `life` is the number of the period between two reports in which
 * it happened, or 0 if it was read. `place` is its index in `waiting`, or -1 if none was free: the
 * failure is then counted without its message. */
struct last {
  unsigned life;
  int place;
};
static __thread __attribute__((tls_model("initial-exec"))) struct last last;
static __thread __attribute__((tls_model("initial-exec"))) unsigned expecting;

const char *cw_error_message(void)
{
  cwi_failure_read();
  return cwi_error_message();
}

static void failures_print(const char *message)
{
  if (!cwi_settings.check || reported > MOST_REPORTED)
    return;
  if (reported++ < MOST_REPORTED)
    cwi_log(CWI_LOG_WARNING, "the error of a failed call was not read (CW_CHECK): %s", message);
  else
    cwi_log(CWI_LOG_WARNING, "further errors that are not read are only counted");
}

/* Counts a failure that can no longer be read, and prints it with CW_CHECK. */
static void miss(struct unread *one)
{
  missed++;
  waits--;
  if (one == NULL)
    return;
  failures_print(one->message);
  if (first.number == 0 || one->number < first.number)
    first = *one;
  one->number = 0;
}

static struct unread *failures_place_of(struct last mine)
{
  return mine.place >= 0 ? &waiting[mine.place] : NULL;
}

static int free_place(void)
{
  int place = UNREAD - 1;
  while (place >= 0 && waiting[place].number != 0)
    place--;
  return place;
}

/* Makes exit() report unread failures. This is needed if the program does not call cw_finalize, if
 * cw_init has failed, or if a call fails after cw_finalize. */
static void report_at_exit(void)
{
  if (!reports_at_exit)
    reports_at_exit = atexit(cwi_failures_report) == 0;
}

static void failures_keep(const char *message)
{
  pthread_mutex_lock(&lock);
  report_at_exit();
  if (last.life == life)
    miss(failures_place_of(last));
  last = (struct last){0, -1};
  failures++;
  if (expecting == 0) {
    waits++;
    last = (struct last){life, free_place()};
    if (last.place >= 0) {
      waiting[last.place].number = failures;
      snprintf(waiting[last.place].message, MESSAGE, "%s", message);
    }
  }
  pthread_mutex_unlock(&lock);
}

/* Records a failed call of this thread. */
static void note(const char *message)
{
  pthread_mutex_lock(&lock);
  cwi_settings_read_early();
  pthread_mutex_unlock(&lock);
  if (cwi_settings.errors == CWI_ERRORS_FATAL && expecting == 0 && !by_binding)
    cwi_abort_with(1, "%s (CW_ERRORS=fatal: this ends the job)", message);
  failures_keep(message);
}

/* Replaces the message of the last failure by the longer one of the enclosing call. */
static void rename_last(const char *message)
{
  pthread_mutex_lock(&lock);
  if (last.life == life && last.place >= 0)
    snprintf(waiting[last.place].message, MESSAGE, "%s", message);
  pthread_mutex_unlock(&lock);
}

void cwi_failed_in_call(const char *call, cw_error error)
{
  if (!cwi_error_message_prefix(call, error))
    return;
  if (cwi_error_is_recorded())
    rename_last(cwi_error_message());
  else
    note(cwi_error_message());
  cwi_error_set_recorded(true);
}

void cwi_failure_read(void)
{
  if (last.life == 0)
    return;
  pthread_mutex_lock(&lock);
  if (last.life == life) {
    waits--;
    if (last.place >= 0)
      waiting[last.place].number = 0;
  }
  last.life = 0;
  pthread_mutex_unlock(&lock);
}

bool cwi_failure_is_outside(cw_error error)
{
  if (error == CW_OUTSIDE)
    cwi_failure_read();
  return error == CW_OUTSIDE;
}

void cw_error_expect(void)
{
  expecting++;
}

cw_error cw_error_expected(cw_error error)
{
  expecting -= expecting > 0;
  return error;
}

void cwi_failures_by_binding(void)
{
  by_binding = true;
}

void cwi_failures_report(void)
{
  pthread_mutex_lock(&lock);
  for (int place = 0; place < UNREAD; place++)
    if (waiting[place].number != 0)
      miss(&waiting[place]);
  missed += waits;
  if (missed > 0)
    cwi_log(CWI_LOG_WARNING, "%lu call%s failed and the errors were not read; the first: %.900s",
            missed, missed == 1 ? "" : "s",
            first.number != 0 ? first.message : "(its message is lost)");
  waits = missed = reported = 0;
  first.number = 0;
  by_binding = false;
  life++;
  pthread_mutex_unlock(&lock);
}

unsigned long cwi_failures_so_far(void)
{
  return failures;
}
