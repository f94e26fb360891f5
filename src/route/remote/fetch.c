/* Gets whose data comes back packed. What one packet asks for, in one transfer or in several that
 * are aggregated, comes back in as few replies as CW_SERVER_BUFFER allows. */
#include "route/remote/fetch.h"
#include "base/rows.h"

#include "base/settings.h"
#include "base/spare.h"
#include "link/await.h"
#include "link/tags.h"
#include "mpi/call.h"
#include "mpi/origin.h"
#include "route/foreign/memory.h"
#include "route/remote/ask.h"
#include "route/remote/outbox.h"
#include "route/remote/request.h"
#include "team/world.h"

#include <stdio.h>
#include <stdlib.h>

/* Replies that may be outstanding: a server has at most so many for a process to send. */
enum { MOST_FETCHES = 16 };

/* One reply: the pieces that it holds, in this order. A server refuses a reply as a whole: so what
 * one handle names has replies of its own. */
struct cwi_fetch {
  struct cwi_fetch *next; /* those that have not arrived, oldest first */
  struct cwi_plane *pieces;
  size_t count, capacity;
  size_t bytes;
  struct cwi_request *first, *last;
  struct cwi_parcel *parcel; /* that asks for it */
  char *buffer;              /* CW_SERVER_BUFFER bytes, once it has been needed */
  bool in_place;             /* one contiguous piece, received where it belongs */
  struct cwi_arrival reply;
  uint32_t tag;
  int node, owner;       /* of the handle; -1: it brings memory of regions */
  uint64_t serial;       /* of the handle */
  unsigned long opening; /* of the packet that asks for it */
  bool done;
  bool refused;
  struct cwi_answer *why; /* once it has been needed */
  bool lost;              /* it could not be asked for */
  int references; /* the list's or the packet's, one for each waiter, and for threads that wait */
};

/* A transfer waits for each of its replies. */
struct waiter {
  struct cwi_pending pending;
  struct cwi_fetch *fetch;
  struct waiter *next;
};

/* Of each origin; its lock guards this. A thread lets go of it while it waits. */
static struct book {
  struct cwi_fetch *oldest CWI_OF_ORIGIN;
  struct cwi_fetch *newest;
  int outstanding;
  struct cwi_spare *spare; /* with their pieces and buffers */
  struct cwi_spare *spare_waiters;
  char why_lost[512]; /* the fetch that was lost last */
} books[CWI_ORIGINS];

static struct book *book(void)
{
  return &books[cwi_origin];
}

/* --- Records ---------------------------------------------------------------------------------- */

static void release_fetch(struct cwi_fetch *fetch)
{
  if (--fetch->references == 0)
    cwi_spare_give(&book()->spare, fetch);
}

static struct cwi_fetch *take_fetch(int node)
{
  struct cwi_fetch *fetch = cwi_spare_take(&book()->spare, sizeof *fetch);
  if (fetch == NULL)
    return NULL;
  struct cwi_plane *pieces = fetch->pieces;
  char *buffer = fetch->buffer;
  struct cwi_answer *why = fetch->why;
  const size_t capacity = fetch->capacity;
  *fetch = (struct cwi_fetch){.pieces = pieces,
                              .buffer = buffer,
                              .why = why,
                              .capacity = capacity,
                              .reply = cwi_arrival(MPI_REQUEST_NULL),
                              .node = node,
                              .references = 1};
  return fetch;
}

void cwi_fetches_stop(void)
{
  struct cwi_fetch *fetch = NULL;
  while ((fetch = cwi_spare_find(&book()->spare)) != NULL) {
    free(fetch->pieces);
    free(fetch->buffer);
    free(fetch->why);
    free(fetch);
  }
  cwi_spare_free(&book()->spare_waiters);
}

/* --- Arrival ---------------------------------------------------------------------------------- */

static void unlist(struct cwi_fetch *fetch)
{
  struct cwi_fetch **link = &book()->oldest, *previous = NULL;
  while (*link != fetch) {
    previous = *link;
    link = &(*link)->next;
  }
  *link = fetch->next;
  if (book()->newest == fetch)
    book()->newest = previous;
  book()->outstanding--;
}

