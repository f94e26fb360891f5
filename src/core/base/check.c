/* The sentences of failed calls, one for each thread; the end of the job. */
#include "base/check.h"

#include "base/log.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SENTENCE = 1024 };

/* A program that loads us late has little room for variables of threads. */
static _Thread_local char own[SENTENCE];
static _Thread_local bool is_aside;
static char said_aside[SENTENCE];
static _Thread_local bool own_is_marked;
static bool aside_is_marked;
static _Thread_local bool is_noted;     /* the sentence, as a failure of the program's call */
static _Thread_local cw_error own_kind; /* what the call with the sentence has returned */
__thread __attribute__((tls_model("initial-exec"))) unsigned cwi_sentences;
static cwi_abort_function abort_function;

static char *sentence_now(void)
{
  return is_aside ? said_aside : own;
}

static bool *mark_now(void)
{
  return is_aside ? &aside_is_marked : &own_is_marked;
}

void cwi_error_mark(bool marked)
{
  *mark_now() = marked;
}

bool cwi_error_marked(void)
{
  return *mark_now();
}

const char *cwi_reason(int error)
{
  const char *text = error == EFBIG ? "File too large: see ulimit -f" : strerrordesc_np(error);
  return text != NULL ? text : "unknown error";
}

const char *cwi_sentence(void)
{
  return sentence_now();
}

void cwi_sentence_replace(const char *sentence)
{
  snprintf(sentence_now(), SENTENCE, "%s", sentence);
}

bool cwi_error_noted(void)
{
  return is_noted;
}

void cwi_error_set_noted(bool noted)
{
  is_noted = noted;
}

void cwi_speak_aside(bool aside)
{
  is_aside = aside;
}

bool cwi_sentence_is_of(cw_error error)
{
  return own[0] != '\0' && own_kind == error;
}

const char *cwi_error_word(cw_error error)
{
  static const char *const words[] = {"CW_OK", "CW_MISUSE", "CW_OUTSIDE", "CW_BUG"};
  return (unsigned)error <= CW_BUG ? words[error] : "no cw_error";
}

static CWI_PRINTF(2, 0) void record(cw_error error, const char *format, va_list arguments)
{
  cwi_sentences += !is_aside;
  own_kind = is_aside ? own_kind : error;
  cwi_message_format(sentence_now(), SENTENCE, format, arguments);
  *mark_now() = false;
  is_noted = is_noted && is_aside;
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

cw_error cwi_not_given(const char *name)
{
  return cwi_misuse("%s is NULL", name);
}

cw_error cwi_not_negative(const char *name, long long value)
{
  if (CWI_LIKELY(value >= 0))
    return CW_OK;
  return cwi_misuse("%s is %lld; it must not be negative", name, value);
}

void cwi_first_keep(struct cwi_first_error *first, cw_error error)
{
  if (first->error != CW_OK) {
    first->marked = first->marked || *mark_now();
    return;
  }
  first->error = error;
  first->noted = is_noted;
  first->marked = *mark_now();
  snprintf(first->sentence, sizeof first->sentence, "%s", sentence_now());
}

cw_error cwi_first_again(const struct cwi_first_error *first)
{
  if (strcmp(first->sentence, sentence_now()) == 0) {
    cwi_error_mark(first->marked);
    return first->error;
  }
  const cw_error error = cwi_failure(first->error, "%s", first->sentence);
  is_noted = first->noted;
  cwi_error_mark(first->marked);
  return error;
}

bool cwi_sentence_begin(const char *call, cw_error error)
{
  char whole[SENTENCE], *sentence = sentence_now();
  own_kind = is_aside ? own_kind : error;
  const int used = snprintf(whole, sizeof whole, "%s: ", call);
  if (strncmp(sentence, whole, (size_t)used) != 0) {
    snprintf(whole + used, sizeof whole - (size_t)used, "%s", sentence);
    memcpy(sentence, whole, sizeof whole);
  }
  return !is_aside;
}

cw_error cwi_remark(cw_error error, const char *format, ...)
{
  enum { REMARK = 200 };
  char *sentence = sentence_now();
  const size_t used = strnlen(sentence, SENTENCE - REMARK - 4);
  char remark[REMARK];
  va_list arguments;
  va_start(arguments, format);
  cwi_message_format(remark, sizeof remark, format, arguments);
  va_end(arguments);
  snprintf(sentence + used, REMARK + 4, " (%s)", remark);
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
  char reason[SENTENCE + 300]; /* an error's sentence, and what this is about */
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
