/* Messages to standard error, by level (setting CW_LOG). */
#pragma once

#include "base/error.h"

#include <stdarg.h>
#include <stddef.h>

enum cwi_log_level { CWI_LOG_QUIET = 0, CWI_LOG_WARNING = 1, CWI_LOG_INFO = 2, CWI_LOG_DEBUG = 3 };

/* Writes a message like vsnprintf, but with "array (unnamed)" for an array without a name. */
void cwi_message_format(char *text, size_t size, const char *format, va_list arguments)
    CWI_PRINTF(3, 0);

/* Sets the highest level of messages that are printed (CW_LOG). */
void cwi_log_up_to(long level);

/* Sets the process number with which every line begins, or -1 before it is known. */
void cwi_log_process(int process);

/* Prints one line, with the process number in front unless it is -1. The line is written in one
 * piece, because fprintf of glibc 2.41 writes it in several, and the line of another process may
 * come in between. */
void cwi_log_line(int process, const char *message);

/* Prints a message unless CW_LOG excludes its level. */
void cwi_log(enum cwi_log_level level, const char *format, ...) CWI_PRINTF(2, 3);
