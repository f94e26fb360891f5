/* Bulk transfers: long transfers of rows, whose data goes in a message of its own. If the data is
 * contiguous on a side, MPI moves it from or to its place; otherwise it is packed on that side. The
 * server executes other requests meanwhile. So an operation that must not overtake a bulk transfer
 * waits for it at the origin. */
#include "route/server/bulk_transfer.h"

#include "base/settings.h"
#include "link/reply_tags.h"
#include "link/server_wait.h"
#include "machine/rows.h"
#include "memory/device_address.h"
#include "mpi/mpi_progress.h"
#include "number/number_type.h"
#include "region/agent.h"
#include "route/server/pending_request.h"
#include "route/server/server_request.h"
#include "route/server/unfenced_updates.h"
#include "team/world.h"
#include "transfer/ordering_kind.h"
#include "transfer/shape_fragment.h"

#include <stdlib.h>

/* Upper bounds on the bytes of a fragment. MPI counts are int. Fragments that are packed are
 * smaller: one is packed while another one travels, and a server answers no requests while it
 * copies. */
static const size_t MOST_BYTES = (size_t)1 << 26, MOST_PACKED = CWI_BULK_FRAGMENT;

enum { MOST_BULKS = 16 };

struct bulk {
  struct cwi_pending_request
      pending_request; /* answer to an update, or to a get that was rejected */
  int process;
  int kind;                       /* cwi_order_kind_of */
  struct cwi_footprint footprint; /* footprint in the target's memory */
  struct cwi_plane fragment;
  char *packed;            /* packed data if the local side is not contiguous, else NULL */
  struct cwi_arrival data; /* the send of an update's data */
  size_t bytes;
  bool announced; /* a notification that must not overtake this transfer has been sent */
};

static bool updates(const struct bulk *bulk)
{
  return bulk->kind != CWI_KIND_GET;
}

static void drop_packed(struct bulk *bulk)
{
  free(bulk->packed);
  bulk->packed = NULL;
}

static void bulk_pack(const struct bulk *bulk)
{
  const struct cwi_plane *fragment = &bulk->fragment;
  if (bulk->packed != NULL)
    cwi_copy_rows(bulk->packed, (ptrdiff_t)fragment->run, fragment->local, fragment->local_stride,
                  fragment->run, fragment->rows);
}

static void unpack(const struct bulk *bulk)
{
  const struct cwi_plane *fragment = &bulk->fragment;
  if (bulk->packed != NULL)
    cwi_copy_rows(fragment->local, fragment->local_stride, bulk->packed, (ptrdiff_t)fragment->run,
                  fragment->run, fragment->rows);
}

/* Waits until the data of an update has left or, if `wait` is false, polls once. The data has
 * always left before the answer comes, but MPI needs a test or wait to complete the send. */
static cw_error bulk_ready(struct cwi_pending_request *pending_request, bool wait, bool *ready)
{
  struct bulk *bulk = (struct bulk *)pending_request;
  if (!updates(bulk))
    return CW_OK;
  return wait ? cwi_server_wait_unlocked(&bulk->data, pending_request->query.node)
              : cwi_arrival_poll(&bulk->data, ready);
}

/* Unpacks the data of a get. If the reply has another length, the get was rejected, and the reason
 * follows. */
static cw_error take_data(struct bulk *bulk)
{
  struct cwi_server_query *query = &bulk->pending_request.query;
  int bytes = 0;
  CWI_TRY(CWI_MPI(MPI_Get_count(&query->reply.status, MPI_BYTE, &bytes)));
  if (CWI_UNLIKELY((size_t)bytes != bulk->bytes))
    return cwi_error_reply_receive(query->node, query->tag, &query->answer);
  unpack(bulk);
  return CW_OK;
}

/* Processes the answer. If an update was rejected, or a notification that waits for it, reopens the
 * node's updates. The next fence then returns the error, whichever thread has processed the answer.
 */
static cw_error bulk_arrived(struct cwi_pending_request *pending_request)
{
  struct bulk *bulk = (struct bulk *)pending_request;
  const struct cwi_server_query *query = &pending_request->query;
  const cw_error error = updates(bulk) ? CW_OK : take_data(bulk);
  if (updates(bulk) && (query->answer.value != 0 ||
                        cwi_updates_is_new_error(query->node, query->answer.error_batch)))
    cwi_updates_reopen(query->node);
  drop_packed(bulk); /* do not keep this memory until a thread waits for the transfer */
  return error;
}

