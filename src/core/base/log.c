/* Messages to standard error. */
#include "base/log.h"

#include <stdarg.h>
#include <stdio.h>

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

void cwi_log(enum cwi_log_level level, const char *format, ...)
{
  if ((long)level > most)
    return;
  char line[1024];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(line, sizeof line, format, arguments);
  va_end(arguments);
  if (own_process >= 0)
    fprintf(stderr, "causeway[%d]: %s\n", own_process, line);
  else
    fprintf(stderr, "causeway: %s\n", line);
}
