/* What MPI calls return: every code is looked at. */
#ifndef CWI_MPI_MPI_RESULT_H
#define CWI_MPI_MPI_RESULT_H

#include "base/error.h"

#include <mpi.h>
#include <stdbool.h>

/* The error for a failed MPI call: its text and MPI's own sentence. */
CWI_CHECKED cw_error cwi_mpi_failed(const char *call, int code);

/* Is the last error of this thread that MPI refused a call? Then the members of a team do not know
 * of each other how far they came, and nothing that they do together may follow; unless they have
 * told each other since (team/agreement.h). It is the same where they have met in different calls.
 */
bool cwi_error_is_from_mpi(void);

/* The same of the first error of several, or of one that followed. */
static inline bool cwi_first_is_from_mpi(const struct cwi_first_error *first)
{
  return first->error != CW_OK && first->marked;
}

static inline CWI_CHECKED cw_error cwi_mpi_result(const char *call, int code)
{
  return CWI_LIKELY(code == MPI_SUCCESS) ? CW_OK : cwi_mpi_failed(call, code);
}

/* CW_OK, or CW_OUTSIDE with a sentence: CWI_TRY(CWI_MPI(MPI_Barrier(comm))). */
#define CWI_MPI(call) cwi_mpi_result(#call, (call))
#endif
