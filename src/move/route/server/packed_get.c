/* Gets whose data comes back packed. The data of all gets in one packet comes back in as few
 * replies as CW_SERVER_BUFFER allows. The gets may belong to one transfer or to several aggregated
 * ones. */
#include "route/server/server_route.h"

#include "base/reserve.h"
#include "base/settings.h"
#include "link/reply_tags.h"
#include "machine/rows.h"
#include "mpi/mpi_progress.h"
#include "route/memory_handle/memory_handle.h"
#include "route/server/outbox.h"
#include "route/server/pending_request.h"
#include "route/server/server_request.h"
#include "team/world.h"

#include <stdlib.h>

/* Upper bound on outstanding replies, and so on those that a server has to send to a process at a
 * time. */
enum { MOST_FETCHES = 16 };

/* One reply, with its fragments in order. A server rejects all gets of a reply together, so gets
 * from memory that a handle names have replies of their own. */
struct cwi_fetch {
  struct cwi_pending_request pending_request;
  struct cwi_plane *fragments;
  size_t count, capacity;
  size_t bytes;
  struct cwi_request *first, *last;
  struct cwi_request_batch *batch; /* the batch with its requests */
  char *buffer;                    /* CW_SERVER_BUFFER bytes, allocated when first needed */
  bool in_place;                   /* one contiguous fragment, received at its destination */
  int owner;             /* owner of the handle's memory; -1 if the reply holds memory of regions */
  uint64_t serial;       /* serial number of the handle */
  unsigned long opening; /* value of `opened` of the packet with its requests */
};

static void unpack(const struct cwi_fetch *fetch)
{
  const char *from = fetch->buffer;
  for (size_t i = 0; i < fetch->count; i++) {
    const struct cwi_plane *fragment = &fetch->fragments[i];
    cwi_copy_rows(fragment->local, fragment->local_stride, from, (ptrdiff_t)fragment->run,
                  fragment->run, fragment->rows);
    from += fragment->run * fragment->rows;
  }
}

/* Sends the packet with the requests. If the packet cannot be sent, the fetch is lost: see
 * close_packet and lose_packet. */
static cw_error fetch_ready(struct cwi_pending_request *pending_request, bool wait, bool *ready)
{
  (void)ready;
  return wait ? cwi_outbox_push(pending_request->query.node)
              : cwi_outbox_send(pending_request->query.node);
}

static cw_error fetch_arrived(struct cwi_pending_request *pending_request)
{
  const struct cwi_fetch *fetch = (const struct cwi_fetch *)pending_request;
  struct cwi_server_query *query = &pending_request->query;
  int bytes = 0;
  CWI_TRY(CWI_MPI(MPI_Get_count(&query->reply.status, MPI_BYTE, &bytes)));
  if (CWI_UNLIKELY((size_t)bytes != fetch->bytes))
    return cwi_error_reply_receive(query->node, query->tag, &query->answer);
  if (!fetch->in_place)
    unpack(fetch);
  return CW_OK;
}

static void packed_get_strip(struct cwi_pending_request *pending_request)
{
  const struct cwi_fetch *fetch = (const struct cwi_fetch *)pending_request;
  free(fetch->fragments);
  free(fetch->buffer);
}

static struct cwi_pending_requests packed_get_requests[CWI_ORIGINS];
static const struct cwi_pending_request_kind fetch_kind = {.lists = packed_get_requests,
                                                           .bytes = sizeof(struct cwi_fetch),
                                                           .most = MOST_FETCHES,
                                                           .ready = fetch_ready,
                                                           .arrived = fetch_arrived,
                                                           .strip = packed_get_strip};

void cwi_packed_gets_stop(void)
{
  cwi_pending_requests_stop(&fetch_kind);
}

/* --- Requests --------------------------------------------------------------------------------- */

static cw_error expect_reply(struct cwi_fetch *fetch)
{
  const struct cwi_plane *only = &fetch->fragments[0];
  struct cwi_server_query *query = &fetch->pending_request.query;
  fetch->in_place = fetch->count == 1 && only->rows == 1;
  CWI_TRY(cwi_tag_take(&query->tag));
  return CWI_MPI(MPI_Irecv(fetch->in_place ? only->local : fetch->buffer, (int)fetch->bytes,
                           MPI_BYTE, cwi_world.server_of[query->node], (int)query->tag,
                           cwi_world.all_comm, &query->reply.request));
}

/* Completes the collected fetch and posts the receive of its reply. If that fails, the fetch is
 * lost, but the rest of the packet is sent. At the end of the batch, the server then drops the data
 * of these gets, so the next fetch needs another batch. */
static void close_packet(struct cwi_packet *packet)
{
  struct cwi_fetch *fetch = packet->fetch;
  packet->fetch = NULL;
  packet->request = NULL;
  if (fetch->count == 0) { /* no memory for its first fragment */
    cwi_pending_request_end(&fetch->pending_request);
    return;
  }
  fetch->first->reply_bytes = fetch->bytes;
  if (expect_reply(fetch) != CW_OK) {
    cwi_pending_request_lose(&fetch->pending_request);
    packet->batch = NULL;
    return;
  }
  fetch->last->flags |= CWI_WIRE_LAST;
  fetch->last->tag = fetch->pending_request.query.tag;
}

/* Marks as lost all fetches whose requests were in a packet that could not be sent. */
static void lose_packet(const struct cwi_packet *packet)
{
  struct cwi_pending_request *next = cwi_pending_requests(&fetch_kind)->oldest;
  while (next != NULL) {
    struct cwi_pending_request *pending_request = next;
    next = pending_request->next;
    if (((struct cwi_fetch *)pending_request)->opening == packet->opened)
      cwi_pending_request_lose(pending_request);
  }
}

