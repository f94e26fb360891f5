/* Requests with a short answer: one message each way. */
#include "route/server/server_query.h"

#include "link/reply_tags.h"
#include "link/server_wait.h"
#include "mpi/mpi_progress.h"
#include "mpi/origin.h"
#include "route/server/outbox.h"
#include "route/server/unfenced_updates.h"
#include "team/world.h"
#include "wait/failures.h"

#include <string.h>

/* Appends the request to the open packet towards the node. */
static cw_error append_request(struct cwi_server_query *query, struct cwi_request *request,
                               struct cwi_operands operands)
{
  struct cwi_packet *packet = NULL;
  CWI_TRY(cwi_outbox_open(query->node, cwi_wire_data_bytes(request), &packet));
  request->tag = query->tag;
  char *data = (char *)(cwi_packet_append(packet, query->node, request) + 1);
  if (operands.value != NULL)
    memcpy(data, operands.value, request->run);
  if (operands.expected != NULL)
    memcpy(data + cwi_round_up(request->run, 8), operands.expected, request->run);
  packet->request = NULL;
  return CW_OK;
}

/* Posts the receive of the answer, before the request is sent. */
static cw_error expect_answer(struct cwi_server_query *query)
{
  const bool longer = query->longer != NULL;
  return CWI_MPI(MPI_Irecv(longer ? query->longer : &query->answer,
                           longer ? (int)query->capacity : (int)sizeof query->answer, MPI_BYTE,
                           cwi_world.server_of[query->node], (int)query->tag, cwi_world.all_comm,
                           &query->reply.request));
}

cw_error cwi_server_query_append(struct cwi_server_query *query, int node,
                                 struct cwi_request *request, struct cwi_operands operands)
{
  query->node = node;
  query->reply = cwi_arrival(MPI_REQUEST_NULL);
  CWI_TRY(cwi_tag_take(&query->tag));
  cw_error error = expect_answer(query);
  if (error == CW_OK)
    error = append_request(query, request, operands);
  if (error != CW_OK)
    cwi_server_query_drop(query);
  return error;
}

void cwi_server_query_drop(struct cwi_server_query *query)
{
  cwi_mpi_drop(&query->reply.request);
  cwi_tag_give(query->tag);
}

cw_error cwi_server_query_send(struct cwi_server_query *query, int node,
                               struct cwi_request *request, struct cwi_operands operands)
{
  CWI_TRY(cwi_server_query_append(query, node, request, operands));
  const cw_error error = cwi_outbox_push(node);
  if (error != CW_OK)
    cwi_server_query_drop(query);
  return error;
}

/* Sends a query without data that has a short answer. */
static cw_error send_plain(struct cwi_server_query *query, int node, struct cwi_request *request)
{
  query->longer = NULL;
  return cwi_server_query_send(query, node, request, (struct cwi_operands){NULL, NULL});
}

/* If MPI fails to test the receive, the tag stays taken: the answer may still come. */
cw_error cwi_server_query_wait(struct cwi_server_query *query)
{
  struct cwi_server_wait await = cwi_server_wait(query->node);
  const cw_error error = cwi_server_wait_arrival(&query->reply, &await);
  if (CWI_UNLIKELY(query->reply.request != MPI_REQUEST_NULL)) {
    cwi_mpi_give_up(&query->reply.request, "an answer of a server");
    return error;
  }
  cwi_origin_lock();
  cwi_tag_give(query->tag);
  cwi_origin_unlock();
  return error;
}

cw_error cwi_server_query_error(const struct cwi_server_query *query)
{
  const struct cwi_answer *answer = cwi_server_query_answer(query);
  return CWI_LIKELY(answer->rejected == 0)
             ? CW_OK
             : cwi_misuse("the server of node %d rejected %u request%s of mine%s: %s", query->node,
                          answer->rejected, answer->rejected == 1 ? "" : "s",
                          answer->rejected == 1 ? "" : "; the first", answer->message);
}

