#include "base/check.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SENTENCE = 1024 };

static _Thread_local char sentences[2][SENTENCE];
static _Thread_local int side; /* 1: what is said now is not for the thread's program */
static cwi_abort_function abort_function;

const char *cw_error_message(void)
{
  return sentences[side];
}

void cwi_speak_aside(bool aside)
{
  side = aside;
}

cw_error cwi_misuse(const char *format, ...)
{
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(sentences[side], SENTENCE, format, arguments);
  va_end(arguments);
  return CW_MISUSE;
}

cw_error cwi_outside(const char *format, ...)
{
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(sentences[side], SENTENCE, format, arguments);
  va_end(arguments);
  return CW_OUTSIDE;
}

cw_error cwi_in_call(const char *call, cw_error error)
{
  if (error == CW_OK)
    return CW_OK;
  char whole[SENTENCE], *sentence = sentences[side];
  const int used = snprintf(whole, sizeof whole, "%s: ", call);
  if (strncmp(sentence, whole, (size_t)used) != 0) {
    snprintf(whole + used, sizeof whole - (size_t)used, "%s", sentence);
    memcpy(sentence, whole, sizeof whole);
  }
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
  fprintf(stderr, "causeway: %s\n", reason);
  exit(status == 0 ? 1 : status);
}

void cwi_bug_at(const char *file, int line, const char *condition)
{
  char reason[SENTENCE];
  snprintf(reason, sizeof reason, "bug in Causeway at %s:%d: '%s' does not hold; please report it",
           file, line, condition);
  cwi_abort(reason, 70);
}
