/* Fences of nodes, alone or riding with the update that they complete. */
#include "route/remote/fence.h"

#include "mpi/call.h"
#include "route/remote/ask.h"
#include "route/remote/bulk.h"
#include "route/remote/outbox.h"
#include "route/remote/updates.h"
#include "team/world.h"

#include <stdlib.h>

enum { AT_A_TIME = 64 };

static struct cwi_question **rides; /* [nodes] NULL: none is on its way */

/* A fence of a node that is under way. */
struct fencing {
  int node;
  bool alone;                /* there is one update */
  struct cwi_question *ride; /* that has come with it; or NULL */
};

cw_error cwi_rides_start(void)
{
  rides = calloc((size_t)cwi_world.nodes, sizeof(struct cwi_question *));
  return rides != NULL ? CW_OK : cwi_outside("no memory to fence %d nodes", cwi_world.nodes);
}

void cwi_rides_stop(void)
{
  free((void *)rides);
  rides = NULL;
}

cw_error cwi_ride_begin(int node)
{
  struct cwi_request request = {.operation = CWI_WIRE_FENCE};
  CWI_ASSERT(rides[node] == NULL); /* a fence takes both: the updates of a node, and the ride */
  struct cwi_question *question = malloc(sizeof *question);
  if (question == NULL)
    return CW_OK; /* the fence will ask for itself */
  const cw_error error = cwi_question_append(question, node, &request);
  if (error != CW_OK) {
    free(question);
    return error;
  }
  rides[node] = question;
  cwi_updates_ride(node, true);
  return CW_OK;
}

void cwi_ride_cancel(int node)
{
  struct cwi_question *question = rides[node];
  rides[node] = NULL;
  cwi_updates_ride(node, false);
  if (question == NULL)
    return;
  cwi_question_drop(question);
  free(question);
}

static struct fencing begin(int node)
{
  const struct fencing fencing = {node, cwi_updates_fence(node), rides[node]};
  if (fencing.ride != NULL)
    cwi_updates_ride(node, false);
  rides[node] = NULL;
  return fencing;
}

static cw_error end_ride(struct cwi_question *question)
{
  const cw_error answered = cwi_question_wait(question, false);
  const cw_error error = answered != CW_OK ? answered : cwi_question_judge(question);
  if (question->reply.request == MPI_REQUEST_NULL) /* else MPI may still write there */
    free(question);
  return error;
}

/* Without the lock. An update that was alone, and travelled with a fence, is covered by its
 * answer. */
static cw_error wait_for(const struct fencing *fencings, int count)
{
  cw_error error = CW_OK;
  int uncovered[AT_A_TIME], left = 0;
  for (int i = 0; i < count; i++) {
    const cw_error one = fencings[i].ride != NULL ? end_ride(fencings[i].ride) : CW_OK;
    error = error == CW_OK ? one : error;
    if (fencings[i].ride == NULL || !fencings[i].alone)
      uncovered[left++] = fencings[i].node;
  }
  const cw_error asked = cwi_ask_fences(uncovered, left);
  return error != CW_OK ? error : asked;
}

/* Other threads go on meanwhile; their fences ask for themselves. */
static cw_error end(const struct fencing *fencings, int count)
{
  cwi_threads_unlock();
  const cw_error error = wait_for(fencings, count);
  cwi_threads_lock();
  for (int i = 0; i < count; i++)
    cwi_updates_fenced(fencings[i].node);
  return error;
}

cw_error cwi_fence_node(int node)
{
  CWI_TRY(cwi_bulk_fence(node));
  if (!cwi_updates_open(node))
    return CW_OK;
  const struct fencing fencing = begin(node);
  return end(&fencing, 1);
}

cw_error cwi_fence_nodes(void)
{
  struct fencing fencings[AT_A_TIME];
  cw_error error = CW_OK;
  CWI_TRY(cwi_outbox_send_all());
  CWI_TRY(cwi_bulk_fence(-1));
  for (int node = cwi_updates_next(-1); node >= 0;) {
    int count = 0;
    for (; node >= 0 && count < AT_A_TIME; node = cwi_updates_next(node))
      fencings[count++] = begin(node);
    const cw_error some = end(fencings, count);
    error = error == CW_OK ? some : error;
  }
  return error;
}
