/* Pieces of any lengths from members to members: each is a message, or several, one after the
 * other, if it is longer than MPI can count. Where each pair has lengths of its own MPI does no
 * more for us. Nobody may fail here alone, where the other members go on: small teams have room on
 * the stack. */
#include "collective/runs.h"

#include "base/copy.h"
#include "base/waiting.h"
#include "mpi/call.h"

#include <stdlib.h>
#include <string.h>

/* Of one message. */
static const size_t most_at_once = (size_t)1 << 30;

void cwi_runs_make(cw_team team, struct cwi_runs *runs)
{
  const size_t count = 2 * (size_t)team->size;
  const bool small = team->size <= CWI_TEAM_SMALL;
  runs->team = team;
  runs->out = small ? runs->few : malloc(count * sizeof *runs->out);
  if (runs->out == NULL)
    cwi_abort("no memory for the pieces of a team", 1);
  memset(runs->out, 0, count * sizeof *runs->out);
  runs->in = runs->out + team->size;
}

void cwi_runs_free(struct cwi_runs *runs)
{
  if (runs->out != runs->few)
    free(runs->out);
  runs->out = runs->in = NULL;
}

cw_error cwi_runs_check(const struct cwi_runs *runs, int from, size_t bytes)
{
  if (CWI_LIKELY(bytes == runs->in[from].bytes))
    return CW_OK;
  return cwi_misuse("rank %d of the team sends %zu bytes to rank %d, which expects %zu", from,
                    bytes, runs->team->rank, runs->in[from].bytes);
}

/* One message of each run: requests[i] receives, requests[size + i] sends; i is how far the other
 * member is from me, so that each member begins with another one. */
struct letters {
  const struct cwi_runs *runs;
  MPI_Request *requests;
  size_t at; /* bytes of each run that are done */
};

static int letters_rank(const struct letters *letters, int place)
{
  const int size = letters->runs->team->size, me = letters->runs->team->rank;
  return place < size ? (me + size - place) % size : (me + place) % size;
}

static size_t letters_part(const struct letters *letters, struct cwi_run run)
{
  const size_t left = run.bytes - letters->at;
  return left < most_at_once ? left : most_at_once;
}

static cw_error letters_start_one(const struct letters *letters, int place)
{
  const struct cwi_runs *runs = letters->runs;
  const cw_team team = runs->team;
  const int rank = letters_rank(letters, place);
  const bool sends = place >= team->size;
  const struct cwi_run run = sends ? runs->out[rank] : runs->in[rank];
  if (rank == team->rank || run.bytes <= letters->at)
    return CW_OK;
  const int part = (int)letters_part(letters, run);
  char *at = run.at + letters->at;
  MPI_Request *request = &letters->requests[place];
  return sends
             ? CWI_MPI(MPI_Isend(at, part, MPI_BYTE, rank, CWI_TAG_PIECES, team->internal, request))
             : CWI_MPI(
                   MPI_Irecv(at, part, MPI_BYTE, rank, CWI_TAG_PIECES, team->internal, request));
}

/* First all that comes, so that nothing has to be kept. */
static cw_error letters_start(const struct letters *letters)
{
  const int count = 2 * letters->runs->team->size;
  for (int place = 0; place < count; place++)
    letters->requests[place] = MPI_REQUEST_NULL;
  for (int place = 0; place < count; place++)
    CWI_TRY(letters_start_one(letters, place));
  return CW_OK;
}

/* What I send to myself, while the others' is on its way. */
static void letters_copy_own(const struct letters *letters)
{
  const struct cwi_runs *runs = letters->runs;
  const struct cwi_run in = runs->in[runs->team->rank], out = runs->out[runs->team->rank];
  if (in.bytes > letters->at)
    cwi_copy(in.at + letters->at, out.at + letters->at, letters_part(letters, in));
}

/* All are waited for, also if one fails: the memory they are for is the caller's. */
static cw_error letters_finish(const struct letters *letters)
{
  cw_team team = letters->runs->team;
  struct cwi_first_error first;
  cwi_first_begin(&first, CW_OK);
  cwi_waiting.awaited = cwi_team_awaited;
  cwi_waiting.what = team;
  for (int place = 0; place < 2 * team->size; place++)
    if (letters->requests[place] != MPI_REQUEST_NULL) {
      team->awaits = team->process[letters_rank(letters, place)];
      cwi_first_note(&first, cwi_mpi_wait(&letters->requests[place]));
    }
  team->awaits = -1;
  return cwi_first_return(&first);
}

/* Nobody who is at an earlier byte waits for one who is at a later one: that one has sent it. */
static cw_error letters_exchange(struct letters *letters, size_t longest)
{
  for (letters->at = 0; letters->at < longest; letters->at += most_at_once) {
    const cw_error error = letters_start(letters);
    for (int i = 0; i < 2 * letters->runs->team->size && error != CW_OK; i++)
      cwi_mpi_drop(&letters->requests[i]);
    CWI_TRY(error);
    letters_copy_own(letters);
    CWI_TRY(letters_finish(letters));
  }
  return CW_OK;
}

static size_t longest_of(const struct cwi_runs *runs)
{
  size_t longest = 0;
  for (int i = 0; i < 2 * runs->team->size; i++)
    longest = runs->out[i].bytes > longest ? runs->out[i].bytes : longest;
  return longest;
}

cw_error cwi_runs_exchange(const struct cwi_runs *runs)
{
  const size_t count = 2 * (size_t)runs->team->size;
  MPI_Request few[2 * CWI_TEAM_SMALL];
  struct letters letters = {runs, few, 0};
  if (runs->team->size > CWI_TEAM_SMALL)
    letters.requests = malloc(count * sizeof few[0]);
  if (letters.requests == NULL)
    cwi_abort("no memory for the messages of a team", 1);
  const cw_error error = letters_exchange(&letters, longest_of(runs));
  if (letters.requests != few)
    free(letters.requests);
  return error;
}
