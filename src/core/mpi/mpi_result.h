/* Errors from MPI: the return code of every call is checked. */
#pragma once

#include "base/error.h"

#include <mpi.h>
#include <stdbool.h>

/* Returns CW_OUTSIDE with a message that has the text of the call and MPI's own text for `code`. */
CWI_CHECKED cw_error cwi_mpi_failed(const char *call, int code);

/* Returns true if the last error of this thread is a failed MPI call. The members of a team then do
 * not know which steps the others have completed, so no collective operation may follow unless they
 * have agreed on the error since (team/agreement.h). Also returns true if the members of a team
 * were in different collective calls. */
bool cwi_error_is_from_mpi(void);

/* Returns true if one of several errors is of that kind. */
static inline bool cwi_first_is_from_mpi(const struct cwi_first_error *first)
{
  return first->error != CW_OK && first->marked;
}

static inline CWI_CHECKED cw_error cwi_mpi_result(const char *call, int code)
{
  return CWI_LIKELY(code == MPI_SUCCESS) ? CW_OK : cwi_mpi_failed(call, code);
}

/* Calls MPI and returns CW_OK, or CW_OUTSIDE with a message: CWI_TRY(CWI_MPI(MPI_Barrier(comm))).
 */
#define CWI_MPI(call) cwi_mpi_result(#call, (call))
