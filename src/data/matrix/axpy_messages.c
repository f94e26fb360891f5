/* Sends and receives the messages of an AXPY epoch, and detects that no message is left. A process
 * that waits serves the others: every wait calls serve_all() in a loop. */
#include "matrix/axpy_messages.h"

#include "mpi/mpi_result.h"
#include "mpi/mpi_sleep.h"
#include "mpi/mpi_threads.h"
#include "number/number_kernels.h"
#include "wait/lock.h"

#include <stdlib.h>
#include <string.h>

/* Limits of the messages in flight from one process, and of those received in one pass. */
enum { MOST_SENDS = 64, MOST_SENDING_BYTES = 16 << 20, MOST_RECEIVED = 64 };

enum axpy_kind {
  AXPY_ADD,   /* elements, for the owner to add */
  AXPY_QUERY, /* requests elements from the owner */
  AXPY_ANSWER /* elements that another process requested */
};

/* Header of each message about elements: the patch of the array. The elements are those that the
 * owner has of the patch (owner_elements.h). Messages that end the epoch have no header, and their
 * length is their meaning: 0 bytes is the last message of a process, and 1 + n bytes means that the
 * process has reached round n of the barrier. */
struct axpy_header {
  enum axpy_kind kind;
  bool scaled;
  int64_t first[2], count[2]; /* indices in the array */
  union cwi_scalar alpha;
};

/* Length of the longest message. The receive buffer is allocated at the beginning of the epoch,
 * because a process that could not receive would block the others for ever. */
enum { LONGEST_MESSAGE = sizeof(struct axpy_header) + CWI_AXPY_MOST };

struct cwi_axpy_send {
  struct cwi_axpy_send *next;
  MPI_Request request;
  size_t bytes;
  struct axpy_header header; /* followed by the elements */
};

static uint32_t lock;
static cw_axpy open_epochs;

cw_error cwi_axpy_enter(void)
{
  if (CWI_UNLIKELY(cwi_settings.check != 0))
    CWI_TRY(cwi_mpi_check_thread());
  cwi_lock(&lock);
  return CW_OK;
}

void cwi_axpy_leave(void)
{
  cwi_unlock(&lock);
}

static int tag_of(cw_axpy axpy)
{
  return CWI_TAG_EPOCHS + axpy->slot;
}

/* --- Elements --------------------------------------------------------------------------------- */

/* Returns the selection that a message describes, for the owner. Its strides are 0, so that blocks
 * are joined by their layout in the owner's memory alone. */
static struct cwi_selection selection_of(cw_axpy axpy, const struct axpy_header *header)
{
  struct cwi_selection selection = {.array = axpy->array, .field_bytes = axpy->array->element};
  for (int d = 0; d < 2; d++)
    selection.ranges[d] = (struct cwi_range){header->first[d], header->count[d], 1};
  return selection;
}

static void describe(const struct cwi_selection *selection, struct axpy_header *header)
{
  for (int d = 0; d < 2; d++) {
    header->first[d] = selection->ranges[d].first;
    header->count[d] = selection->ranges[d].count;
  }
}

/* - Sending - */

/* Makes a message with space for `elements` bytes of elements. */
static cw_error send_make(enum axpy_kind kind, size_t elements, struct cwi_axpy_send **made)
{
  struct cwi_axpy_send *send = malloc(sizeof *send + elements);
  if (send == NULL)
    return cwi_outside("no memory for a message of %zu bytes", sizeof *send + elements);
  memset(send, 0, sizeof *send);
  send->header.kind = kind;
  send->bytes = sizeof send->header + elements;
  *made = send;
  return CW_OK;
}

static char *send_elements(struct cwi_axpy_send *send)
{
  return (char *)(send + 1);
}

/* Sends a message, which then belongs to the epoch. The consensus needs synchronous sends, which
 * complete only when the message is received. */
static cw_error send_start(cw_axpy axpy, struct cwi_axpy_send *send, int rank)
{
  cw_team team = axpy->array->team;
  const int bytes = (int)send->bytes;
  send->next = axpy->sends;
  axpy->sends = send;
  axpy->sending++;
  axpy->sending_bytes += send->bytes;
  send->request = MPI_REQUEST_NULL;
  return axpy->end == CW_CONSENSUS
             ? CWI_MPI(MPI_Issend(&send->header, bytes, MPI_BYTE, rank, tag_of(axpy),
                                  team->internal, &send->request))
             : CWI_MPI(MPI_Isend(&send->header, bytes, MPI_BYTE, rank, tag_of(axpy), team->internal,
                                 &send->request));
}

