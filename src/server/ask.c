/* Requests with a short answer. */
#include "base/settings.h"
#include "mpi/call.h"
#include "server/await.h"
#include "server/origin.h"
#include "team/world.h"

#include <stdlib.h>

/* An answer that is awaited. */
struct asked {
  struct cwi_answer answer;
  MPI_Request reply;
  uint32_t tag;
  int node;
};

static cw_error send_question(struct asked *asked, int node, struct cwi_request *request)
{
  struct cwi_packet *packet = NULL;
  asked->node = node;
  CWI_TRY(cwi_tag_take(&asked->tag));
  CWI_TRY(
      CWI_MPI(MPI_Irecv(&asked->answer, sizeof asked->answer, MPI_BYTE, cwi_world.server_of[node],
                        (int)asked->tag, cwi_world.all_comm, &asked->reply)));
  CWI_TRY(cwi_outbox_open(node, 0, &packet));
  request->tag = asked->tag;
  cwi_packet_append(packet, node, request);
  packet->request = NULL;
  return cwi_outbox_push(node);
}

static cw_error receive_answer(struct asked *asked, bool patient)
{
  struct cwi_await await = cwi_await(asked->node);
  await.patient = patient;
  CWI_TRY(cwi_await_request(&asked->reply, &await, MPI_STATUS_IGNORE));
  cwi_threads_lock();
  cwi_tag_give(asked->tag);
  cwi_threads_unlock();
  if (CWI_LIKELY(asked->answer.refused == 0))
    return CW_OK;
  return cwi_misuse("the server of node %d refused %u requests of mine; the first: %s", asked->node,
                    asked->answer.refused, asked->answer.sentence);
}

cw_error cwi_ask(int node, struct cwi_request *request, bool patient, int64_t *value)
{
  struct asked asked;
  cwi_threads_lock();
  const cw_error error = send_question(&asked, node, request);
  cwi_threads_unlock();
  CWI_TRY(error);
  CWI_TRY(receive_answer(&asked, patient));
  *value = asked.answer.value;
  return CW_OK;
}

cw_error cwi_ask_fences(const int *nodes, int count)
{
  enum { AT_A_TIME = 64 };
  struct asked asked[AT_A_TIME];
  cw_error error = CW_OK;
  for (int first = 0; first < count; first += AT_A_TIME) {
    const int some = count - first < AT_A_TIME ? count - first : AT_A_TIME;
    for (int i = 0; i < some; i++) {
      struct cwi_request request = {.operation = CWI_WIRE_FENCE};
      CWI_TRY(send_question(&asked[i], nodes[first + i], &request));
    }
    for (int i = 0; i < some; i++) {
      const cw_error one = receive_answer(&asked[i], false);
      error = error == CW_OK ? one : error;
    }
  }
  return error;
}

cw_error cwi_ask_refusal(int node)
{
  CWI_TRY(cwi_ask_fences(&node, 1));
  return cwi_outside("the server of node %d sent no data for a get, and no reason", node);
}