static void unpack(const struct cwi_fetch *fetch)
{
  const char *from = fetch->buffer;
  for (size_t i = 0; i < fetch->count; i++) {
    const struct cwi_plane *piece = &fetch->pieces[i];
    cwi_copy_rows(piece->local, piece->local_stride, from, (ptrdiff_t)piece->run, piece->run,
                  piece->rows);
    from += piece->run * piece->rows;
  }
}

/* Nothing more comes for it. */
static void end_fetch(struct cwi_fetch *fetch)
{
  fetch->done = true;
  if (fetch->tag != 0)
    cwi_tag_give(fetch->tag);
  unlist(fetch);
  release_fetch(fetch);
}

/* Without memory to keep it in, the reason itself is lost. */
static cw_error learn_why(struct cwi_fetch *fetch)
{
  struct cwi_answer answer;
  CWI_TRY(cwi_refusal_receive(fetch->node, fetch->tag, &answer));
  if (fetch->why == NULL)
    fetch->why = malloc(sizeof *fetch->why);
  if (fetch->why != NULL)
    *fetch->why = answer;
  return CW_OK;
}

/* Several threads may have waited: the first does the rest. */
static cw_error arrived(struct cwi_fetch *fetch)
{
  int bytes = 0;
  if (fetch->done)
    return CW_OK;
  CWI_TRY(CWI_MPI(MPI_Get_count(&fetch->reply.status, MPI_BYTE, &bytes)));
  fetch->refused = (size_t)bytes != fetch->bytes;
  if (CWI_UNLIKELY(fetch->refused))
    CWI_TRY(learn_why(fetch));
  if (!fetch->refused && !fetch->in_place)
    unpack(fetch);
  end_fetch(fetch);
  return CW_OK;
}

/* Look for a reply, or wait. */
static cw_error finish(struct cwi_fetch *fetch, bool wait)
{
  bool here = true;
  if (fetch->done)
    return CW_OK;
  fetch->references++;
  cw_error error = wait ? cwi_outbox_push(fetch->node) : cwi_outbox_send(fetch->node);
  if (error == CW_OK && !fetch->done) { /* else it could not be asked for: see close_packet */
    error = wait ? cwi_await_unlocked(&fetch->reply, fetch->node)
                 : cwi_arrival_look(&fetch->reply, &here);
    if (error == CW_OK && here)
      error = arrived(fetch);
  }
  release_fetch(fetch);
  return error;
}

/* The owners of its transfers are told, not the thread that happens to find it. */
static cw_error outcome(const struct cwi_fetch *fetch)
{
  if (CWI_UNLIKELY(fetch->lost))
    return cwi_outside("a get could not be asked for: %s", book()->why_lost);
  if (CWI_LIKELY(!fetch->done || !fetch->refused))
    return CW_OK;
  return fetch->why != NULL
             ? cwi_answer_judge(fetch->node, fetch->why)
             : cwi_outside("the server of node %d refused a get; no memory to keep why",
                           fetch->node);
}

/* --- Asking ----------------------------------------------------------------------------------- */

/* Nothing will answer it: the sentence that this thread has just recorded tells why. */
static void lose_fetch(struct cwi_fetch *fetch)
{
  snprintf(book()->why_lost, sizeof book()->why_lost, "%s", cwi_sentence());
  cwi_mpi_drop(&fetch->reply.request);
  fetch->lost = true;
  end_fetch(fetch);
}

static cw_error expect_reply(struct cwi_fetch *fetch)
{
  const struct cwi_plane *only = &fetch->pieces[0];
  fetch->in_place = fetch->count == 1 && only->rows == 1;
  CWI_TRY(cwi_tag_take(&fetch->tag));
  return CWI_MPI(MPI_Irecv(fetch->in_place ? only->local : fetch->buffer, (int)fetch->bytes,
                           MPI_BYTE, cwi_world.server_of[fetch->node], (int)fetch->tag,
                           cwi_world.all_comm, &fetch->reply.request));
}

/* The request is complete: receive what it asks for. If that fails the rest of the packet goes all
 * the same. The server drops at the end of the parcel what it has packed for the request; so the
 * next fetch needs another parcel. */