static struct cwi_pending_requests bulk_requests[CWI_ORIGINS];
static const struct cwi_pending_request_kind bulk_kind = {.lists = bulk_requests,
                                                          .bytes = sizeof(struct bulk),
                                                          .most = MOST_BULKS,
                                                          .ready = bulk_ready,
                                                          .arrived = bulk_arrived};

void cwi_bulks_stop(void)
{
  cwi_pending_requests_stop(&bulk_kind);
}

/* Return the oldest bulk transfer of the current origin, and the next one; NULL if there is none.
 */
static struct bulk *oldest(void)
{
  return (struct bulk *)cwi_pending_requests(&bulk_kind)->oldest;
}

static struct bulk *following(const struct bulk *bulk)
{
  return (struct bulk *)bulk->pending_request.next;
}

/* --- Start ------------------------------------------------------------------------------------ */

/* The first plane decides: all planes of a shape have the same size. */
bool cwi_is_bulk(const struct cwi_transfer *transfer)
{
  const struct cwi_shape *shape = &transfer->shape;
  const size_t rows = shape->levels > 0 ? shape->counts[0] : 1;
  return shape->vectors == NULL && shape->run * rows >= (size_t)cwi_settings.server_bulk;
}

static int server_of(const struct bulk *bulk)
{
  return cwi_world.server_of[bulk->pending_request.query.node];
}

/* Sends the request together with the open packet towards the node. The data follows in a message
 * of its own. */
static cw_error send_request(const struct bulk *bulk, const struct cwi_transfer *transfer)
{
  const int node = bulk->pending_request.query.node;
  struct cwi_packet *packet = NULL;
  struct cwi_request request = cwi_request_for(transfer, &bulk->fragment);
  request.flags = (uint8_t)((request.flags & ~CWI_WIRE_LIST) | CWI_WIRE_BULK);
  request.tag = bulk->pending_request.query.tag;
  CWI_TRY(cwi_outbox_open(node, 0, &packet));
  cwi_packet_append(packet, node, &request);
  packet->request = NULL;
  return cwi_outbox_push(node);
}

static char *data_of(const struct bulk *bulk)
{
  return bulk->packed != NULL ? bulk->packed : bulk->fragment.local;
}

/* Posts the receive of an update's answer, or of a get's data, before the request is sent. */
static cw_error expect_reply(struct bulk *bulk)
{
  struct cwi_server_query *query = &bulk->pending_request.query;
  void *to = updates(bulk) ? (void *)&query->answer : data_of(bulk);
  const size_t bytes = updates(bulk) ? sizeof query->answer : bulk->bytes;
  return CWI_MPI(MPI_Irecv(to, (int)bytes, MPI_BYTE, server_of(bulk), (int)query->tag,
                           cwi_world.all_comm, &query->reply.request));
}

static cw_error bulk_request(struct bulk *bulk, const struct cwi_transfer *transfer)
{
  CWI_TRY(cwi_tag_take(&bulk->pending_request.query.tag));
  cw_error error = expect_reply(bulk);
  if (error == CW_OK)
    error = send_request(bulk, transfer);
  if (error != CW_OK)
    cwi_server_query_drop(&bulk->pending_request.query);
  return error;
}

/* Sends the data of an update. The target's server waits for this data. If MPI fails to send it, an
 * empty message ends that wait, and the server leaves the region unchanged. */
static cw_error bulk_send_data(struct bulk *bulk)
{
  const int tag = (int)bulk->pending_request.query.tag + 1;
  bulk_pack(bulk);
  const cw_error error =
      CWI_MPI(MPI_Isend(data_of(bulk), (int)bulk->bytes, MPI_BYTE, server_of(bulk), tag,
                        cwi_world.all_comm, &bulk->data.request));
  if (CWI_UNLIKELY(error != CW_OK) &&
      MPI_Send(NULL, 0, MPI_BYTE, server_of(bulk), tag, cwi_world.all_comm) != MPI_SUCCESS)
    cwi_abort_with(1, "the target of a long transfer waits for data that cannot leave: %s",
                   cwi_error_message());
  return error;
}

/* Returns a record for a fragment, with memory for packed data if the local side has gaps. Returns
 * NULL if there is no memory. */
static struct bulk *make_bulk(const struct cwi_transfer *transfer, const struct cwi_plane *fragment)
{
  const size_t bytes = fragment->run * fragment->rows;
  const bool packs = fragment->rows > 1 && fragment->local_stride != (ptrdiff_t)fragment->run;
  char *packed = packs ? malloc(bytes) : NULL;
  struct bulk *bulk =
      packs && packed == NULL
          ? NULL
          : cwi_pending_request_take(&bulk_kind, cwi_world.node_of[transfer->process]);
  if (bulk == NULL) {
    free(packed);
    return NULL;
  }
  bulk->process = transfer->process;
  bulk->kind = cwi_order_kind_of(transfer);
  bulk->footprint = cwi_footprint_of_plane(fragment);
  bulk->fragment = *fragment;
  bulk->packed = packed;
  bulk->data = cwi_arrival(MPI_REQUEST_NULL);
  bulk->bytes = bytes;
  bulk->announced = false;
  bulk->pending_request.sends = updates(bulk);
  return bulk;
}

