#include "server/async.h"

#include "mpi/call.h"
#include "team/world.h"

#include <stdio.h>
#include <stdlib.h>

struct ending {
  cwi_async_end end;
  void *context;
};

static MPI_Request *requests;
static struct ending *endings;
static int *complete;
static MPI_Status *statuses; /* not looked at; gcc dislikes MPICH's MPI_STATUSES_IGNORE */
static int count, capacity;

void cwi_server_must(cw_error error)
{
  if (CWI_LIKELY(error == CW_OK))
    return;
  char sentence[400];
  snprintf(sentence, sizeof sentence, "the server of node %d failed: %s", cwi_world.node,
           cw_error_message());
  cwi_abort(sentence, 1);
}

static void *enlarge(void *array, size_t element)
{
  void *larger = realloc(array, (size_t)capacity * element);
  if (larger == NULL)
    cwi_abort("the server has no memory for what is under way", 1);
  return larger;
}

static void grow(void)
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
    grow();
  requests[count] = request;
  endings[count++] = (struct ending){end, context};
}

int cwi_async_count(void)
{
  return count;
}

/* Endings may add requests: first take the complete ones out. */
bool cwi_async_turn(void)
{
  int done = 0;
  if (count == 0)
    return false;
  cwi_server_must(CWI_MPI(MPI_Testsome(count, requests, &done, complete, statuses)));
  if (done <= 0) /* or MPI_UNDEFINED: none is active */
    return false;
  struct ending few[16], *ended = done <= 16 ? few : malloc((size_t)done * sizeof *ended);
  if (ended == NULL)
    cwi_abort("the server has no memory for what is complete", 1);
  for (int i = 0; i < done; i++)
    ended[i] = endings[complete[i]];
  int kept = 0;
  for (int i = 0; i < count; i++)
    if (requests[i] != MPI_REQUEST_NULL) {
      requests[kept] = requests[i];
      endings[kept++] = endings[i];
    }
  count = kept;
  for (int i = 0; i < done; i++)
    ended[i].end(ended[i].context);
  if (ended != few)
    free(ended);
  return true;
}

void cwi_async_stop(void)
{
  CWI_ASSERT(count == 0);
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
