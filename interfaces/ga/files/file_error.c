/* The codes of EAF and SF, their texts, and the messages of failed calls. */
#include "ga/files/pario.h"

#include "base/log.h"

#include <causeway.h>

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* The texts are those of GA. The texts of system errors begin with '>'. */
static const struct {
  int code;
  const char *text;
} texts[] = {
    {CWI_PARIO_GOOD, "OK"},
    {CWI_PARIO_END, ">End of File"},
    {CWI_PARIO_MEMORY, ">Unable To Allocate Internal Data Structure"},
    {CWI_PARIO_OPEN, ">Open Failed"},
    {CWI_PARIO_STAT, ">Stat For Specified File or Directory Failed"},
    {CWI_PARIO_MODE, ">Incorrect File Mode"},
    {CWI_PARIO_REQUEST, ">I/O Request Handle not in Table"},
    {-1992, ">Unable to Determine Directory"},
    {-1995, ">Suspend Failed"},
    {-1996, ">Asynchronous Read Failed"},
    {CWI_PARIO_READ, ">Read Failed"},
    {-1998, ">Asynchronous Write Failed"},
    {CWI_PARIO_WRITE, ">Write Failed"},
    {CWI_PARIO_SEEK, ">Unable to Seek"},
    {CWI_EAF_MANY, "too many open files"},
    {CWI_EAF_MEMORY, "memory allocation failed"},
    {-10004, "failed opening file"},
    {CWI_EAF_CLOSE, "failed closing file"},
    {CWI_EAF_FILE, "invalid file descriptor"},
    {CWI_EAF_WRITE, "write failed"},
    {-10008, "asynchronous write failed"},
    {CWI_EAF_READ, "read failed"},
    {-10010, "asynchronous read failed"},
    {-10011, "wait failed"},
    {-10012, "probe failed"},
    {CWI_EAF_UNLINK, "unlink failed"},
    {-10014, "unimplemented operation"},
    {-10015, "stat failed"},
    {CWI_EAF_SHORT, "an argument string/buffer is too short"},
    {CWI_EAF_LONG, "an argument string/buffer is too long"},
    {CWI_EAF_OFFSET, "offset is not an integer"},
    {CWI_EAF_TRUNCATE, "truncate failed"},
};

static char open_text[CWI_PARIO_TEXT + 1] = ">Open Failed";

const char *cwi_pario_text(long code)
{
  if (code == CWI_PARIO_OPEN_FAILED)
    return open_text;
  for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
    if (texts[i].code == code)
      return texts[i].text;
  return "not a code of EAF or SF";
}

void cwi_pario_open_failed(const char *reason)
{
  snprintf(open_text, sizeof open_text, ">Open Failed: %s", reason);
}

const char *cwi_pario_reason(int error)
{
  return error != EBADF ? cwi_system_error(error) : "it was not opened for this operation";
}

int cwi_pario_fail(int code, const char *call, const char *format, ...)
{
  char message[CWI_PARIO_PATH + 512];
  va_list arguments;
  const int length = snprintf(message, sizeof message, "%s: ", call);
  va_start(arguments, format);
  vsnprintf(message + length, sizeof message - (size_t)length, format, arguments);
  va_end(arguments);
  cwi_log_line(cw_initialized() ? cw_process() : -1, message);
  return code;
}
