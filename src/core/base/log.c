/* Messages to standard error. */
#include "base/log.h"

#include "base/file_write.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static int own_process = -1;
static long most = CWI_LOG_WARNING;

void cwi_log_up_to(long level)
{
  most = level;
}

void cwi_log_process(int process)
{
  own_process = process;
}

void cwi_log_line(int process, const char *message)
{
  char line[2048];
  size_t used = process >= 0
                    ? (size_t)snprintf(line, sizeof line, "causeway[%d]: %s", process, message)
                    : (size_t)snprintf(line, sizeof line, "causeway: %s", message);
  if (used > sizeof line - 2)
    used = sizeof line - 2;
  line[used++] = '\n';
  line[used] = '\0';
  struct cwi_write_signals signals;
  cwi_write_signals_block(&signals);
  fputs(line, stderr);
  cwi_write_signals_restore(&signals);
}

void cwi_message_format(char *text, size_t size, const char *format, va_list arguments)
{
  static const char found[] = "array ''", written[] = "array (unnamed)";
  vsnprintf(text, size, format, arguments);
  for (char *at = strstr(text, found); at != NULL; at = strstr(at, found)) {
    const size_t left = size - (size_t)(at - text), rest = strlen(at + sizeof found - 1);
    const size_t space = left > sizeof written ? left - sizeof written : 0;
    if (space == 0)
      return;
    memmove(at + sizeof written - 1, at + sizeof found - 1, rest < space ? rest : space);
    memcpy(at, written, sizeof written - 1);
    at[sizeof written - 1 + (rest < space ? rest : space)] = '\0';
    at += sizeof written - 1;
  }
}

void cwi_log(enum cwi_log_level level, const char *format, ...)
{
  if ((long)level > most)
    return;
  char line[1024];
  va_list arguments;
  va_start(arguments, format);
  cwi_message_format(line, sizeof line, format, arguments);
  va_end(arguments);
  cwi_log_line(own_process, line);
}
