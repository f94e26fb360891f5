/* Compares the settings of all processes, by one reduction at start. */
#include "team/settings_agreement.h"

#include "base/settings.h"
#include "mpi/collective_yield.h"
#include "mpi/mpi_progress.h"
#include "team/agreement.h"

#include <stdlib.h>

/* An element of type MPI_LONG_INT. MPI_MAXLOC finds the largest of all values and the lowest rank
 * that has it. Each setting has two elements: its value, and its negated value to find the smallest
 * one. */
struct found {
  long value;
  int rank;
};

static cw_error settings_compare(MPI_Comm comm, struct found *most)
{
  const size_t settings = cwi_settings_count();
  int rank = 0;
  CWI_TRY(CWI_MPI(MPI_Comm_rank(comm, &rank)));
  for (size_t i = 0; i < settings; i++) {
    const long value = cwi_settings_shared(i);
    most[2 * i] = (struct found){value, rank};
    most[2 * i + 1] = (struct found){-value, rank};
  }
  CWI_TRY(cwi_mpi_allreduce(most, (int)(2 * settings), MPI_LONG_INT, MPI_MAXLOC, comm));
  for (size_t i = 0; i < settings; i++) {
    const struct found *high = &most[2 * i], *low = high + 1;
    if (high->value != -low->value)
      return high->rank < low->rank
                 ? cwi_settings_differ(i, high->value, high->rank, -low->value, low->rank)
                 : cwi_settings_differ(i, -low->value, low->rank, high->value, high->rank);
  }
  return CW_OK;
}

cw_error cwi_settings_agree(MPI_Comm comm, cw_error read)
{
  CWI_TRY(cwi_agree(comm, read, NULL));
  struct found *found = calloc(2 * cwi_settings_count(), sizeof *found);
  if (found == NULL)
    cwi_abort("no memory to compare the settings", 1);
  const cw_error error = settings_compare(comm, found);
  free(found);
  return error;
}
