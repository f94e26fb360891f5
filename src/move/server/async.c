/* MPI operations of the server under way. */
#include "server/async.h"

#include "mpi/call.h"
#include "team/world.h"

#include <stdio.h>
#include <stdlib.h>

struct ending {
  cwi_async_end end;
  void *context;
  MPI_Status status; /* once it is complete */
};

/* The first is the one that is watched. */
static MPI_Request *requests;
static struct ending *endings;
static int *complete;
static MPI_Status *statuses;
static int count = 1, capacity;

void cwi_server_must(cw_error error)
{
  if (CWI_LIKELY(error == CW_OK))
    return;
  char sentence[400];
  snprintf(sentence, sizeof sentence, "the server of node %d failed: %s", cwi_world.node,
           cwi_sentence());
  cwi_abort(sentence, 1);
}

static void *enlarge(void *array, size_t element)
{
  void *larger = realloc(array, (size_t)capacity * element);
  if (larger == NULL)
    cwi_abort("the server has no memory for the operations under way", 1);
  return larger;
}

static void async_grow(void)
{
  capacity = capacity > 0 ? 2 * capacity : 64;
  requests = enlarge((void *)requests, sizeof *requests);
  endings = enlarge(endings, sizeof *endings);
  complete = enlarge(complete, sizeof *complete);
  statuses = enlarge(statuses, sizeof *statuses);
}

void cwi_async_add(MPI_Request request, cwi_async_end end, void *context)
{
  if (count == capacity)
    async_grow();
  requests[count] = request;
  endings[count++] = (struct ending){.end = end, .context = context};
}

void cwi_async_start(MPI_Request request, cwi_async_end end, void *context)
{
  int sent = 0;
  MPI_Status status;
  cwi_server_must(CWI_MPI(MPI_Test(&request, &sent, &status)));
  if (sent)
    end(context, &status);
  else
    cwi_async_add(request, end, context);
}

int cwi_async_count(void)
{
  return count - 1;
}

void cwi_async_watch(MPI_Request request)
{
  if (capacity == 0)
    async_grow();
  requests[0] = request;
}

MPI_Request cwi_async_watched(void)
{
  return requests[0];
}

/* Those that are complete; the others move together. */
static int take_ended(struct ending *ended, int done)
{
  int taken = 0, kept = 1;
  for (int i = 0; i < done; i++)
    if (complete[i] > 0) {
      ended[taken] = endings[complete[i]];
      ended[taken++].status = statuses[i];
    }
  for (int i = 1; i < count; i++)
    if (requests[i] != MPI_REQUEST_NULL) {
      requests[kept] = requests[i];
      endings[kept++] = endings[i];
    }
  count = kept;
  return taken;
}

/* Endings may add requests: first take the complete ones out. */
bool cwi_async_turn(bool *watched)
{
  int done = 0;
  *watched = false;
  cwi_server_must(CWI_MPI(MPI_Testsome(count, requests, &done, complete, statuses)));
  if (done <= 0) /* or MPI_UNDEFINED: none is active */
    return false;
  struct ending few[16], *ended = done <= 16 ? few : malloc((size_t)done * sizeof *ended);
  if (ended == NULL)
    cwi_abort("the server has no memory for completed operations", 1);
  *watched = requests[0] == MPI_REQUEST_NULL;
  const int taken = take_ended(ended, done);
  for (int i = 0; i < taken; i++)
    ended[i].end(ended[i].context, &ended[i].status);
  if (ended != few)
    free(ended);
  return taken > 0;
}

void cwi_async_stop(void)
{
  CWI_ASSERT(count == 1);
  free((void *)requests);
  free(endings);
  free(complete);
  free(statuses);
  requests = NULL;
  endings = NULL;
  complete = NULL;
  statuses = NULL;
  capacity = 0;
}
