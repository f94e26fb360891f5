/* Requests with a short answer: questions, one message each way. */
#include "route/remote/ask.h"

#include "link/await.h"
#include "link/tags.h"
#include "mpi/call.h"
#include "mpi/origin.h"
#include "route/remote/outbox.h"
#include "route/remote/updates.h"
#include "team/world.h"

#include <string.h>

/* Behind what is open for the node. */
static cw_error append_request(struct cwi_question *question, struct cwi_request *request,
                               struct cwi_operands operands)
{
  struct cwi_packet *packet = NULL;
  CWI_TRY(cwi_outbox_open(question->node, cwi_wire_data_bytes(request), &packet));
  request->tag = question->tag;
  char *data = (char *)(cwi_packet_append(packet, question->node, request) + 1);
  if (operands.value != NULL)
    memcpy(data, operands.value, request->run);
  if (operands.expected != NULL)
    memcpy(data + cwi_round_up(request->run, 8), operands.expected, request->run);
  packet->request = NULL;
  return CW_OK;
}

static cw_error expect_answer(struct cwi_question *question)
{
  const bool longer = question->longer != NULL;
  return CWI_MPI(MPI_Irecv(longer ? question->longer : &question->answer,
                           longer ? (int)question->room : (int)sizeof question->answer, MPI_BYTE,
                           cwi_world.server_of[question->node], (int)question->tag,
                           cwi_world.all_comm, &question->reply.request));
}

cw_error cwi_question_append(struct cwi_question *question, int node, struct cwi_request *request,
                             struct cwi_operands operands)
{
  question->node = node;
  question->reply = cwi_arrival(MPI_REQUEST_NULL);
  CWI_TRY(cwi_tag_take(&question->tag));
  cw_error error = expect_answer(question);
  if (error == CW_OK)
    error = append_request(question, request, operands);
  if (error != CW_OK)
    cwi_question_drop(question);
  return error;
}

void cwi_question_drop(struct cwi_question *question)
{
  cwi_mpi_drop(&question->reply.request);
  cwi_tag_give(question->tag);
}

cw_error cwi_question_send(struct cwi_question *question, int node, struct cwi_request *request,
                           struct cwi_operands operands)
{
  CWI_TRY(cwi_question_append(question, node, request, operands));
  const cw_error error = cwi_outbox_push(node);
  if (error != CW_OK)
    cwi_question_drop(question);
  return error;
}

/* One that carries nothing, and has a short answer. */
static cw_error send_plain(struct cwi_question *question, int node, struct cwi_request *request)
{
  question->longer = NULL;
  return cwi_question_send(question, node, request, (struct cwi_operands){NULL, NULL});
}

/* If MPI refuses to test the receive the tag stays taken: the answer may come. */
cw_error cwi_question_wait(struct cwi_question *question)
{
  struct cwi_await await = cwi_await(question->node);
  const cw_error error = cwi_await_arrival(&question->reply, &await);
  if (CWI_UNLIKELY(question->reply.request != MPI_REQUEST_NULL)) {
    cwi_mpi_give_up(&question->reply.request, "an answer of a server");
    return error;
  }
  cwi_origin_lock();
  cwi_tag_give(question->tag);
  cwi_origin_unlock();
  return error;
}

cw_error cwi_question_judge(const struct cwi_question *question)
{
  const struct cwi_answer *answer = cwi_question_answer(question);
  return CWI_LIKELY(answer->refused == 0)
             ? CW_OK
             : cwi_misuse("the server of node %d refused %u request%s of mine%s: %s",
                          question->node, answer->refused, answer->refused == 1 ? "" : "s",
                          answer->refused == 1 ? "" : "; the first", answer->sentence);
}

cw_error cwi_fence_judge(const struct cwi_question *question)
{
  const struct cwi_answer *answer = cwi_question_answer(question);
  cw_error error = CW_OK;
  if (CWI_LIKELY(answer->refused == 0))
    return CW_OK;
  cwi_origin_lock();
  if (cwi_updates_is_news(question->node, answer->batch)) {
    error = cwi_question_judge(question);
    cwi_updates_refused(question->node, answer->batch);
  }
  cwi_origin_unlock();
  return error;
}

cw_error cwi_refusal_receive(int node, uint32_t tag, struct cwi_answer *why)
{
  return CWI_MPI(MPI_Recv(why, sizeof *why, MPI_BYTE, cwi_world.server_of[node], (int)tag,
                          cwi_world.all_comm, MPI_STATUS_IGNORE));
}

cw_error cwi_ask(int node, struct cwi_request *request, int64_t *value)
{
  struct cwi_question asked;
  cwi_origin_lock();
  const uint64_t updates = cwi_updates_count(node);
  const cw_error error = send_plain(&asked, node, request);
  cwi_origin_unlock();
  CWI_TRY(error);
  CWI_TRY(cwi_question_wait(&asked));
  CWI_TRY(cwi_question_judge(&asked));
  cwi_updates_answered(node, updates, asked.answer.batch);
  *value = asked.answer.value;
  return CW_OK;
}

/* All are asked, and all that could be asked are waited for. */
static void ask_some(const int *nodes, int count, bool *answered, struct cwi_first_error *first)
{
  struct cwi_question asked[CWI_ASKED_AT_A_TIME];
  cwi_origin_lock();
  for (int i = 0; i < count; i++) {
    struct cwi_request request = {.operation = CWI_WIRE_FENCE};
    const cw_error sent = send_plain(&asked[i], nodes[i], &request);
    answered[i] = sent == CW_OK;
    cwi_first_note(first, sent);
  }
  cwi_origin_unlock();
  for (int i = 0; i < count; i++) {
    if (!answered[i])
      continue;
    const cw_error received = cwi_question_wait(&asked[i]);
    answered[i] = received == CW_OK;
    cwi_first_note(first, received != CW_OK ? received : cwi_fence_judge(&asked[i]));
  }
}

cw_error cwi_ask_fences(const int *nodes, int count, bool *answered)
{
  struct cwi_first_error first;
  cwi_first_begin(&first, CW_OK);
  for (int i = 0; i < count; i += CWI_ASKED_AT_A_TIME) {
    const int left = count - i;
    ask_some(nodes + i, left < CWI_ASKED_AT_A_TIME ? left : CWI_ASKED_AT_A_TIME, answered + i,
             &first);
  }
  return cwi_first_return(&first);
}

cw_error cwi_tell_locked(int process, const struct cwi_request *request)
{
  const int node = cwi_world.node_of[process];
  struct cwi_packet *packet = NULL;
  cwi_updates_add(node);
  CWI_TRY(cwi_outbox_open(node, 0, &packet));
  cwi_packet_append(packet, node, request);
  return cwi_outbox_send(node);
}

cw_error cwi_tell(int process, const struct cwi_request *request)
{
  cwi_origin_lock();
  const cw_error error = cwi_tell_locked(process, request);
  cwi_origin_unlock();
  return error;
}
