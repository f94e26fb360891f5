/* Requests with a short answer. */
#include "base/settings.h"
#include "link/await.h"
#include "mpi/call.h"
#include "route/remote/origin.h"
#include "team/world.h"

#include <stdlib.h>

/* An answer that is awaited. */
struct asked {
  struct cwi_answer answer;
  MPI_Request reply;
  uint32_t tag;
  int node;
};

/* Behind what is open for the node. */
static cw_error append_request(struct asked *asked, struct cwi_request *request)
{
  struct cwi_packet *packet = NULL;
  CWI_TRY(cwi_outbox_open(asked->node, 0, &packet));
  request->tag = asked->tag;
  cwi_packet_append(packet, asked->node, request);
  packet->request = NULL;
  return CW_OK;
}

/* Nobody will answer: the receive must not outlive the memory that it is for. */
static void give_up(struct asked *asked)
{
  MPI_Cancel(&asked->reply);
  MPI_Wait(&asked->reply, MPI_STATUS_IGNORE);
}

static cw_error add_question(struct asked *asked, int node, struct cwi_request *request)
{
  asked->node = node;
  CWI_TRY(cwi_tag_take(&asked->tag));
  CWI_TRY(
      CWI_MPI(MPI_Irecv(&asked->answer, sizeof asked->answer, MPI_BYTE, cwi_world.server_of[node],
                        (int)asked->tag, cwi_world.all_comm, &asked->reply)));
  const cw_error error = append_request(asked, request);
  if (error != CW_OK)
    give_up(asked);
  return error;
}

static cw_error send_question(struct asked *asked, int node, struct cwi_request *request)
{
  CWI_TRY(add_question(asked, node, request));
  const cw_error error = cwi_outbox_push(node);
  if (error != CW_OK)
    give_up(asked);
  return error;
}

static cw_error receive_answer(struct asked *asked, bool patient)
{
  struct cwi_await await = cwi_await(asked->node);
  await.patient = patient;
  CWI_TRY(cwi_await_request(&asked->reply, &await, MPI_STATUS_IGNORE));
  cwi_threads_lock();
  cwi_tag_give(asked->tag);
  cwi_threads_unlock();
  return CW_OK;
}

static cw_error judge(const struct asked *asked)
{
  return CWI_LIKELY(asked->answer.refused == 0)
             ? CW_OK
             : cwi_misuse("the server of node %d refused %u request%s of mine%s: %s", asked->node,
                          asked->answer.refused, asked->answer.refused == 1 ? "" : "s",
                          asked->answer.refused == 1 ? "" : "; the first", asked->answer.sentence);
}

cw_error cwi_ask(int node, struct cwi_request *request, bool patient, int64_t *value)
{
  struct asked asked;
  cwi_threads_lock();
  const uint32_t updates = cwi_origin_updates(node);
  const cw_error error = send_question(&asked, node, request);
  cwi_threads_unlock();
  CWI_TRY(error);
  CWI_TRY(receive_answer(&asked, patient));
  CWI_TRY(judge(&asked));
  if (asked.answer.untold == 0)
    cwi_origin_answered(node, updates);
  *value = asked.answer.value;
  return CW_OK;
}

/* All that were sent are waited for, whatever happens; the first error counts. */
static cw_error ask_some(const int *nodes, int count, struct asked *asked)
{
  cw_error error = CW_OK;
  int sent = 0;
  while (sent < count && error == CW_OK) {
    struct cwi_request request = {.operation = CWI_WIRE_FENCE};
    error = send_question(&asked[sent], nodes[sent], &request);
    sent += error == CW_OK;
  }
  for (int i = 0; i < sent; i++) {
    const cw_error received = receive_answer(&asked[i], false);
    if (error == CW_OK)
      error = received != CW_OK ? received : judge(&asked[i]);
  }
  return error;
}

cw_error cwi_ask_fences(const int *nodes, int count)
{
  enum { AT_A_TIME = 64 };
  struct asked asked[AT_A_TIME];
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

/* --- Fences that ride ------------------------------------------------------------------------- */

static struct asked **rides; /* [nodes] NULL: none is on its way */

cw_error cwi_rides_start(void)
{
  rides = calloc((size_t)cwi_world.nodes, sizeof(struct asked *));
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
  CWI_ASSERT(rides[node] ==
             NULL); /* whatever forgets a node's updates ends its ride, or waits for it */
  struct asked *asked = malloc(sizeof *asked);
  if (asked == NULL)
    return CW_OK; /* the fence will ask for itself */
  const cw_error error = add_question(asked, node, &request);
  if (error != CW_OK)
    free(asked);
  else
    rides[node] = asked;
  return error;
}

cw_error cwi_ride_end(int node, bool *rode)
{
  struct asked *asked = rides[node];
  *rode = asked != NULL;
  if (asked == NULL)
    return CW_OK;
  rides[node] = NULL;
  CWI_TRY(receive_answer(asked, false)); /* MPI may still write there: not freed */
  const cw_error error = judge(asked);
  free(asked);
  return error;
}

bool cwi_ride_goes(int node)
{
  return rides[node] != NULL;
}