static void close_packet(struct cwi_packet *packet)
{
  struct cwi_fetch *fetch = packet->fetch;
  packet->fetch = NULL;
  packet->request = NULL;
  if (fetch->count == 0) { /* there was no memory for its first piece */
    end_fetch(fetch);
    return;
  }
  fetch->first->reply_bytes = fetch->bytes;
  if (expect_reply(fetch) != CW_OK) {
    lose_fetch(fetch);
    packet->parcel = NULL;
    return;
  }
  fetch->last->flags |= CWI_WIRE_LAST;
  fetch->last->tag = fetch->tag;
}

static void lose_packet(const struct cwi_packet *packet)
{
  struct cwi_fetch *next = book()->oldest;
  while (next != NULL) {
    struct cwi_fetch *fetch = next;
    next = fetch->next;
    if (fetch->opening == packet->opened)
      lose_fetch(fetch);
  }
}

static cw_error begin_fetch(struct cwi_packet *packet, int node, const struct cwi_memory *memory)
{
  struct cwi_fetch *fetch = take_fetch(node);
  if (fetch == NULL)
    return cwi_outside("no memory for a get");
  if (book()->newest != NULL)
    book()->newest->next = fetch;
  else
    book()->oldest = fetch;
  book()->newest = fetch;
  book()->outstanding++;
  packet->fetch = fetch;
  packet->close = close_packet;
  packet->lose = lose_packet;
  fetch->opening = packet->opened;
  fetch->owner = memory != NULL ? memory->owner : -1;
  fetch->serial = memory != NULL ? memory->serial : 0;
  packet->request = NULL;
  return CW_OK;
}

static cw_error add_piece(struct cwi_fetch *fetch, const struct cwi_plane *piece)
{
  if (fetch->count == fetch->capacity) {
    const size_t capacity = fetch->capacity > 0 ? 2 * fetch->capacity : 4;
    struct cwi_plane *pieces = realloc(fetch->pieces, capacity * sizeof *pieces);
    if (pieces == NULL)
      return cwi_outside("no memory for %zu pieces of a get", capacity);
    fetch->pieces = pieces;
    fetch->capacity = capacity;
  }
  if (fetch->buffer == NULL && (fetch->count > 0 || piece->rows > 1)) {
    fetch->buffer = malloc((size_t)cwi_settings.server_buffer);
    if (fetch->buffer == NULL)
      return cwi_outside("no memory for a reply of %ld bytes", cwi_settings.server_buffer);
  }
  fetch->pieces[fetch->count++] = *piece;
  fetch->bytes += piece->run * piece->rows;
  return CW_OK;
}

static cw_error ask_piece(struct cwi_packet *packet, const struct cwi_transfer *transfer,
                          const struct cwi_plane *piece)
{
  const int node = cwi_world.node_of[transfer->process];
  struct cwi_fetch *fetch = packet->fetch;
  const struct cwi_request request = cwi_request_for(transfer, piece);
  CWI_TRY(add_piece(fetch, piece));
  if (cwi_packet_extends(packet, node, &request))
    *(uint64_t *)(void *)cwi_packet_grow(packet, 8) = request.offset;
  else {
    struct cwi_request *placed = cwi_packet_append(packet, node, &request);
    if ((request.flags & CWI_WIRE_LIST) != 0)
      *(uint64_t *)(void *)(placed + 1) = request.offset;
    fetch->first = fetch->first != NULL ? fetch->first : placed;
  }
  fetch->last = packet->request;
  fetch->parcel = packet->parcel;
  return CW_OK;
}

/* What an entry of a list takes in the packet; and room for as much in the reply. */
enum { ENTRY = 16 };

static bool may_join(const struct cwi_fetch *fetch, const struct cwi_packet *packet, int node,
                     const struct cwi_memory *memory)
{
  return fetch->node == node && fetch->parcel == packet->parcel &&
         fetch->bytes + ENTRY <= (size_t)cwi_settings.server_buffer &&
         fetch->owner == (memory != NULL ? memory->owner : -1) &&
         fetch->serial == (memory != NULL ? memory->serial : 0);
}