/* Begins a fetch in the packet, and appends it to the list of pending requests. */
static cw_error begin_fetch(struct cwi_packet *packet, int node,
                            const struct cwi_memory_handle *memory)
{
  struct cwi_fetch *fetch = cwi_pending_request_take(&fetch_kind, node);
  if (fetch == NULL)
    return cwi_outside("no memory for a get");
  fetch->count = fetch->bytes = 0;
  fetch->first = fetch->last = NULL;
  fetch->batch = NULL;
  fetch->in_place = false;
  fetch->owner = memory != NULL ? memory->owner : -1;
  fetch->serial = memory != NULL ? memory->serial : 0;
  fetch->opening = packet->opened;
  cwi_pending_request_begin(&fetch->pending_request);
  packet->fetch = fetch;
  packet->close = close_packet;
  packet->lose = lose_packet;
  packet->request = NULL;
  return CW_OK;
}

static cw_error add_fragment(struct cwi_fetch *fetch, const struct cwi_plane *fragment)
{
  if (!CWI_RESERVE(fetch->fragments, fetch->count, fetch->capacity, 4))
    return cwi_outside("no memory for %zu fragments of a get", fetch->count + 1);
  if (fetch->buffer == NULL && (fetch->count > 0 || fragment->rows > 1)) {
    fetch->buffer = malloc((size_t)cwi_settings.server_buffer);
    if (fetch->buffer == NULL)
      return cwi_outside("no memory for a reply of %ld bytes", cwi_settings.server_buffer);
  }
  fetch->fragments[fetch->count++] = *fragment;
  fetch->bytes += fragment->run * fragment->rows;
  return CW_OK;
}

/* Adds a fragment to the packet's fetch, and its request to the packet. */
static cw_error request_fragment(struct cwi_packet *packet, const struct cwi_transfer *transfer,
                                 const struct cwi_plane *fragment)
{
  const int node = cwi_world.node_of[transfer->process];
  struct cwi_fetch *fetch = packet->fetch;
  const struct cwi_request request = cwi_request_for(transfer, fragment);
  CWI_TRY(add_fragment(fetch, fragment));
  if (cwi_packet_extends(packet, node, &request))
    *(uint64_t *)(void *)cwi_packet_grow(packet, 8) = request.offset;
  else {
    struct cwi_request *placed = cwi_packet_append(packet, node, &request);
    if ((request.flags & CWI_WIRE_LIST) != 0)
      *(uint64_t *)(void *)(placed + 1) = request.offset;
    fetch->first = fetch->first != NULL ? fetch->first : placed;
  }
  fetch->last = packet->request;
  fetch->batch = packet->batch;
  return CW_OK;
}

/* Bytes of a list's entry in the packet. A get may join a reply only if that has at least this much
 * space left. */
enum { ENTRY = 16 };

/* Returns true if a get from this memory may join the fetch. */
static bool may_join(const struct cwi_fetch *fetch, const struct cwi_packet *packet, int node,
                     const struct cwi_memory_handle *memory)
{
  return fetch->pending_request.query.node == node && fetch->batch == packet->batch &&
         fetch->bytes + ENTRY <= (size_t)cwi_settings.server_buffer &&
         fetch->owner == (memory != NULL ? memory->owner : -1) &&
         fetch->serial == (memory != NULL ? memory->serial : 0);
}

/* Opens the packet towards the node with a fetch that the get may join. A fetch belongs to one
 * batch. A new fetch may have to wait until an outstanding one is done. During that wait open
 * packets are sent, and another thread may begin a fetch in the packet, so the packet is checked
 * again. */
static cw_error open_fetch(int node, const struct cwi_memory_handle *memory,
                           struct cwi_packet **packet)
{
  CWI_TRY(cwi_outbox_open(node, ENTRY, packet));
  while ((*packet)->fetch == NULL || !may_join((*packet)->fetch, *packet, node, memory)) {
    if ((*packet)->fetch != NULL)
      close_packet(*packet);
    if (cwi_pending_requests_have_space(&fetch_kind))
      return begin_fetch(*packet, node, memory);
    CWI_TRY(cwi_pending_requests_make_space(&fetch_kind));
    CWI_TRY(cwi_outbox_open(node, ENTRY, packet));
  }
  return CW_OK;
}

/* --- Transfers -------------------------------------------------------------------------------- */

static cw_error request_all(const struct cwi_transfer *transfer, struct cwi_waiters *waiters)
{
  const int node = cwi_world.node_of[transfer->process];
  struct cwi_fragments fragments = cwi_fragments(&transfer->shape, 1);
  struct cwi_plane fragment;
  while (cwi_fragments_left(&fragments)) {
    struct cwi_packet *packet = NULL;
    CWI_TRY(open_fetch(node, transfer->place.memory, &packet));
    struct cwi_fetch *fetch = packet->fetch;
    CWI_ASSERT(fetch != NULL);
    cwi_fragments_next(&fragments, (size_t)cwi_settings.server_buffer - fetch->bytes, &fragment);
    const cw_error error = request_fragment(packet, transfer, &fragment);
    if (waiters->last == NULL || waiters->last->pending_request != &fetch->pending_request)
      CWI_TRY(cwi_waiters_add(waiters, &fetch->pending_request, transfer->process));
    CWI_TRY(error);
  }
  return CW_OK;
}

cw_error cwi_packed_get_run(const struct cwi_transfer *transfer, bool blocking, bool push,
                            cw_handle *handle)
{
  struct cwi_waiters waiters = {NULL, NULL};
  cw_error error = request_all(transfer, &waiters);
  if (error == CW_OK && push)
    error = cwi_outbox_push(cwi_world.node_of[transfer->process]);
  return cwi_waiters_leave(&waiters, error, blocking, handle);
}