/* Frees the messages whose sends are complete. */
static cw_error sends_poll(cw_axpy axpy, bool *happened)
{
  struct cwi_axpy_send **place = &axpy->sends;
  while (*place != NULL) {
    struct cwi_axpy_send *send = *place;
    int sent = 0;
    CWI_TRY(CWI_MPI(MPI_Test(&send->request, &sent, MPI_STATUS_IGNORE)));
    if (!sent) {
      place = &send->next;
      continue;
    }
    *happened = true;
    *place = send->next;
    axpy->sending--;
    axpy->sending_bytes -= send->bytes;
    free(send);
  }
  return CW_OK;
}

/* - Receiving - */

static cw_error owner_add(cw_axpy axpy, const struct axpy_header *header, char *elements)
{
  const struct cwi_selection selection = selection_of(axpy, header);
  return cwi_owned_move_packed(&selection, CW_ACCUMULATE, header->scaled ? &header->alpha : NULL,
                               elements);
}

/* Sends the elements that a message requests. Does not wait until other sends are complete, because
 * it may be called within such a wait. The number of answers in flight is bounded, because each
 * process waits for its answers before it sends further requests. */
static cw_error owner_try_answer(cw_axpy axpy, const struct axpy_header *pending, int rank)
{
  struct cwi_axpy_send *send = NULL;
  const struct cwi_selection selection = selection_of(axpy, pending);
  const int holder = cwi_rank_holder(axpy->array, axpy->array->team->rank);
  CWI_TRY(send_make(AXPY_ANSWER, cwi_owned_bytes(&selection, holder), &send));
  CWI_ASSERT(send != NULL);
  const cw_error error = cwi_owned_move_packed(&selection, CW_GET, NULL, send_elements(send));
  if (error == CW_OK)
    return send_start(axpy, send, rank);
  free(send);
  return error;
}

/* Answers a request. If this fails, ends the job, because the requesting process would wait for
 * ever. */
static void owner_answer(cw_axpy axpy, const struct axpy_header *pending, int rank)
{
  if (owner_try_answer(axpy, pending, rank) != CW_OK)
    cwi_abort_with(1, "process %d waits for elements that cannot be sent to it: %s",
                   axpy->array->team->process[rank], cwi_error_message());
}

static cw_error take_answer(cw_axpy axpy, int rank, const char *elements)
{
  struct cwi_axpy_pending *pending = axpy->pending;
  CWI_ASSERT(pending != NULL && pending->count > 0);
  pending->count--;
  return cwi_owned_add(pending->selection, cwi_rank_holder(axpy->array, rank), pending->buffer,
                       elements, pending->alpha);
}

static cw_error take_message(cw_axpy axpy, int rank)
{
  struct axpy_header header;
  memcpy(&header, axpy->receive_buffer, sizeof header);
  char *elements = axpy->receive_buffer + sizeof header;
  switch (header.kind) {
  case AXPY_ADD:
    return owner_add(axpy, &header, elements);
  case AXPY_QUERY:
    owner_answer(axpy, &header, rank);
    return CW_OK;
  case AXPY_ANSWER:
    return take_answer(axpy, rank, elements);
  }
  return CW_OK;
}

/* Receives a message. Returns only errors of MPI. Errors of a message's elements are kept for the
 * end of the epoch, because others wait until all their messages are received. */
static cw_error axpy_receive(cw_axpy axpy, MPI_Message *message, const MPI_Status *status)
{
  int bytes = 0;
  CWI_TRY(CWI_MPI(MPI_Get_count(status, MPI_BYTE, &bytes)));
  CWI_ASSERT((size_t)bytes <= LONGEST_MESSAGE);
  CWI_TRY(cwi_mpi_receive(axpy->receive_buffer, bytes, message));
  if (bytes >= (int)sizeof(struct axpy_header))
    cwi_first_note(&axpy->pending_error, take_message(axpy, status->MPI_SOURCE));
  else if (bytes == 0)
    axpy->lasts++;
  else
    axpy->here[bytes - 1] = true;
  return CW_OK;
}

static cw_error messages_poll(cw_axpy axpy, bool *happened)
{
  MPI_Message message = MPI_MESSAGE_NULL;
  MPI_Status status;
  int here = 1;
  for (int n = 0; n < MOST_RECEIVED && here; n++) {
    CWI_TRY(CWI_MPI(MPI_Improbe(MPI_ANY_SOURCE, tag_of(axpy), axpy->array->team->internal, &here,
                                &message, &status)));
    if (here)
      CWI_TRY(axpy_receive(axpy, &message, &status));
    *happened = *happened || here;
  }
  return CW_OK;
}

/* --- Waiting ---------------------------------------------------------------------------------- */

struct pass_state {
  struct cwi_wait wait;
  struct cwi_sleep sleep;
};

static cw_error axpy_serve(cw_axpy axpy, bool *happened)
{
  CWI_TRY(messages_poll(axpy, happened));
  return sends_poll(axpy, happened);
}

