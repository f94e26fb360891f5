/* Do all processes have the same settings? One reduction at start answers that for all of them. */
#include "team/agree.h"

#include "base/settings.h"
#include "mpi/call.h"

#include <stdio.h>
#include <stdlib.h>

/* MPI_LONG_INT: the most of all values, and the lowest rank that has it. */
struct found {
  long value;
  int rank;
};

/* The first entry tells which process refuses its settings; then two for each setting, its most and
 * its least. */
enum { FIRST = 1 };

static cw_error repeat_refusal(MPI_Comm comm, int rank, cw_error read)
{
  char sentence[1024];
  snprintf(sentence, sizeof sentence, "%s", cwi_sentence());
  CWI_TRY(CWI_MPI(MPI_Bcast(sentence, sizeof sentence, MPI_CHAR, rank, comm)));
  return read != CW_OK ? read : cwi_misuse("in rank %d %.900s", rank, sentence);
}

static cw_error compare(MPI_Comm comm, cw_error read, struct found *mine, struct found *most)
{
  const size_t settings = cwi_settings_count();
  int rank = 0;
  CWI_TRY(CWI_MPI(MPI_Comm_rank(comm, &rank)));
  mine[0] = (struct found){read != CW_OK, rank};
  for (size_t i = 0; i < settings; i++) {
    const long value = cwi_settings_shared(i);
    mine[FIRST + 2 * i] = (struct found){value, rank};
    mine[FIRST + 2 * i + 1] = (struct found){-value, rank};
  }
  CWI_TRY(CWI_MPI(
      MPI_Allreduce(mine, most, (int)(FIRST + 2 * settings), MPI_LONG_INT, MPI_MAXLOC, comm)));
  if (most[0].value != 0)
    return repeat_refusal(comm, most[0].rank, read);
  for (size_t i = 0; i < settings; i++) {
    const struct found *high = &most[FIRST + 2 * i], *low = high + 1;
    if (high->value != -low->value)
      return high->rank < low->rank
                 ? cwi_settings_differ(i, high->value, high->rank, -low->value, low->rank)
                 : cwi_settings_differ(i, -low->value, low->rank, high->value, high->rank);
  }
  return CW_OK;
}

cw_error cwi_settings_agree(MPI_Comm comm, cw_error read)
{
  const size_t entries = FIRST + 2 * cwi_settings_count();
  struct found *found = calloc(2 * entries, sizeof *found);
  if (found == NULL)
    cwi_abort("no memory to compare the settings", 1);
  const cw_error error = compare(comm, read, found, found + entries);
  free(found);
  return error;
}
