/* Requests with a short answer: read-modify-write, mutexes, queries, fences. */
#ifndef CWI_ROUTE_SERVER_SERVER_QUERY_H
#define CWI_ROUTE_SERVER_SERVER_QUERY_H

#include "base/error.h"
#include "link/wire_format.h"
#include "mpi/poll.h"

#include <stdbool.h>
#include <stdint.h>

/* An answer that is awaited. */
struct cwi_server_query {
  struct cwi_answer answer;
  struct cwi_answer *longer; /* the answer is received here instead, in `capacity` bytes; or NULL */
  size_t capacity;
  struct cwi_arrival reply;
  uint32_t tag;
  int node;
};

static inline const struct cwi_answer *cwi_server_query_answer(const struct cwi_server_query *query)
{
  return query->longer != NULL ? query->longer : &query->answer;
}

/* Put a query behind what is open for the node; it goes with that. operands: what the request
 * carries, `run` bytes each; those that it does not carry are NULL. */
struct cwi_operands {
  const void *value, *expected;
};
CWI_CHECKED cw_error cwi_server_query_append(struct cwi_server_query *query, int node,
                                             struct cwi_request *request,
                                             struct cwi_operands operands);

/* The same, and send it with what is open. After an error nothing will answer it. */
CWI_CHECKED cw_error cwi_server_query_send(struct cwi_server_query *query, int node,
                                           struct cwi_request *request,
                                           struct cwi_operands operands);

/* It could not be sent, and nothing will answer it. */
void cwi_server_query_drop(struct cwi_server_query *query);

/* Wait for its answer; without the bookkeeping lock. After an error MPI receives it no more. */
CWI_CHECKED cw_error cwi_server_query_wait(struct cwi_server_query *query);

/* The error that the answer to a query tells of. */
CWI_CHECKED cw_error cwi_server_query_error(const struct cwi_server_query *query);

/* The same of a fence, if no other has told of it; threads that have something open there hear of
 * it by cwi_updates_error. */
CWI_CHECKED cw_error cwi_server_fence_error(const struct cwi_server_query *query);

/* Send a request behind what is open for the node, and wait for its answer. Refusals of earlier
 * requests are errors here. */
CWI_CHECKED cw_error cwi_server_ask_and_wait(int node, struct cwi_request *request, int64_t *value);

/* Send a request that has no answer: an update. Locked: by who holds the present origin's lock. */
CWI_CHECKED cw_error cwi_server_send(int process, const struct cwi_request *request);
CWI_CHECKED cw_error cwi_server_send_locked(int process, const struct cwi_request *request);

/* Remote completion of my updates at all nodes in the list; one round trip for so many at a time.
 * answered[]: receives which of them are complete, what was refused included; others could not be
 * asked. The first error counts. Without the bookkeeping lock. */
enum { CWI_FENCES_AT_A_TIME = 64 };
CWI_CHECKED cw_error cwi_server_fence_list(const int *nodes, int count, bool *answered);

/* A get has been answered by no data: receive why, which was sent behind that. The tag is still the
 * get's. */
CWI_CHECKED cw_error cwi_error_reply_receive(int node, uint32_t tag, struct cwi_answer *why);
#endif