/* Serves all open epochs once, because others may wait for this process in another epoch. Waits a
 * moment if nothing has happened. */
static cw_error serve_all(cw_axpy axpy, struct pass_state *pass_state)
{
  bool happened = false;
  for (cw_axpy other = open_epochs; other != NULL; other = other->next)
    if (other != axpy)
      cwi_first_note(&other->pending_error, axpy_serve(other, &happened));
  CWI_TRY(axpy_serve(axpy, &happened));
  if (happened) {
    *pass_state = (struct pass_state){.wait = {.sleeps = true}};
    return CW_OK;
  }
  cwi_unlock(&lock);
  cwi_mpi_check_failures();
  if (!cwi_wait_pass(&pass_state->wait))
    cwi_sleep(&pass_state->sleep);
  cwi_lock(&lock);
  return CW_OK;
}

static cw_error await_send_space(cw_axpy axpy, size_t bytes)
{
  struct pass_state pass_state = {.wait = {.sleeps = true}};
  while (axpy->sending >= MOST_SENDS ||
         (axpy->sending > 0 && axpy->sending_bytes + bytes > MOST_SENDING_BYTES))
    CWI_TRY(serve_all(axpy, &pass_state));
  return CW_OK;
}

static cw_error give_owner(cw_axpy axpy, const struct cwi_selection *selection, int holder,
                           char *buffer, const void *alpha)
{
  struct cwi_axpy_send *send = NULL;
  const int rank = cwi_holder_rank(axpy->array, holder);
  if (rank == axpy->array->team->rank)
    return cwi_owned_move(selection, CW_ACCUMULATE, alpha, buffer);
  const size_t bytes = cwi_owned_bytes(selection, holder);
  if (bytes == 0)
    return CW_OK;
  CWI_TRY(await_send_space(axpy, bytes));
  CWI_TRY(send_make(AXPY_ADD, bytes, &send));
  CWI_ASSERT(send != NULL);
  describe(selection, &send->header);
  send->header.scaled =
      alpha != NULL && cwi_scale_read(axpy->array->type, alpha, &send->header.alpha);
  const cw_error error = cwi_owned_pack(selection, holder, buffer, send_elements(send));
  if (error == CW_OK)
    return send_start(axpy, send, rank);
  free(send);
  return error;
}

cw_error cwi_axpy_send_elements(cw_axpy axpy, const struct cwi_selection *selection, char *buffer,
                                const void *alpha)
{
  struct cwi_owners owners;
  for (cwi_owners_begin(&owners, selection); !owners.done; cwi_owners_next(&owners))
    CWI_TRY(give_owner(axpy, selection, owners.holder, buffer, alpha));
  return CW_OK;
}

/* Adds the elements that this process owns, without a message. */
static cw_error take_own(cw_axpy axpy, int holder)
{
  const struct cwi_axpy_pending *pending = axpy->pending;
  const size_t bytes = cwi_owned_bytes(pending->selection, holder);
  char *elements = malloc(bytes);
  if (elements == NULL && bytes > 0)
    return cwi_outside("no memory for %zu bytes of elements", bytes);
  cw_error error = cwi_owned_move_packed(pending->selection, CW_GET, NULL, elements);
  if (error == CW_OK)
    error = cwi_owned_add(pending->selection, holder, pending->buffer, elements, pending->alpha);
  free(elements);
  return error;
}

static cw_error request_from_owner(cw_axpy axpy, int holder)
{
  struct cwi_axpy_send *send = NULL;
  struct cwi_axpy_pending *pending = axpy->pending;
  const int rank = cwi_holder_rank(axpy->array, holder);
  if (rank == axpy->array->team->rank)
    return take_own(axpy, holder);
  if (!cwi_owns(pending->selection, holder))
    return CW_OK;
  CWI_TRY(await_send_space(axpy, 0));
  CWI_TRY(send_make(AXPY_QUERY, 0, &send));
  CWI_ASSERT(send != NULL);
  describe(pending->selection, &send->header);
  CWI_TRY(send_start(axpy, send, rank));
  pending->count++;
  return CW_OK;
}

static cw_error request_from_owners(cw_axpy axpy)
{
  struct cwi_owners owners;
  for (cwi_owners_begin(&owners, axpy->pending->selection); !owners.done; cwi_owners_next(&owners))
    CWI_TRY(request_from_owner(axpy, owners.holder));
  return CW_OK;
}

static cw_error wait_for_answers(cw_axpy axpy)
{
  struct pass_state pass_state = {.wait = {.sleeps = true}};
  while (axpy->pending->count > 0)
    CWI_TRY(serve_all(axpy, &pass_state));
  return CW_OK;
}

