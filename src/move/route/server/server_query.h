/* Requests with a short answer: fetching updates, mutexes, address queries, fences. */
#pragma once

#include "base/error.h"
#include "link/wire_format.h"
#include "mpi/poll.h"

#include <stdbool.h>
#include <stdint.h>

/* A query whose answer is outstanding. */
struct cwi_server_query {
  struct cwi_answer answer;
  struct cwi_answer
      *longer; /* buffer of `capacity` bytes that receives the answer instead; or NULL */
  size_t capacity;
  struct cwi_arrival reply;
  uint32_t tag;
  int node;
};

/* Returns the answer, in whichever buffer it was received. */
static inline const struct cwi_answer *cwi_server_query_answer(const struct cwi_server_query *query)
{
  return query->longer != NULL ? query->longer : &query->answer;
}

/* cwi_server_query_append appends a query to the open packet towards the node, with which it will
 * be sent. `operands` are the data of the request, `run` bytes each, or NULL. */
struct cwi_operands {
  const void *value, *expected;
};
CWI_CHECKED cw_error cwi_server_query_append(struct cwi_server_query *query, int node,
                                             struct cwi_request *request,
                                             struct cwi_operands operands);

/* Like cwi_server_query_append, but also sends the packet. After an error there will be no
 * answer. */
CWI_CHECKED cw_error cwi_server_query_send(struct cwi_server_query *query, int node,
                                           struct cwi_request *request,
                                           struct cwi_operands operands);

/* Drops a query that could not be sent and will have no answer. */
void cwi_server_query_drop(struct cwi_server_query *query);

/* Waits for the answer. The caller must not hold the origin's lock. After an error MPI no longer
 * receives the answer. */
CWI_CHECKED cw_error cwi_server_query_wait(struct cwi_server_query *query);

/* Returns the error that the answer to a query contains. */
CWI_CHECKED cw_error cwi_server_query_error(const struct cwi_server_query *query);

/* Returns the error in the answer to a fence, unless another answer has reported it. Other threads
 * with open updates there receive it from cwi_updates_error. */
CWI_CHECKED cw_error cwi_server_fence_error(const struct cwi_server_query *query);

/* Sends a request after those in the open packet towards the node, and waits for its answer.
 * Returns an error if this request was rejected; fences return the errors of earlier requests. */
CWI_CHECKED cw_error cwi_server_query_and_wait(int node, struct cwi_request *request,
                                               int64_t *value);

/* Send a request without an answer: an update. The caller of cwi_server_send_locked holds the
 * current origin's lock. */
CWI_CHECKED cw_error cwi_server_send(int process, const struct cwi_request *request);
CWI_CHECKED cw_error cwi_server_send_locked(int process, const struct cwi_request *request);

/* Completes the updates of the current origin remotely at all nodes in the list. Takes one round
 * trip for every CWI_FENCES_AT_A_TIME nodes. Sets answered[i] to true if nodes[i] has answered, so
 * that all updates there are complete or rejected. Returns the first error. The caller must not
 * hold the origin's lock. */
enum { CWI_FENCES_AT_A_TIME = 64 };
CWI_CHECKED cw_error cwi_server_fence_list(const int *nodes, int count, bool *answered);

/* Receives the reason why a get was answered without data. It follows that reply under the same
 * tag, which the get still owns. */
CWI_CHECKED cw_error cwi_error_reply_receive(int node, uint32_t tag, struct cwi_answer *why);
