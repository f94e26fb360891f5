/* Pieces of any lengths from members to members: each is a message, or several if it is longer than
 * MPI can count. Where each pair has lengths of its own MPI does no more for us. */
#include "collective/runs.h"

#include "base/copy.h"
#include "base/waiting.h"
#include "mpi/call.h"

#include <stdlib.h>

/* Of one message. */
static const size_t most_at_once = (size_t)1 << 30;

cw_error cwi_runs_make(cw_team team, struct cwi_runs *runs)
{
  struct cwi_run *all = calloc(2 * (size_t)team->size, sizeof *all);
  *runs = (struct cwi_runs){team, all, all + (all != NULL ? team->size : 0)};
  return all != NULL ? CW_OK : cwi_outside("no memory for the pieces of %d processes", team->size);
}

void cwi_runs_free(struct cwi_runs *runs)
{
  free(runs->out);
  runs->out = runs->in = NULL;
}

/* Messages that are under way: their requests, and the processes that they come from or go to. */
struct letters {
  cw_team team;
  MPI_Request *requests;
  int *ranks;
  size_t count;
};

static size_t letters_of(const struct cwi_run *run)
{
  return run->bytes / most_at_once + (run->bytes % most_at_once > 0);
}

static cw_error letters_make(const struct cwi_runs *runs, struct letters *letters)
{
  size_t most = 1;
  for (int rank = 0; rank < runs->team->size; rank++)
    most += letters_of(&runs->out[rank]) + letters_of(&runs->in[rank]);
  *letters = (struct letters){.team = runs->team,
                              .requests = malloc(most * sizeof *letters->requests),
                              .ranks = malloc(most * sizeof *letters->ranks)};
  return letters->requests != NULL && letters->ranks != NULL
             ? CW_OK
             : cwi_outside("no memory for %zu messages", most);
}

static void letters_free(struct letters *letters)
{
  free(letters->requests);
  free(letters->ranks);
}

static cw_error start_run(struct letters *letters, int rank, struct cwi_run run, bool sends)
{
  for (size_t part = 0; run.bytes > 0; run.bytes -= part, run.at += part) {
    MPI_Request *request = &letters->requests[letters->count];
    part = run.bytes < most_at_once ? run.bytes : most_at_once;
    *request = MPI_REQUEST_NULL;
    CWI_TRY(sends ? CWI_MPI(MPI_Isend(run.at, (int)part, MPI_BYTE, rank, CWI_TAG_PIECES,
                                      letters->team->internal, request))
                  : CWI_MPI(MPI_Irecv(run.at, (int)part, MPI_BYTE, rank, CWI_TAG_PIECES,
                                      letters->team->internal, request)));
    letters->ranks[letters->count++] = rank;
  }
  return CW_OK;
}

/* First all that comes, so that nothing has to be kept; each member begins with another one. */
static cw_error start_all(const struct cwi_runs *runs, struct letters *letters)
{
  const int size = runs->team->size, me = runs->team->rank;
  for (int i = 1; i < size; i++) {
    const int from = (me + size - i) % size;
    CWI_TRY(start_run(letters, from, runs->in[from], false));
  }
  for (int i = 1; i < size; i++) {
    const int to = (me + i) % size;
    CWI_TRY(start_run(letters, to, runs->out[to], true));
  }
  return CW_OK;
}

/* All are waited for, also if one fails: the memory they are for is the caller's. */
static cw_error finish(struct letters *letters)
{
  cw_team team = letters->team;
  struct cwi_first_error first;
  cwi_first_begin(&first, CW_OK);
  cwi_waiting.awaited = cwi_team_awaited;
  cwi_waiting.what = team;
  for (size_t i = 0; i < letters->count; i++) {
    team->awaits = team->process[letters->ranks[i]];
    cwi_first_note(&first, cwi_mpi_wait(&letters->requests[i]));
  }
  team->awaits = -1;
  return cwi_first_return(&first);
}

cw_error cwi_runs_exchange(struct cwi_runs *runs)
{
  const int me = runs->team->rank;
  struct letters letters;
  cw_error error = letters_make(runs, &letters);
  if (error == CW_OK)
    error = start_all(runs, &letters);
  if (error == CW_OK) {
    if (runs->in[me].bytes > 0)
      cwi_copy(runs->in[me].at, runs->out[me].at, runs->in[me].bytes);
    error = finish(&letters);
  } else {
    for (size_t i = 0; i < letters.count; i++)
      cwi_mpi_drop(&letters.requests[i]);
  }
  letters_free(&letters);
  cwi_runs_free(runs);
  return error;
}
