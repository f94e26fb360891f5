/* Exchanges pieces of any lengths by messages. A piece that is too long for MPI's int counts is
 * sent in several messages, one after the other. We do not use MPI_Alltoallv, because each pair of
 * members may need a different number of messages. If one process alone failed for lack of memory,
 * the other members would wait for it, so small teams keep their tables on the stack. */
#include "collective/vector_exchange.h"

#include "machine/copy.h"
#include "mpi/mpi_progress.h"
#include "team/survivors.h"
#include "wait/wait_report.h"

#include <stdlib.h>
#include <string.h>

/* Largest number of bytes of one message. */
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

/* The messages of one step. requests[i] is a receive and requests[size + i] is a send. `i` is the
 * distance from this member's rank to that of the other member, so that each member begins with a
 * different one. */
struct messages {
  const struct cwi_runs *runs;
  MPI_Request *requests;
  size_t at; /* bytes of each run that are complete */
};

static int vector_messages_rank(const struct messages *messages, int place)
{
  const int size = messages->runs->team->size, me = messages->runs->team->rank;
  return place < size ? (me + size - place) % size : (me + place) % size;
}

static size_t vector_messages_part(const struct messages *messages, struct cwi_run run)
{
  const size_t left = run.bytes - messages->at;
  return left < most_at_once ? left : most_at_once;
}

/* Starts the message at `place`, if it has bytes left and does not go to this process itself. */
static cw_error vector_messages_start_one(const struct messages *messages, int place)
{
  const struct cwi_runs *runs = messages->runs;
  const cw_team team = runs->team;
  const int rank = vector_messages_rank(messages, place);
  const bool sends = place >= team->size;
  const struct cwi_run run = sends ? runs->out[rank] : runs->in[rank];
  if (rank == team->rank || run.bytes <= messages->at)
    return CW_OK;
  const int part = (int)vector_messages_part(messages, run);
  char *at = run.at + messages->at;
  MPI_Request *request = &messages->requests[place];
  return sends
             ? CWI_MPI(MPI_Isend(at, part, MPI_BYTE, rank, CWI_TAG_PIECES, team->internal, request))
             : CWI_MPI(
                   MPI_Irecv(at, part, MPI_BYTE, rank, CWI_TAG_PIECES, team->internal, request));
}

/* Starts all messages of a step. Receives are posted before sends, so that MPI need not buffer
 * unexpected messages. */
static cw_error vector_messages_start(const struct messages *messages)
{
  const int count = 2 * messages->runs->team->size;
  for (int place = 0; place < count; place++)
    messages->requests[place] = MPI_REQUEST_NULL;
  for (int place = 0; place < count; place++)
    CWI_TRY(vector_messages_start_one(messages, place));
  return CW_OK;
}

/* Copies the bytes that this process sends to itself, while the messages are in transit. */
static void vector_messages_copy_own(const struct messages *messages)
{
  const struct cwi_runs *runs = messages->runs;
  const struct cwi_run in = runs->in[runs->team->rank], out = runs->out[runs->team->rank];
  if (in.bytes > messages->at)
    cwi_copy(in.at + messages->at, out.at + messages->at, vector_messages_part(messages, in));
}

/* Waits for all messages, even after an error, because they use the caller's memory. */
static cw_error vector_messages_finish(const struct messages *messages)
{
  cw_team team = messages->runs->team;
  struct cwi_first_error first;
  cwi_first_begin(&first, CW_OK);
  cwi_waiting.awaited = cwi_team_awaited;
  cwi_waiting.what = team;
  for (int place = 0; place < 2 * team->size; place++)
    if (messages->requests[place] != MPI_REQUEST_NULL) {
      team->awaits = team->process[vector_messages_rank(messages, place)];
      cwi_first_note(&first, cwi_mpi_wait(&messages->requests[place]));
    }
  team->awaits = -1;
  return cwi_first_return(&first);
}

/* Exchanges all runs, one step after the other. There is no deadlock: a member in a later step has
 * sent all messages that a member in an earlier step waits for. */
static cw_error vector_messages_exchange(struct messages *messages, size_t longest)
{
  for (messages->at = 0; messages->at < longest; messages->at += most_at_once) {
    const cw_error error = vector_messages_start(messages);
    for (int i = 0; i < 2 * messages->runs->team->size && error != CW_OK; i++)
      cwi_mpi_drop(&messages->requests[i]);
    CWI_TRY(error);
    vector_messages_copy_own(messages);
    CWI_TRY(vector_messages_finish(messages));
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
  CWI_TRY(cwi_team_check_messages(runs->team));
  MPI_Request few[2 * CWI_TEAM_SMALL];
  struct messages messages = {runs, few, 0};
  if (runs->team->size > CWI_TEAM_SMALL)
    messages.requests = malloc(count * sizeof few[0]);
  if (messages.requests == NULL)
    cwi_abort("no memory for the messages of a team", 1);
  const cw_error error = vector_messages_exchange(&messages, longest_of(runs));
  if (messages.requests != few)
    free(messages.requests);
  return error;
}
