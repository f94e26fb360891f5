/* How the messages of an AXPY epoch leave and arrive, and how its members learn that none is left.
 * Who waits serves the others meanwhile: each wait is a turn of the same loop. */
#include "matrix/axpy_messages.h"

#include "base/lock.h"
#include "mpi/result.h"
#include "mpi/sleep.h"
#include "mpi/threads.h"
#include "number/kernels.h"
#include "transfer/transfer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Of a portion of two dimensions: the blocks of a dimension, and what repeats them. */
enum { MOST_LEVELS = 4 };

/* What may be on its way from one process before it waits, and what it receives in one turn. */
enum { MOST_SENDS = 64, MOST_SENDING_BYTES = 16 << 20, MOST_RECEIVED = 64 };

enum axpy_kind {
  AXPY_ADD,   /* elements, for the owner to add */
  AXPY_ASK,   /* for elements */
  AXPY_ANSWER /* elements that were asked for */
};

/* The begin of each message that has to do with elements. The shape is at the owner. Of the
 * messages of the end only the length tells: 0 is the last message of a process; 1 + n says that it
 * has come to round n of the barrier. */
struct axpy_header {
  enum axpy_kind kind;
  int levels;
  bool scaled;
  uint64_t number; /* of what was asked for */
  uint64_t remote; /* bytes from the owner's base */
  uint64_t run, bytes;
  size_t counts[MOST_LEVELS];
  ptrdiff_t strides[MOST_LEVELS];
  union cwi_scalar alpha;
};

/* The longest message. It is there from the begin: who cannot receive lets others wait for ever. */
enum { ROOM = sizeof(struct axpy_header) + CWI_AXPY_MOST };

