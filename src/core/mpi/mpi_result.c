/* Converts the return codes of MPI calls into errors. */
#include "mpi/mpi_result.h"

#include <stdio.h>

cw_error cwi_mpi_failed(const char *call, int code)
{
  char text[MPI_MAX_ERROR_STRING] = "";
  int length = 0;
  if (MPI_Error_string(code, text, &length) != MPI_SUCCESS)
    snprintf(text, sizeof text, "error %d", code);
  const cw_error error = cwi_outside("%s failed in MPI: %s", call, text);
  cwi_error_mark(true);
  return error;
}

bool cwi_error_is_from_mpi(void)
{
  return cwi_error_marked();
}
