#include "check.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

void bench_fail(const char *format, ...)
{
  va_list arguments;
  va_start(arguments, format);
  fputs("bench: ", stderr);
  vfprintf(stderr, format, arguments);
  fputc('\n', stderr);
  va_end(arguments);
  int up = 0;
  if (MPI_Initialized(&up) == MPI_SUCCESS && up)
    MPI_Abort(MPI_COMM_WORLD, EXIT_FAILURE);
  exit(EXIT_FAILURE);
}