/* Returns true if an agent at the target moves the data, from and to buffers that the agent lends
 * to the server. */
static bool uses_agent(const struct cwi_transfer *transfer)
{
  return transfer->place.memory != NULL || cwi_is_device_address(transfer->shape.remote);
}

/* Starts one fragment. If the request cannot be sent, releases the record. */
static cw_error start_fragment(const struct cwi_transfer *transfer,
                               const struct cwi_plane *fragment, struct cwi_waiters *waiters)
{
  CWI_TRY(cwi_pending_requests_reduce(&bulk_kind, uses_agent(transfer) ? CWI_AGENT_BUFFERS_AT_ONCE
                                                                       : MOST_BULKS));
  struct bulk *bulk = make_bulk(transfer, fragment);
  if (bulk == NULL)
    return cwi_outside("no memory for a transfer");
  const cw_error error = bulk_request(bulk, transfer);
  if (error != CW_OK) {
    drop_packed(bulk);
    cwi_pending_request_release(&bulk->pending_request);
    return error;
  }
  cwi_pending_request_begin(&bulk->pending_request);
  if (updates(bulk)) {
    cwi_updates_add_own(bulk->pending_request.query.node);
    CWI_TRY(bulk_send_data(bulk));
  }
  return cwi_waiters_add(waiters, &bulk->pending_request, transfer->process);
}

/* Returns the upper bound on the bytes of a fragment of one row. A server that accumulates, or that
 * uses an agent, buffers the data of a fragment. With an agent, longer fragments cost fewer waits.
 * But several fragments should be in flight, so a long transfer is split into several. A short
 * transfer may itself be a part of a longer one, and is not split. */
static size_t most_of_row(const struct cwi_transfer *transfer)
{
  if (uses_agent(transfer)) {
    const size_t bytes = transfer->shape.bytes, part = bytes / (2 * CWI_AGENT_BUFFERS_AT_ONCE);
    if (bytes <= CWI_AGENT_BUFFER_LONG || part > CWI_AGENT_BUFFER_LONG)
      return CWI_AGENT_BUFFER_LONG;
    return part > MOST_PACKED ? part : MOST_PACKED;
  }
  return transfer->operation == CW_ACCUMULATE ? MOST_PACKED : MOST_BYTES;
}

/* Returns the bytes of a fragment. Rows that are packed on either side go in fragments of nearly
 * the same size. */
static size_t fragment_bytes(const struct cwi_transfer *transfer)
{
  const struct cwi_shape *shape = &transfer->shape;
  const size_t most = most_of_row(transfer);
  const size_t most_rows = MOST_PACKED / shape->run;
  if (shape->levels == 0 || most_rows == 0)
    return shape->run < most ? shape->run : most;
  const size_t fragments = (shape->counts[0] + most_rows - 1) / most_rows;
  return shape->run * ((shape->counts[0] + fragments - 1) / fragments);
}

cw_error cwi_bulk_run(const struct cwi_transfer *transfer, bool blocking, cw_handle *handle)
{
  const size_t atom = transfer->operation == CW_ACCUMULATE ? cwi_type_bytes[transfer->type] : 1;
  const size_t most = fragment_bytes(transfer);
  struct cwi_fragments fragments = cwi_fragments(&transfer->shape, atom);
  struct cwi_plane fragment;
  struct cwi_waiters waiters = {NULL, NULL};
  cw_error error = CW_OK;
  while (error == CW_OK && cwi_fragments_left(&fragments)) {
    cwi_fragments_next(&fragments, most, &fragment);
    error = start_fragment(transfer, &fragment, &waiters);
  }
  return cwi_waiters_leave(&waiters, error, blocking, handle);
}

/* --- Order ------------------------------------------------------------------------------------ */

/* Returns true if an operation of this kind on this memory must not overtake the bulk transfer. If
 * the transfer is announced, this holds for every operation on the process, because none may
 * overtake the notification. */
static bool must_follow(const struct bulk *bulk, int process, const struct cwi_footprint *footprint,
                        int kind)
{
  return bulk->process == process &&
         (bulk->announced ||
          (cwi_footprints_overlap(&bulk->footprint, footprint) && !cwi_may_pass(bulk->kind, kind)));
}