/* Waits for all answers to the requests sent, even after an error. */
cw_error cwi_axpy_fetch_elements(cw_axpy axpy, const struct cwi_selection *selection, char *buffer,
                                 const void *alpha)
{
  struct cwi_axpy_pending pending = {.selection = selection, .alpha = alpha, .buffer = buffer};
  struct cwi_first_error first;
  axpy->pending = &pending;
  cwi_first_begin(&first, request_from_owners(axpy));
  cwi_first_note(&first, wait_for_answers(axpy));
  axpy->pending = NULL;
  return cwi_first_return(&first);
}

/* --- The end ---------------------------------------------------------------------------------- */

/* Sends a message of `bytes` bytes whose contents do not matter. */
static cw_error signal_member(cw_axpy axpy, int bytes, int rank)
{
  static const char nothing[32];
  return CWI_MPI(MPI_Isend(nothing, bytes, MPI_BYTE, rank, tag_of(axpy),
                           axpy->array->team->internal, &axpy->signals[axpy->signalled++]));
}

/* Serves until all signals and all messages have been sent. */
static cw_error finish_sends(cw_axpy axpy)
{
  struct pass_state pass_state = {.wait = {.sleeps = true}};
  for (int sent = 0; sent < axpy->signalled;) {
    int here = 0;
    CWI_TRY(CWI_MPI(MPI_Test(&axpy->signals[sent], &here, MPI_STATUS_IGNORE)));
    sent += here != 0;
    if (!here)
      CWI_TRY(serve_all(axpy, &pass_state));
  }
  while (axpy->sending > 0)
    CWI_TRY(serve_all(axpy, &pass_state));
  return CW_OK;
}

/* Ends the epoch when the last message of every member has arrived. Messages of one process arrive
 * in the order in which it sends them. */
static cw_error finish_by_messages(cw_axpy axpy)
{
  struct pass_state pass_state = {.wait = {.sleeps = true}};
  cw_team team = axpy->array->team;
  for (int i = 1; i < team->size; i++)
    CWI_TRY(signal_member(axpy, 0, (team->rank + i) % team->size));
  while (axpy->lasts < team->size - 1)
    CWI_TRY(serve_all(axpy, &pass_state));
  return finish_sends(axpy);
}

/* Ends the epoch by a barrier. Each synchronous send that is complete was received. So when all
 * members have reached the barrier, all messages have been received. A member inside the barrier
 * still answers the requests of members that have not reached it. Like the barrier of a team
 * (team_exchange.c), this one consists of messages. MPI_Ibarrier is not used because it would have
 * to be called in the same order as the team's other collective calls. */
static cw_error finish_by_consensus(cw_axpy axpy)
{
  struct pass_state pass_state = {.wait = {.sleeps = true}};
  cw_team team = axpy->array->team;
  CWI_TRY(finish_sends(axpy));
  for (int distance = 1, round = 0; distance < team->size; distance *= 2, round++) {
    CWI_TRY(signal_member(axpy, 1 + round, (team->rank + distance) % team->size));
    while (!axpy->here[round])
      CWI_TRY(serve_all(axpy, &pass_state));
  }
  return finish_sends(axpy);
}

static void axpy_close(cw_axpy axpy)
{
  cw_axpy *place = &open_epochs;
  while (*place != axpy)
    place = &(*place)->next;
  *place = axpy->next;
  axpy->open = false;
}

cw_error cwi_axpy_finish(cw_axpy axpy)
{
  cwi_first_note(&axpy->pending_error,
                 axpy->end == CW_CONSENSUS ? finish_by_consensus(axpy) : finish_by_messages(axpy));
  return cwi_first_return(&axpy->pending_error);
}

/* Allocates the buffers. There are at most as many signals as members, or as rounds of the
 * barrier. */
cw_error cwi_axpy_begin(cw_axpy axpy)
{
  const size_t most = (size_t)axpy->array->team->size + 32;
  cwi_first_begin(&axpy->pending_error, CW_OK);
  axpy->receive_buffer = malloc(LONGEST_MESSAGE);
  axpy->signals = calloc(most, sizeof(MPI_Request));
  return axpy->receive_buffer != NULL && axpy->signals != NULL
             ? CW_OK
             : cwi_outside("no memory for the messages of an AXPY epoch");
}

void cwi_axpy_open(cw_axpy axpy)
{
  cwi_lock(&lock);
  axpy->open = true;
  axpy->next = open_epochs;
  open_epochs = axpy;
  cwi_unlock(&lock);
}

void cwi_axpy_drop(cw_axpy axpy)
{
  if (axpy->open)
    axpy_close(axpy);
  free(axpy->receive_buffer);
  free(axpy->signals);
  axpy->receive_buffer = NULL;
  axpy->signals = NULL;
  axpy->sends = NULL;
}