/* The packet towards the node, with a reply that has room. A reply belongs to one parcel. */
static cw_error open_fetch(int node, const struct cwi_memory *memory, struct cwi_packet **packet)
{
  while (book()->outstanding >= MOST_FETCHES)
    CWI_TRY(finish(book()->oldest, true));
  CWI_TRY(cwi_outbox_open(node, ENTRY, packet));
  if ((*packet)->fetch != NULL && !may_join((*packet)->fetch, *packet, node, memory))
    close_packet(*packet);
  return (*packet)->fetch != NULL ? CW_OK : begin_fetch(*packet, node, memory);
}

/* --- Transfers -------------------------------------------------------------------------------- */

static cw_error complete(struct cwi_pending *pending, bool wait, bool *done)
{
  struct cwi_fetch *fetch = ((struct waiter *)pending)->fetch;
  CWI_TRY(finish(fetch, wait));
  *done = fetch->done;
  return outcome(fetch);
}

static void release(struct cwi_pending *pending)
{
  struct waiter *waiter = (struct waiter *)pending;
  release_fetch(waiter->fetch);
  cwi_spare_give(&book()->spare_waiters, waiter);
}

/* The replies of a transfer, in the order in which they come. */
struct waiters {
  struct waiter *first, *last;
};

static cw_error add_waiter(struct waiters *list, struct cwi_fetch *fetch, int process)
{
  struct waiter *waiter = cwi_spare_take(&book()->spare_waiters, sizeof *waiter);
  if (waiter == NULL)
    return cwi_outside("no memory for a get");
  *waiter = (struct waiter){
      .pending = {.process = process, .complete = complete, .release = release}, .fetch = fetch};
  fetch->references++;
  if (list->last != NULL)
    list->last->next = waiter;
  else
    list->first = waiter;
  list->last = waiter;
  return CW_OK;
}

static cw_error ask_all(const struct cwi_transfer *transfer, struct waiters *waiters)
{
  const int node = cwi_world.node_of[transfer->process];
  struct cwi_cutter cutter = cwi_cutter(&transfer->shape, 1);
  struct cwi_plane piece;
  while (cwi_cut_more(&cutter)) {
    struct cwi_packet *packet = NULL;
    CWI_TRY(open_fetch(node, transfer->place.memory, &packet));
    struct cwi_fetch *fetch = packet->fetch;
    CWI_ASSERT(fetch != NULL);
    if (waiters->last == NULL || waiters->last->fetch != fetch)
      CWI_TRY(add_waiter(waiters, fetch, transfer->process));
    cwi_cut(&cutter, (size_t)cwi_settings.server_buffer - fetch->bytes, &piece);
    CWI_TRY(ask_piece(packet, transfer, &piece));
  }
  return CW_OK;
}

/* All arrive, whatever happens: MPI writes into the program's memory. The first error counts. */
static cw_error wait_all(struct waiter *waiters, cw_error error)
{
  struct cwi_first_error first;
  cwi_first_begin(&first, error);
  while (waiters != NULL) {
    struct waiter *waiter = waiters;
    waiters = waiter->next;
    const cw_error finished = finish(waiter->fetch, true);
    cwi_first_note(&first, finished != CW_OK ? finished : outcome(waiter->fetch));
    release(&waiter->pending);
  }
  return cwi_first_return(&first);
}

/* Those that cannot be attached are waited for. */
static cw_error attach_all(struct waiter *waiters, cw_handle *handle)
{
  while (waiters != NULL) {
    struct waiter *waiter = waiters;
    const cw_error error = cwi_handle_attach(handle, &waiter->pending);
    if (error != CW_OK)
      return wait_all(waiters, error);
    waiters = waiter->next;
  }
  return CW_OK;
}

cw_error cwi_fetch_run(const struct cwi_transfer *transfer, bool blocking, bool push,
                       cw_handle *handle)
{
  struct waiters waiters = {NULL, NULL};
  cw_error error = ask_all(transfer, &waiters);
  if (error == CW_OK && push)
    error = cwi_outbox_push(cwi_world.node_of[transfer->process]);
  if (error != CW_OK)
    return wait_all(waiters.first, error);
  return blocking ? wait_all(waiters.first, CW_OK) : attach_all(waiters.first, handle);
}
