/* The messages of failed calls, one for each thread, and the end of the job. */
#include "base/error.h"

#include "base/log.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MESSAGE = 1024 };

/* These use the dynamic TLS model, because little static TLS is left for a library that a program
 * loads with dlopen. */
static _Thread_local char own[MESSAGE];
static _Thread_local bool is_aside;
static char set_aside[MESSAGE];
static _Thread_local bool own_is_marked;
static bool aside_is_marked;
/* true if the message has been recorded as the failure of the program's call */
static _Thread_local bool is_recorded;
/* error returned by the call to which the message belongs */
static _Thread_local cw_error own_kind;
__thread __attribute__((tls_model("initial-exec"))) unsigned cwi_error_messages;
static cwi_abort_function abort_function;

static char *message_now(void)
{
  return is_aside ? set_aside : own;
}

static bool *current_mark(void)
{
  return is_aside ? &aside_is_marked : &own_is_marked;
}

void cwi_error_mark(bool marked)
{
  *current_mark() = marked;
}

bool cwi_error_marked(void)
{
  return *current_mark();
}

const char *cwi_system_error(int error)
{
  const char *text = error == EFBIG ? "File too large: see ulimit -f" : strerrordesc_np(error);
  return text != NULL ? text : "unknown error";
}

const char *cwi_error_message(void)
{
  return message_now();
}

void cwi_error_message_replace(const char *message)
{
  snprintf(message_now(), MESSAGE, "%s", message);
}

bool cwi_error_is_recorded(void)
{
  return is_recorded;
}

void cwi_error_set_recorded(bool recorded)
{
  is_recorded = recorded;
}

void cwi_error_set_aside(bool aside)
{
  is_aside = aside;
}

bool cwi_error_message_is_of(cw_error error)
{
  return own[0] != '\0' && own_kind == error;
}

const char *cwi_error_name(cw_error error)
{
  static const char *const words[] = {"CW_OK", "CW_MISUSE", "CW_OUTSIDE", "CW_BUG", "CW_FAILED"};
  return (unsigned)error <= CW_FAILED ? words[error] : "no cw_error";
}

static CWI_PRINTF(2, 0) void record(cw_error error, const char *format, va_list arguments)
{
  cwi_error_messages += !is_aside;
  own_kind = is_aside ? own_kind : error;
  cwi_message_format(message_now(), MESSAGE, format, arguments);
  *current_mark() = false;
  is_recorded = is_recorded && is_aside;
}

cw_error cwi_misuse(const char *format, ...)
{
  va_list arguments;
  va_start(arguments, format);
  record(CW_MISUSE, format, arguments);
  va_end(arguments);
  return CW_MISUSE;
}

cw_error cwi_outside(const char *format, ...)
{
  va_list arguments;
  va_start(arguments, format);
  record(CW_OUTSIDE, format, arguments);
  va_end(arguments);
  return CW_OUTSIDE;
}

cw_error cwi_failure(cw_error error, const char *format, ...)
{
  va_list arguments;
  va_start(arguments, format);
  record(error, format, arguments);
  va_end(arguments);
  return error;
}

cw_error cwi_null_argument(const char *name)
{
  return cwi_misuse("%s is NULL", name);
}

cw_error cwi_check_not_negative(const char *name, long long value)
{
  if (CWI_LIKELY(value >= 0))
    return CW_OK;
  return cwi_misuse("%s is %lld; it must not be negative", name, value);
}

void cwi_first_keep(struct cwi_first_error *first, cw_error error)
{
  if (first->error != CW_OK) {
    first->marked = first->marked || *current_mark();
    return;
  }
  first->error = error;
  first->recorded = is_recorded;
  first->marked = *current_mark();
  snprintf(first->message, sizeof first->message, "%s", message_now());
}

cw_error cwi_first_again(const struct cwi_first_error *first)
{
  if (strcmp(first->message, message_now()) == 0) {
    cwi_error_mark(first->marked);
    return first->error;
  }
  const cw_error error = cwi_failure(first->error, "%s", first->message);
  is_recorded = first->recorded;
  cwi_error_mark(first->marked);
  return error;
}

bool cwi_error_message_prefix(const char *call, cw_error error)
{
  char whole[MESSAGE], *message = message_now();
  own_kind = is_aside ? own_kind : error;
  const int used = snprintf(whole, sizeof whole, "%s: ", call);
  if (strncmp(message, whole, (size_t)used) != 0) {
    snprintf(whole + used, sizeof whole - (size_t)used, "%s", message);
    memcpy(message, whole, sizeof whole);
  }
  return !is_aside;
}

cw_error cwi_error_append(cw_error error, const char *format, ...)
{
  enum { REMARK = 200 };
  char *message = message_now();
  const size_t used = strnlen(message, MESSAGE - REMARK - 4);
  char append_format[REMARK];
  va_list arguments;
  va_start(arguments, format);
  cwi_message_format(append_format, sizeof append_format, format, arguments);
  va_end(arguments);
  snprintf(message + used, REMARK + 4, " (%s)", append_format);
  return error;
}

void cwi_set_abort(cwi_abort_function function)
{
  abort_function = function;
}

void cwi_abort(const char *reason, int status)
{
  if (abort_function != NULL)
    abort_function(reason, status);
  cwi_log_line(-1, reason);
  exit(status == 0 ? 1 : status);
}

void cwi_abort_with(int status, const char *format, ...)
{
  char reason[MESSAGE + 300]; /* space for an error's message and what this text adds */
  va_list arguments;
  va_start(arguments, format);
  cwi_message_format(reason, sizeof reason, format, arguments);
  va_end(arguments);
  cwi_abort(reason, status);
}

void cwi_bug_at(const char *file, int line, const char *condition)
{
  cwi_abort_with(70, "bug in Causeway at %s:%d: '%s' does not hold; please report it", file, line,
                 condition);
}
