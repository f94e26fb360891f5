/* Requests with a short answer: questions, one message each way. */
#include "route/remote/ask.h"

#include "link/await.h"
#include "link/tags.h"
#include "mpi/call.h"
#include "route/remote/outbox.h"
#include "route/remote/updates.h"
#include "team/world.h"

/* Behind what is open for the node. */
static cw_error append_request(struct cwi_question *question, struct cwi_request *request)
{
  struct cwi_packet *packet = NULL;
  CWI_TRY(cwi_outbox_open(question->node, 0, &packet));
  request->tag = question->tag;
  cwi_packet_append(packet, question->node, request);
  packet->request = NULL;
  return CW_OK;
}

static cw_error expect_answer(struct cwi_question *question)
{
  return CWI_MPI(MPI_Irecv(&question->answer, sizeof question->answer, MPI_BYTE,
                           cwi_world.server_of[question->node], (int)question->tag,
                           cwi_world.all_comm, &question->reply.request));
}

cw_error cwi_question_append(struct cwi_question *question, int node, struct cwi_request *request)
{
  question->node = node;
  question->reply = cwi_arrival(MPI_REQUEST_NULL);
  CWI_TRY(cwi_tag_take(&question->tag));
  cw_error error = expect_answer(question);
  if (error == CW_OK)
    error = append_request(question, request);
  if (error != CW_OK)
    cwi_question_drop(question);
  return error;
}

void cwi_question_drop(struct cwi_question *question)
{
  cwi_mpi_drop(&question->reply.request);
  cwi_tag_give(question->tag);
}

static cw_error send_question(struct cwi_question *question, int node, struct cwi_request *request)
{
  CWI_TRY(cwi_question_append(question, node, request));
  const cw_error error = cwi_outbox_push(node);
  if (error != CW_OK)
    cwi_question_drop(question);
  return error;
}

/* If MPI refuses to test the receive, and it goes on, the tag stays taken: the answer may come. */
cw_error cwi_question_wait(struct cwi_question *question, bool patient)
{
  struct cwi_await await = cwi_await(question->node);
  await.patient = patient;
  const cw_error error = cwi_await_arrival(&question->reply, &await);
  if (CWI_UNLIKELY(question->reply.request != MPI_REQUEST_NULL))
    return error;
  cwi_threads_lock();
  cwi_tag_give(question->tag);
  cwi_threads_unlock();
  return error;
}

cw_error cwi_question_judge(const struct cwi_question *question)
{
  return CWI_LIKELY(question->answer.refused == 0)
             ? CW_OK
             : cwi_misuse(
                   "the server of node %d refused %u request%s of mine%s: %s", question->node,
                   question->answer.refused, question->answer.refused == 1 ? "" : "s",
                   question->answer.refused == 1 ? "" : "; the first", question->answer.sentence);
}

cw_error cwi_ask(int node, struct cwi_request *request, bool patient, int64_t *value)
{
  struct cwi_question asked;
  cwi_threads_lock();
  const uint32_t updates = cwi_updates_count(node);
  const cw_error error = send_question(&asked, node, request);
  cwi_threads_unlock();
  CWI_TRY(error);
  CWI_TRY(cwi_question_wait(&asked, patient));
  CWI_TRY(cwi_question_judge(&asked));
  if (asked.answer.untold == 0)
    cwi_updates_answered(node, updates);
  *value = asked.answer.value;
  return CW_OK;
}

/* All that were sent are waited for, whatever happens; the first error counts. */
static cw_error ask_some(const int *nodes, int count, struct cwi_question *asked)
{
  cw_error error = CW_OK;
  int sent = 0;
  cwi_threads_lock();
  while (sent < count && error == CW_OK) {
    struct cwi_request request = {.operation = CWI_WIRE_FENCE};
    error = send_question(&asked[sent], nodes[sent], &request);
    sent += error == CW_OK;
  }
  cwi_threads_unlock();
  for (int i = 0; i < sent; i++) {
    const cw_error received = cwi_question_wait(&asked[i], false);
    if (error == CW_OK)
      error = received != CW_OK ? received : cwi_question_judge(&asked[i]);
  }
  return error;
}

cw_error cwi_ask_fences(const int *nodes, int count)
{
  enum { AT_A_TIME = 64 };
  struct cwi_question asked[AT_A_TIME];
  cw_error error = CW_OK;
  for (int first = 0; first < count; first += AT_A_TIME) {
    const int left = count - first;
    const cw_error some = ask_some(nodes + first, left < AT_A_TIME ? left : AT_A_TIME, asked);
    error = error == CW_OK ? some : error;
  }
  return error;
}

cw_error cwi_ask_refusal(int node)
{
  CWI_TRY(cwi_ask_fences(&node, 1));
  return cwi_outside("the server of node %d refused a get; an earlier error told why", node);
}

static cw_error send_update(int node, const struct cwi_request *request)
{
  struct cwi_packet *packet = NULL;
  cwi_updates_add(node);
  CWI_TRY(cwi_outbox_open(node, 0, &packet));
  cwi_packet_append(packet, node, request);
  return cwi_outbox_send(node);
}

cw_error cwi_tell(int process, const struct cwi_request *request)
{
  cwi_threads_lock();
  const cw_error error = send_update(cwi_world.node_of[process], request);
  cwi_threads_unlock();
  return error;
}