cw_error cwi_server_fence_error(const struct cwi_server_query *query)
{
  const struct cwi_answer *answer = cwi_server_query_answer(query);
  cw_error error = CW_OK;
  if (CWI_LIKELY(answer->rejected == 0))
    return CW_OK;
  cwi_origin_lock();
  if (cwi_updates_is_new_error(query->node, answer->error_batch)) {
    error = cwi_server_query_error(query);
    cwi_updates_failed(query->node, answer->error_batch);
  }
  cwi_origin_unlock();
  return error;
}

cw_error cwi_error_reply_receive(int node, uint32_t tag, struct cwi_answer *why)
{
  struct cwi_server_wait await = cwi_server_wait(node);
  struct cwi_arrival reply = cwi_arrival(MPI_REQUEST_NULL);
  if (!cwi_survives_by_messages())
    return CWI_MPI(MPI_Recv(why, sizeof *why, MPI_BYTE, cwi_world.server_of[node], (int)tag,
                            cwi_world.all_comm, MPI_STATUS_IGNORE));
  CWI_TRY(CWI_MPI(MPI_Irecv(why, sizeof *why, MPI_BYTE, cwi_world.server_of[node], (int)tag,
                            cwi_world.all_comm, &reply.request)));
  return cwi_server_wait_arrival(&reply, &await);
}

cw_error cwi_server_query_and_wait(int node, struct cwi_request *request, int64_t *value)
{
  struct cwi_server_query sent_query;
  cwi_origin_lock();
  const uint64_t updates = cwi_updates_count(node);
  const cw_error error = send_plain(&sent_query, node, request);
  cwi_origin_unlock();
  CWI_TRY(error);
  CWI_TRY(cwi_server_query_wait(&sent_query));
  CWI_TRY(cwi_server_query_error(&sent_query));
  cwi_updates_answered(node, updates, sent_query.answer.error_batch);
  *value = sent_query.answer.value;
  return CW_OK;
}

/* Sends a fence to each node, and waits for all that could be sent. */
static void query_some(const int *nodes, int count, bool *answered, struct cwi_first_error *first)
{
  struct cwi_server_query sent_query[CWI_FENCES_AT_A_TIME];
  cwi_origin_lock();
  for (int i = 0; i < count; i++) {
    struct cwi_request request = {.operation = CWI_WIRE_FENCE};
    const cw_error sent = send_plain(&sent_query[i], nodes[i], &request);
    answered[i] = sent == CW_OK;
    cwi_first_note(first, sent);
  }
  cwi_origin_unlock();
  for (int i = 0; i < count; i++) {
    if (!answered[i])
      continue;
    const cw_error received = cwi_server_query_wait(&sent_query[i]);
    answered[i] = received == CW_OK;
    cwi_first_note(first, received != CW_OK ? received : cwi_server_fence_error(&sent_query[i]));
  }
}

cw_error cwi_server_fence_list(const int *nodes, int count, bool *answered)
{
  struct cwi_first_error first;
  cwi_first_begin(&first, CW_OK);
  for (int i = 0; i < count; i += CWI_FENCES_AT_A_TIME) {
    const int left = count - i;
    query_some(nodes + i, left < CWI_FENCES_AT_A_TIME ? left : CWI_FENCES_AT_A_TIME, answered + i,
               &first);
  }
  return cwi_first_return(&first);
}

cw_error cwi_server_send_locked(int process, const struct cwi_request *request)
{
  const int node = cwi_world.node_of[process];
  struct cwi_packet *packet = NULL;
  cwi_updates_add(node);
  CWI_TRY(cwi_outbox_open(node, 0, &packet));
  cwi_packet_append(packet, node, request);
  return cwi_outbox_send(node);
}

cw_error cwi_server_send(int process, const struct cwi_request *request)
{
  cwi_origin_lock();
  const cw_error error = cwi_server_send_locked(process, request);
  cwi_origin_unlock();
  return error;
}
