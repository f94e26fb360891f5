/* Keeps the message of an error, and allocates memory. */
#include "error.h"

#include <ga.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

static char message[512];

bool error_set(const char *format, ...)
{
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(message, sizeof message, format, arguments);
  va_end(arguments);
  return false;
}

const char *error_text(void)
{
  return message;
}

void *memory_allocate(size_t count, size_t size)
{
  void *memory = calloc(count ? count : 1, size ? size : 1);
  /* Memory may run out on one process only, so the processes cannot stop together. End the job. */
  if (!memory) {
    fprintf(stderr, "scf: no memory for %zu items of %zu bytes\n", count, size);
    GA_Error((char *)"scf: out of memory", 1);
    abort();
  }
  return memory;
}
