#include "route/remote/fence.h"

#include "mpi/call.h"
#include "route/remote/ask.h"
#include "route/remote/bulk.h"
#include "route/remote/outbox.h"
#include "route/remote/updates.h"
#include "team/world.h"

#include <stdlib.h>

static struct cwi_question **rides; /* [nodes] NULL: none is on its way */
static int *uncovered;              /* [nodes] those that a fence has to ask */

cw_error cwi_rides_start(void)
{
  rides = calloc((size_t)cwi_world.nodes, sizeof(struct cwi_question *));
  uncovered = calloc((size_t)cwi_world.nodes, sizeof *uncovered);
  return rides != NULL && uncovered != NULL
             ? CW_OK
             : cwi_outside("no memory to fence %d nodes", cwi_world.nodes);
}

void cwi_rides_stop(void)
{
  free((void *)rides);
  free(uncovered);
  rides = NULL;
  uncovered = NULL;
}

cw_error cwi_ride_begin(int node)
{
  struct cwi_request request = {.operation = CWI_WIRE_FENCE};
  CWI_ASSERT(rides[node] == NULL); /* who forgets a node's updates ends its ride */
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

/* Wait for the answer of a fence that travels, if one does (*rode). */
static cw_error end_ride(int node, bool *rode)
{
  struct cwi_question *question = rides[node];
  *rode = question != NULL;
  if (question == NULL)
    return CW_OK;
  rides[node] = NULL;
  cwi_updates_ride(node, false);
  CWI_TRY(cwi_question_wait(question, false));
  const cw_error error = cwi_question_judge(question);
  free(question);
  return error;
}

/* Forget the updates of a node; *covered: a fence has come with them, and its answer is here. */
static cw_error forget(int node, bool *covered)
{
  bool alone = false, rode = false;
  cwi_updates_forget(node, &alone);
  const cw_error error = end_ride(node, &rode);
  *covered = rode && alone;
  return error;
}

cw_error cwi_fence_node(int node)
{
  bool covered = false;
  CWI_TRY(cwi_bulk_fence(node));
  if (!cwi_updates_open(node))
    return CW_OK;
  const cw_error error = forget(node, &covered);
  const cw_error asked = covered ? CW_OK : cwi_ask_fences(&node, 1);
  return error != CW_OK ? error : asked;
}

cw_error cwi_fence_nodes(void)
{
  cw_error error = CW_OK;
  int left = 0;
  CWI_TRY(cwi_outbox_push_all());
  CWI_TRY(cwi_bulk_fence(-1));
  for (int node = cwi_updates_next(); node >= 0; node = cwi_updates_next()) {
    bool covered = false;
    const cw_error one = forget(node, &covered);
    error = error == CW_OK ? one : error;
    if (!covered)
      uncovered[left++] = node;
  }
  const cw_error asked = cwi_ask_fences(uncovered, left);
  return error != CW_OK ? error : asked;
}