struct cwi_axpy_send {
  struct cwi_axpy_send *next;
  MPI_Request request;
  size_t bytes;
  struct axpy_header header; /* and the elements behind it */
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

/* --- Shapes ----------------------------------------------------------------------------------- */

/* What an owner has of a message, and its elements without gaps. */
static cw_transfer owner_transfer(cw_axpy axpy, cw_operation operation,
                                  const struct axpy_header *header, char *elements,
                                  ptrdiff_t strides[MOST_LEVELS])
{
  cw_array array = axpy->array;
  size_t bytes = header->run;
  for (int level = 0; level < header->levels; level++) {
    strides[level] = (ptrdiff_t)bytes;
    bytes *= header->counts[level];
  }
  const int holder = cwi_rank_holder(array, array->team->rank);
  cw_transfer transfer =
      cw_strided(operation, elements, strides, cwi_holder_base(array, holder) + header->remote,
                 header->strides, header->run, header->counts, header->levels, cwi_world.process);
  transfer.type = array->type;
  transfer.scale = header->scaled ? &header->alpha : NULL;
  return transfer;
}

/* The side of a portion that lies in the buffer. */
static cw_error buffer_shape(const struct cwi_portion *portion, char *buffer,
                             struct cwi_shape *shape)
{
  const cw_transfer transfer = cw_strided(CW_PUT, buffer + portion->local, portion->local_strides,
                                          buffer, portion->local_strides, portion->run,
                                          portion->counts, portion->levels, cwi_world.process);
  return cwi_shape_from(&transfer, shape);
}

static size_t portion_bytes(const struct cwi_portion *portion)
{
  size_t bytes = portion->run;
  for (int level = 0; level < portion->levels; level++)
    bytes *= portion->counts[level];
  return bytes;
}

static void describe(cw_axpy axpy, const struct cwi_portion *portion, const void *alpha,
                     struct axpy_header *header)
{
  CWI_ASSERT(portion->levels <= MOST_LEVELS);
  header->levels = portion->levels;
  header->remote = portion->remote;
  header->run = portion->run;
  header->bytes = portion_bytes(portion);
  memcpy(header->counts, portion->counts, sizeof header->counts);
  memcpy(header->strides, portion->remote_strides, sizeof header->strides);
  header->scaled = alpha != NULL && cwi_scale_read(axpy->array->type, alpha, &header->alpha);
}

/* buffer += alpha * elements */
static cw_error add_here(cw_axpy axpy, const struct cwi_asked *asked, size_t number,
                         const char *elements)
{
  struct cwi_shape shape;
  struct cwi_plane plane;
  union cwi_scalar alpha = {0};
  const bool scaled =
      asked->alpha != NULL && cwi_scale_read(axpy->array->type, asked->alpha, &alpha);
  const cwi_accumulate_kernel add = cwi_accumulate_kernels[axpy->array->type][scaled];
  CWI_TRY(buffer_shape(&asked->portions[number], asked->buffer, &shape));
  struct cwi_planes planes = cwi_planes(&shape);
  while (cwi_planes_next(&planes, &plane)) {
    add(plane.local, plane.local_stride, elements, (ptrdiff_t)plane.run, plane.run, plane.rows,
        &alpha);
    elements += plane.run * plane.rows;
  }
  return CW_OK;
}

/* --- What leaves ------------------------------------------------------------------------------ */

/* A message with room for so many bytes of elements. */
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

/* It belongs to the epoch from here on. A consensus needs to know that it was received. */
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

/* Free what has gone. */
static cw_error sends_look(cw_axpy axpy, bool *happened)
{
  struct cwi_axpy_send **place = &axpy->sends;
  while (*place != NULL) {
    struct cwi_axpy_send *send = *place;
    int gone = 0;
    CWI_TRY(CWI_MPI(MPI_Test(&send->request, &gone, MPI_STATUS_IGNORE)));
    if (!gone) {
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

/* --- What comes ------------------------------------------------------------------------------- */

static cw_error owner_add(cw_axpy axpy, const struct axpy_header *header, char *elements)
{
  ptrdiff_t strides[MOST_LEVELS];
  const cw_transfer transfer = owner_transfer(axpy, CW_ACCUMULATE, header, elements, strides);
  return cwi_start_transfer(&transfer, true, NULL);
}

/* An answer never waits for room: who serves may be waiting for room itself. There are no more of
 * them than the others may ask for at a time. */
static cw_error owner_try_answer(cw_axpy axpy, const struct axpy_header *asked, int rank)
{
  struct cwi_axpy_send *send = NULL;
  ptrdiff_t strides[MOST_LEVELS];
  CWI_TRY(send_make(AXPY_ANSWER, asked->bytes, &send));
  CWI_ASSERT(send != NULL);
  send->header.number = asked->number;
  const cw_transfer transfer = owner_transfer(axpy, CW_GET, asked, send_elements(send), strides);
  const cw_error error = cwi_start_transfer(&transfer, true, NULL);
  if (error == CW_OK)
    return send_start(axpy, send, rank);
  free(send);
  return error;
}

/* Who asks would wait for ever for an answer that is not sent. */
static void owner_answer(cw_axpy axpy, const struct axpy_header *asked, int rank)
{
  if (owner_try_answer(axpy, asked, rank) == CW_OK)
    return;
  char text[512];
  snprintf(text, sizeof text, "process %d waits for elements that cannot be sent to it: %s",
           axpy->array->team->process[rank], cwi_sentence());
  cwi_abort(text, 1);
}

static cw_error take_answer(cw_axpy axpy, const struct axpy_header *header, const char *elements)
{
  struct cwi_asked *asked = axpy->asked;
  CWI_ASSERT(asked != NULL && header->number < CWI_AXPY_ASKED && asked->open[header->number]);
  asked->open[header->number] = false;
  asked->count--;
  return add_here(axpy, asked, header->number, elements);
}

static cw_error take_message(cw_axpy axpy, int rank)
{
  struct axpy_header header;
  memcpy(&header, axpy->room, sizeof header);
  char *elements = axpy->room + sizeof header;
  switch (header.kind) {
  case AXPY_ADD:
    return owner_add(axpy, &header, elements);
  case AXPY_ASK:
    owner_answer(axpy, &header, rank);
    return CW_OK;
  case AXPY_ANSWER:
    return take_answer(axpy, &header, elements);
  }
  return CW_OK;
}

static cw_error receive(cw_axpy axpy, MPI_Message *message, const MPI_Status *status)
{
  int bytes = 0;
  CWI_TRY(CWI_MPI(MPI_Get_count(status, MPI_BYTE, &bytes)));
  CWI_ASSERT((size_t)bytes <= ROOM);
  CWI_TRY(CWI_MPI(MPI_Mrecv(axpy->room, bytes, MPI_BYTE, message, MPI_STATUS_IGNORE)));
  if (bytes >= (int)sizeof(struct axpy_header))
    return take_message(axpy, status->MPI_SOURCE);
  if (bytes == 0)
    axpy->lasts++;
  else
    axpy->here[bytes - 1] = true;
  return CW_OK;
}

static cw_error messages_look(cw_axpy axpy, bool *happened)
{
  MPI_Message message = MPI_MESSAGE_NULL;
  MPI_Status status;
  int here = 1;
  for (int n = 0; n < MOST_RECEIVED && here; n++) {
    CWI_TRY(CWI_MPI(MPI_Improbe(MPI_ANY_SOURCE, tag_of(axpy), axpy->array->team->internal, &here,
                                &message, &status)));
    if (here)
      CWI_TRY(receive(axpy, &message, &status));
    *happened = *happened || here;
  }
  return CW_OK;
}

/* --- Waiting ---------------------------------------------------------------------------------- */

struct turns {
  struct cwi_wait wait;
  struct cwi_sleep sleep;
};

static cw_error axpy_serve(cw_axpy axpy, bool *happened)
{
  CWI_TRY(messages_look(axpy, happened));
  return sends_look(axpy, happened);
}

/* Serve all epochs once: others may wait for this process in another one. If nothing happens, pass
 * some time. */
static cw_error turn(cw_axpy axpy, struct turns *turns)
{
  bool happened = false;
  for (cw_axpy other = open_epochs; other != NULL; other = other->next)
    if (other != axpy)
      cwi_first_note(&other->trouble, axpy_serve(other, &happened));
  CWI_TRY(axpy_serve(axpy, &happened));
  if (happened) {
    *turns = (struct turns){.wait = {.sleeps = true}};
    return CW_OK;
  }
  cwi_unlock(&lock);
  if (!cwi_wait_turn(&turns->wait))
    cwi_sleep(&turns->sleep);
  cwi_lock(&lock);
  return CW_OK;
}

static cw_error wait_for_room(cw_axpy axpy, size_t bytes)
{
  struct turns turns = {.wait = {.sleeps = true}};
  while (axpy->sending >= MOST_SENDS ||
         (axpy->sending > 0 && axpy->sending_bytes + bytes > MOST_SENDING_BYTES))
    CWI_TRY(turn(axpy, &turns));
  return CW_OK;
}

/* To what I own, without a message. */
static cw_error give_own(cw_axpy axpy, const struct cwi_portion *portion, const char *buffer,
                         const void *alpha)
{
  cw_transfer transfer = cw_strided(
      CW_ACCUMULATE, (char *)(uintptr_t)buffer + portion->local, portion->local_strides,
      cwi_holder_base(axpy->array, portion->holder) + portion->remote, portion->remote_strides,
      portion->run, portion->counts, portion->levels, cwi_world.process);
  transfer.type = axpy->array->type;
  transfer.scale = alpha;
  return cwi_start_transfer(&transfer, true, NULL);
}

cw_error cwi_axpy_give(cw_axpy axpy, const struct cwi_portion *portion, const char *buffer,
                       const void *alpha)
{
  struct cwi_axpy_send *send = NULL;
  struct cwi_shape shape;
  const size_t bytes = portion_bytes(portion);
  if (cwi_holder_rank(axpy->array, portion->holder) == axpy->array->team->rank)
    return give_own(axpy, portion, buffer, alpha);
  CWI_TRY(wait_for_room(axpy, bytes));
  CWI_TRY(buffer_shape(portion, (char *)(uintptr_t)buffer, &shape));
  CWI_TRY(send_make(AXPY_ADD, bytes, &send));
  CWI_ASSERT(send != NULL);
  describe(axpy, portion, alpha, &send->header);
  cwi_pack_local(&shape, send_elements(send));
  return send_start(axpy, send, cwi_holder_rank(axpy->array, portion->holder));
}

/* What I own, without a message. */
static cw_error take_own(cw_axpy axpy, struct cwi_asked *asked, size_t number)
{
  struct axpy_header header = {0};
  ptrdiff_t strides[MOST_LEVELS];
  describe(axpy, &asked->portions[number], NULL, &header);
  char *elements = malloc(header.bytes);
  if (elements == NULL)
    return cwi_outside("no memory for %zu bytes of elements", (size_t)header.bytes);
  const cw_transfer transfer = owner_transfer(axpy, CW_GET, &header, elements, strides);
  cw_error error = cwi_start_transfer(&transfer, true, NULL);
  if (error == CW_OK)
    error = add_here(axpy, asked, number, elements);
  free(elements);
  return error;
}

static cw_error ask(cw_axpy axpy, struct cwi_asked *asked, size_t number)
{
  struct cwi_axpy_send *send = NULL;
  const struct cwi_portion *portion = &asked->portions[number];
  const int rank = cwi_holder_rank(axpy->array, portion->holder);
  if (rank == axpy->array->team->rank)
    return take_own(axpy, asked, number);
  CWI_TRY(wait_for_room(axpy, 0));
  CWI_TRY(send_make(AXPY_ASK, 0, &send));
  CWI_ASSERT(send != NULL);
  describe(axpy, portion, NULL, &send->header);
  send->header.number = number;
  CWI_TRY(send_start(axpy, send, rank));
  asked->open[number] = true;
  asked->count++;
  return CW_OK;
}

/* So many may be open at most. */
static cw_error wait_for_answers(cw_axpy axpy, int most)
{
  struct turns turns = {.wait = {.sleeps = true}};
  while (axpy->asked->count > most)
    CWI_TRY(turn(axpy, &turns));
  return CW_OK;
}

static cw_error axpy_ask_all(cw_axpy axpy, const struct cwi_selection *selection)
{
  struct cwi_asked *asked = axpy->asked;
  struct cwi_portions portions;
  cwi_portions_begin(&portions, selection);
  while (!portions.done) {
    size_t number = 0;
    CWI_TRY(wait_for_answers(axpy, CWI_AXPY_ASKED - 1));
    while (asked->open[number])
      number++;
    cwi_portions_take(&portions, &asked->portions[number]);
    CWI_TRY(ask(axpy, asked, number));
  }
  return CW_OK;
}

/* What was asked for comes, whatever has failed then. */
cw_error cwi_axpy_take(cw_axpy axpy, const struct cwi_selection *selection, char *buffer,
                       const void *alpha)
{
  struct cwi_asked asked = {.alpha = alpha, .buffer = buffer};
  struct cwi_first_error first;
  axpy->asked = &asked;
  cwi_first_begin(&first, axpy_ask_all(axpy, selection));
  cwi_first_note(&first, wait_for_answers(axpy, 0));
  axpy->asked = NULL;
  return cwi_first_return(&first);
}

/* --- The end ---------------------------------------------------------------------------------- */

/* A message of so many bytes, of which only that counts. */
static cw_error signal_member(cw_axpy axpy, int bytes, int rank)
{
  static const char nothing[32];
  return CWI_MPI(MPI_Isend(nothing, bytes, MPI_BYTE, rank, tag_of(axpy),
                           axpy->array->team->internal, &axpy->signals[axpy->signalled++]));
}

/* Serve until all signals and all messages have gone. */
static cw_error finish_sends(cw_axpy axpy)
{
  struct turns turns = {.wait = {.sleeps = true}};
  for (int gone = 0; gone < axpy->signalled;) {
    int here = 0;
    CWI_TRY(CWI_MPI(MPI_Test(&axpy->signals[gone], &here, MPI_STATUS_IGNORE)));
    gone += here != 0;
    if (!here)
      CWI_TRY(turn(axpy, &turns));
  }
  while (axpy->sending > 0)
    CWI_TRY(turn(axpy, &turns));
  return CW_OK;
}

/* Messages of one process arrive in the order in which it sends them: the signal is the last. */
static cw_error finish_by_messages(cw_axpy axpy)
{
  struct turns turns = {.wait = {.sleeps = true}};
  cw_team team = axpy->array->team;
  for (int i = 1; i < team->size; i++)
    CWI_TRY(signal_member(axpy, 0, (team->rank + i) % team->size));
  while (axpy->lasts < team->size - 1)
    CWI_TRY(turn(axpy, &turns));
  return finish_sends(axpy);
}

/* A send that is complete was received. So, once all members have come to the barrier, all messages
 * of all of them were. Whom a member in the barrier asks still gets its answers: who asks has not
 * come to it. The barrier is of messages of the epoch, as that of a team (exchange.c): MPI's own
 * would have to come in one order with other collective calls of the team. */
static cw_error finish_by_consensus(cw_axpy axpy)
{
  struct turns turns = {.wait = {.sleeps = true}};
  cw_team team = axpy->array->team;
  CWI_TRY(finish_sends(axpy));
  for (int far = 1, round = 0; far < team->size; far *= 2, round++) {
    CWI_TRY(signal_member(axpy, 1 + round, (team->rank + far) % team->size));
    while (!axpy->here[round])
      CWI_TRY(turn(axpy, &turns));
  }
  return finish_sends(axpy);
}

static void axpy_close(cw_axpy axpy)
{
  for (cw_axpy *place = &open_epochs; *place != NULL; place = &(*place)->next)
    if (*place == axpy) {
      *place = axpy->next;
      return;
    }
}

cw_error cwi_axpy_finish(cw_axpy axpy)
{
  cwi_first_note(&axpy->trouble,
                 axpy->end == CW_CONSENSUS ? finish_by_consensus(axpy) : finish_by_messages(axpy));
  return cwi_first_return(&axpy->trouble);
}

/* There are as many signals as members, or as rounds. */
cw_error cwi_axpy_begin(cw_axpy axpy)
{
  const size_t most = (size_t)axpy->array->team->size + 32;
  cwi_first_begin(&axpy->trouble, CW_OK);
  axpy->room = malloc(ROOM);
  axpy->signals = calloc(most, sizeof(MPI_Request));
  return axpy->room != NULL && axpy->signals != NULL
             ? CW_OK
             : cwi_outside("no memory for the messages of an AXPY epoch");
}

void cwi_axpy_open(cw_axpy axpy)
{
  cwi_lock(&lock);
  axpy->next = open_epochs;
  open_epochs = axpy;
  cwi_unlock(&lock);
}

void cwi_axpy_drop(cw_axpy axpy)
{
  axpy_close(axpy);
  free(axpy->room);
  free(axpy->signals);
  axpy->room = NULL;
  axpy->signals = NULL;
  axpy->sends = NULL;
}
