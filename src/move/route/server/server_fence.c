/* Fences of nodes, in messages of their own or piggybacked on the update that they complete. */
#include "route/server/server_fence.h"

#include "mpi/origin.h"
#include "route/server/bulk_transfer.h"
#include "route/server/outbox.h"
#include "route/server/server_query.h"
#include "route/server/unfenced_updates.h"
#include "team/world.h"
#include "wait/failures.h"

#include <stdlib.h>

/* Piggybacked fences of each origin. */
static struct {
  struct cwi_server_query **at CWI_OF_ORIGIN; /* [nodes] NULL if none is in flight */
} piggybacked[CWI_ORIGINS];

/* A fence of a node in progress. */
struct fencing {
  int node;
  bool alone;                         /* it covers only one update */
  struct cwi_server_query *piggyback; /* the piggybacked fence, if one is in flight; or NULL */
  bool answered;                      /* all updates that it covers are complete or rejected */
};

cw_error cwi_piggybacks_start(void)
{
  struct cwi_server_query **at = calloc((size_t)cwi_world.nodes, sizeof(struct cwi_server_query *));
  piggybacked[cwi_origin].at = at;
  return at != NULL ? CW_OK : cwi_outside("no memory to fence %d nodes", cwi_world.nodes);
}

void cwi_piggybacks_stop(void)
{
  free((void *)piggybacked[cwi_origin].at);
  piggybacked[cwi_origin].at = NULL;
}

cw_error cwi_piggyback_begin(int node)
{
  struct cwi_request request = {.operation = CWI_WIRE_FENCE};
  CWI_ASSERT(piggybacked[cwi_origin].at[node] ==
             NULL); /* cwi_updates_expect_fence excludes a second one */
  struct cwi_server_query *query = malloc(sizeof *query);
  if (query == NULL)
    return CW_OK; /* the fence will send a message of its own */
  query->longer = NULL;
  const cw_error error =
      cwi_server_query_append(query, node, &request, (struct cwi_operands){NULL, NULL});
  if (error != CW_OK) {
    free(query);
    return error;
  }
  piggybacked[cwi_origin].at[node] = query;
  cwi_updates_set_piggybacked(node, true);
  return CW_OK;
}

void cwi_piggyback_cancel(int node)
{
  struct cwi_server_query *query = piggybacked[cwi_origin].at[node];
  piggybacked[cwi_origin].at[node] = NULL;
  cwi_updates_set_piggybacked(node, false);
  if (query == NULL)
    return;
  cwi_server_query_drop(query);
  free(query);
}

/* Begins a fence of a node. If a piggybacked fence is in flight, takes it over. */
static struct fencing fence_begin(int node)
{
  const struct fencing fencing = {node, cwi_updates_fence(node), piggybacked[cwi_origin].at[node],
                                  false};
  if (fencing.piggyback != NULL)
    cwi_updates_set_piggybacked(node, false);
  piggybacked[cwi_origin].at[node] = NULL;
  return fencing;
}

static cw_error end_piggyback(struct fencing *fencing)
{
  struct cwi_server_query *query = fencing->piggyback;
  const cw_error received = cwi_server_query_wait(query);
  const cw_error error = received != CW_OK ? received : cwi_server_fence_error(query);
  fencing->answered = received == CW_OK;
  free(query);
  return error;
}

/* Returns true if the answer to the piggybacked fence covers all updates. That is so if there was
 * only one update, and the fence travelled with it. */
static bool is_covered(const struct fencing *fencing)
{
  return fencing->piggyback != NULL && fencing->alone;
}

/* Waits for the piggybacked fences, and sends fences to the nodes that these do not cover. Called
 * without the origin's lock. */
static cw_error fence_wait_for(struct fencing *fencings, int count)
{
  struct cwi_first_error first;
  int uncovered[CWI_FENCES_AT_A_TIME] = {0}, left = 0;
  bool answered[CWI_FENCES_AT_A_TIME];
  cwi_first_begin(&first, CW_OK);
  for (int i = 0; i < count; i++) {
    if (fencings[i].piggyback != NULL)
      cwi_first_note(&first, end_piggyback(&fencings[i]));
    if (!is_covered(&fencings[i]))
      uncovered[left++] = fencings[i].node;
  }
  cwi_first_note(&first, cwi_server_fence_list(uncovered, left, answered));
  for (int i = 0, next_answer = 0; i < count; i++)
    if (!is_covered(&fencings[i]))
      fencings[i].answered = answered[next_answer++];
  return cwi_first_return(&first);
}

/* Waits without the origin's lock, so that other threads continue. Their fences send messages of
 * their own. */
static cw_error fence_end(struct fencing *fencings, int count)
{
  cwi_origin_unlock();
  const cw_error error = fence_wait_for(fencings, count);
  cwi_origin_lock();
  for (int i = 0; i < count; i++)
    cwi_updates_fenced(fencings[i].node, fencings[i].answered);
  return error;
}

/* Forgets the updates of a lost node. */
static void forget_updates(int node)
{
  cwi_piggyback_cancel(node);
  if (!cwi_updates_open(node))
    return;
  cwi_updates_fence(node);
  cwi_updates_fenced(node, true);
}

cw_error cwi_fence_node(int node)
{
  struct cwi_first_error first;
  if (CWI_UNLIKELY(cwi_node_is_lost(node))) {
    forget_updates(node);
    return cwi_node_lost(node);
  }
  cwi_first_begin(&first, cwi_bulk_fence(node));
  if (cwi_updates_open(node)) {
    struct fencing fencing = fence_begin(node);
    cwi_first_note(&first, fence_end(&fencing, 1));
  }
  cwi_first_note(&first, cwi_updates_error(node));
  return cwi_first_return(&first);
}

cw_error cwi_fence_nodes(void)
{
  struct fencing fencings[CWI_FENCES_AT_A_TIME];
  struct cwi_first_error first;
  cwi_first_begin(&first, cwi_outbox_send_all());
  cwi_first_note(&first, cwi_bulk_fence(-1));
  if (CWI_UNLIKELY(cwi_failures_count() > 0))
    for (int node = cwi_updates_next(-1); node >= 0; node = cwi_updates_next(node))
      if (cwi_node_is_lost(node))
        forget_updates(node);
  for (int node = cwi_updates_next(-1); node >= 0;) {
    int count = 0;
    for (; node >= 0 && count < CWI_FENCES_AT_A_TIME; node = cwi_updates_next(node))
      fencings[count++] = fence_begin(node);
    const cw_error error = fence_end(fencings, count);
    cwi_first_note(&first, error == CW_FAILED ? CW_OK : error); /* of a lost node */
    /* During the wait another thread may have fenced the node that was next. */
    node = cwi_updates_next(fencings[count - 1].node);
  }
  cwi_first_note(&first, cwi_updates_error(-1));
  return cwi_first_return(&first);
}