cw_error cwi_bulk_order(int process, const struct cwi_footprint *footprint, int kind)
{
  struct bulk *bulk = oldest();
  bool arrived = true;
  while (bulk != NULL) {
    const bool conflict = must_follow(bulk, process, footprint, kind);
    if (conflict)
      CWI_TRY(cwi_pending_request_finish(&bulk->pending_request, true, &arrived));
    bulk = conflict ? oldest() : following(bulk);
  }
  return CW_OK;
}

cw_error cwi_bulk_order_run(int process, const void *remote, size_t bytes, int kind)
{
  const struct cwi_footprint footprint = cwi_footprint_of_run(remote, bytes);
  return cwi_bulk_order(process, &footprint, kind);
}

/* Sets *arrived to true if, of the first `count` bulk transfers, all updates of `process` (any if
 * -1) and `node` (any if -1) have arrived, else to false. If `gets`, this includes gets. If `wait`,
 * waits until they have arrived. */
static cw_error have_some_arrived(int process, int node, bool gets, unsigned long count, bool wait,
                                  bool *arrived)
{
  struct bulk *bulk = oldest();
  *arrived = true;
  while (bulk != NULL && bulk->pending_request.number <= count && *arrived) {
    struct bulk *next = following(bulk);
    if ((gets || updates(bulk)) && (process < 0 || bulk->process == process) &&
        (node < 0 || bulk->pending_request.query.node == node)) {
      CWI_TRY(cwi_pending_request_finish(&bulk->pending_request, wait, arrived));
      next = oldest();
    }
    bulk = next;
  }
  return CW_OK;
}

/* Waits for the bulk transfers that have been started so far, but not for those that other threads
 * start meanwhile. */
static cw_error await_some(int process, int node, bool gets)
{
  bool arrived = true;
  return CWI_LIKELY(oldest() == NULL)
             ? CW_OK
             : have_some_arrived(process, node, gets, cwi_bulk_count(), true, &arrived);
}

cw_error cwi_bulk_arrived(int process)
{
  return await_some(process, -1, false);
}

cw_error cwi_bulk_settle(int process)
{
  return await_some(process, -1, true);
}

unsigned long cwi_bulk_count(void)
{
  return cwi_pending_requests(&bulk_kind)->started;
}

cw_error cwi_bulk_have_arrived(int process, unsigned long count, bool wait, bool *arrived)
{
  return have_some_arrived(process, -1, false, count, wait, arrived);
}

cw_error cwi_bulk_fence(int node)
{
  return await_some(-1, node, false);
}

/* --- Notifications ---------------------------------------------------------------------------- */

/* Returns the first update of a process, or of a node (of any if -1), with a number above `number`;
 * NULL if there is none. */
static struct bulk *next_update(int process, int node, unsigned long number)
{
  struct bulk *bulk = oldest();
  while (bulk != NULL && (bulk->pending_request.number <= number || !updates(bulk) ||
                          (process >= 0 && bulk->process != process) ||
                          (node >= 0 && bulk->pending_request.query.node != node)))
    bulk = following(bulk);
  return bulk;
}

/* Returns true if there are bulk updates of other processes of the node. */
static bool has_others(int process, int node)
{
  struct bulk *bulk = next_update(-1, node, 0);
  while (bulk != NULL && bulk->process == process)
    bulk = next_update(-1, node, bulk->pending_request.number);
  return bulk != NULL;
}

cw_error cwi_bulk_notify_behind(int process, bool *behind)
{
  const int node = cwi_world.node_of[process];
  *behind = false;
  if (CWI_LIKELY(oldest() == NULL))
    return CW_OK;
  if (has_others(process, node))
    return cwi_bulk_fence(node);
  for (struct bulk *bulk = next_update(process, node, 0); bulk != NULL;
       bulk = next_update(process, node, bulk->pending_request.number))
    *behind = bulk->announced = true;
  return CW_OK;
}

cw_error cwi_bulk_leave(int process)
{
  const unsigned long last = cwi_bulk_count();
  struct bulk *bulk = next_update(process, -1, 0);
  while (bulk != NULL && bulk->pending_request.number <= last) {
    const unsigned long number = bulk->pending_request.number;
    bool left = false;
    bulk->pending_request.references++;
    const cw_error error = bulk_ready(&bulk->pending_request, true, &left);
    cwi_pending_request_release(&bulk->pending_request);
    CWI_TRY(error);
    bulk = next_update(process, -1, number);
  }
  return CW_OK;
}
