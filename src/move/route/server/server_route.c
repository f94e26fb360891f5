/* The table of the server route: transfers become requests. */
#include "route/server/server_route.h"

#include "base/settings.h"
#include "base/size.h"
#include "machine/rows.h"
#include "mpi/origin.h"
#include "region/region.h"
#include "route/deferred_errors.h"
#include "route/memory_handle/memory_handle.h"
#include "route/server/bulk_transfer.h"
#include "route/server/outbox.h"
#include "route/server/pending_request.h"
#include "route/server/server_fence.h"
#include "route/server/server_query.h"
#include "route/server/server_request.h"
#include "route/server/unfenced_updates.h"
#include "team/world.h"
#include "transfer/ordering_kind.h"

#include <string.h>

/* Allocates the records of the current origin. After an error, none of them is left. */
static cw_error start_records(void)
{
  cw_error error = cwi_updates_start();
  if (error == CW_OK)
    error = cwi_piggybacks_start();
  if (error == CW_OK)
    error = cwi_outbox_start();
  if (error != CW_OK) {
    cwi_piggybacks_stop();
    cwi_updates_stop();
  }
  return error;
}

static cw_error stop_records(int unused)
{
  (void)unused;
  cwi_updates_stop();
  cwi_piggybacks_stop();
  cwi_packed_gets_stop();
  cwi_server_updates_stop();
  cwi_bulks_stop();
  cwi_server_flush_requests_stop();
  cwi_waiters_stop();
  return cwi_outbox_stop();
}

/* Sends the updates of a thread that ends. The next fence of its origin or of the process returns
 * their errors. */
static void leave_records(void)
{
  cwi_origin_lock();
  const cw_error error = cwi_outbox_send_all();
  cwi_origin_unlock();
  if (error != CW_OK)
    cwi_abort(cwi_error_message(), 1);
}

cw_error cwi_server_route_start(void)
{
  static const struct cwi_origin_hooks hooks = {.open = start_records, .leave = leave_records};
  CWI_TRY(start_records());
  cwi_origins_start(&hooks);
  return CW_OK;
}

cw_error cwi_server_route_stop(void)
{
  cwi_origins_leave();
  const cw_error error = cwi_origins_each(stop_records, 0);
  cwi_origins_stop();
  return error;
}

/* --- Updates ---------------------------------------------------------------------------------- */

static void append_update(struct cwi_packet *packet, const struct cwi_transfer *transfer,
                          const struct cwi_plane *fragment)
{
  const int node = cwi_world.node_of[transfer->process];
  const struct cwi_request request = cwi_request_for(transfer, fragment);
  const bool list = (request.flags & CWI_WIRE_LIST) != 0;
  char *data = NULL;
  packet->updates++;
  if (cwi_packet_extends(packet, node, &request))
    data = cwi_packet_grow(packet, 8 + cwi_round_up(fragment->run, 8));
  else
    data = (char *)(cwi_packet_append(packet, node, &request) + 1);
  if (list) {
    memcpy(data, &request.offset, 8);
    data += 8;
  }
  cwi_copy_rows(data, (ptrdiff_t)fragment->run, fragment->local, fragment->local_stride,
                fragment->run, fragment->rows);
}

enum { LEAST = 512 }; /* least space in bytes; with less left, a new packet is opened */

static cw_error put_fragments(const struct cwi_transfer *transfer, const struct cwi_shape *shape)
{
  const int node = cwi_world.node_of[transfer->process];
  const size_t atom = transfer->operation == CW_ACCUMULATE ? cwi_type_bytes[transfer->type] : 1;
  struct cwi_fragments fragments = cwi_fragments(shape, atom);
  struct cwi_plane fragment;
  while (cwi_fragments_left(&fragments)) {
    struct cwi_packet *packet = NULL;
    CWI_TRY(cwi_outbox_open(node, LEAST + 16, &packet));
    cwi_fragments_next(&fragments, cwi_packet_space(packet) - 16, &fragment);
    append_update(packet, transfer, &fragment);
  }
  return CW_OK;
}

/* Appends short segments of `vector` to the packet, from number `first` on, as many as fit. Appends
 * the first one like any fragment, the others as entries of its list. Either all segments lie in
 * host memory or all lie in device memory, because mixed lists have been split before. Returns the
 * number of segments that have been appended. */
static size_t append_segments(struct cwi_packet *packet, const struct cwi_transfer *transfer,
                              const cw_vector *vector, size_t first)
{
  const size_t bytes = vector->bytes, entry = 8 + cwi_round_up(bytes, 8);
  const size_t entries_left = cwi_packet_space(packet) / entry, left = vector->count - first;
  const size_t end = first + (entries_left < left ? entries_left : left);
  const struct cwi_plane one = {
      .local = vector->local[first], .remote = vector->remote[first], .run = bytes, .rows = 1};
  append_update(packet, transfer, &one);
  for (size_t i = first + 1; i < end; i++) {
    char *data = cwi_packet_grow(packet, entry);
    const uint64_t offset =
        cwi_request_offset(transfer->process, transfer->place.memory, vector->remote[i]);
    memcpy(data, &offset, 8);
    if (bytes == 8)
      memcpy(data + 8, vector->local[i], 8);
    else
      memcpy(data + 8, vector->local[i], bytes);
  }
  packet->updates += end - first - 1;
  return end - first;
}

static cw_error put_segments(const struct cwi_transfer *transfer, const cw_vector *vector)
{
  const int node = cwi_world.node_of[transfer->process];
  for (size_t i = 0; i < vector->count;) {
    struct cwi_packet *packet = NULL;
    CWI_TRY(cwi_outbox_open(node, LEAST + 16, &packet));
    i += append_segments(packet, transfer, vector, i);
  }
  return CW_OK;
}

static cw_error put_vector(const struct cwi_transfer *transfer, const cw_vector *vector)
{
  const struct cwi_shape shape = {
      .vectors = vector, .vector_count = 1, .bytes = vector->count * vector->bytes};
  if (shape.bytes == 0)
    return CW_OK;
  return vector->bytes <= CWI_LIST_RUN ? put_segments(transfer, vector)
                                       : put_fragments(transfer, &shape);
}

static cw_error put_shape(const struct cwi_transfer *transfer)
{
  const struct cwi_shape *shape = &transfer->shape;
  if (shape->vectors == NULL)
    return put_fragments(transfer, shape);
  for (size_t v = 0; v < shape->vector_count; v++)
    CWI_TRY(put_vector(transfer, &shape->vectors[v]));
  return CW_OK;
}

/* Runs a put or an accumulate. The data is copied into packets, which completes it locally. */
static cw_error run_update(const struct cwi_transfer *transfer, bool push)
{
  const int node = cwi_world.node_of[transfer->process];
  cwi_updates_add(node);
  CWI_TRY(put_shape(transfer));
  if (!push || !cwi_updates_expect_fence(node))
    return CW_OK;
  CWI_TRY(cwi_piggyback_begin(node));
  const cw_error error = cwi_outbox_push(node);
  if (error != CW_OK)
    cwi_piggyback_cancel(node);
  return error;
}

/* --- Order ------------------------------------------------------------------------------------ */

static cw_error order_vectors(const struct cwi_transfer *transfer)
{
  const struct cwi_shape *shape = &transfer->shape;
  for (size_t v = 0; v < shape->vector_count; v++)
    for (size_t i = 0; shape->vectors[v].bytes > 0 && i < shape->vectors[v].count; i++)
      CWI_TRY(cwi_bulk_order_run(transfer->process, shape->vectors[v].remote[i],
                                 shape->vectors[v].bytes, cwi_order_kind_of(transfer)));
  return CW_OK;
}

/* Waits for the bulk transfers that `transfer` must not overtake. A short update waits for all bulk
 * updates of the same target, since the target may take it as the sign that their data has
 * arrived. */
static cw_error order(const struct cwi_transfer *transfer)
{
  if (transfer->operation != CW_GET && !cwi_is_bulk(transfer))
    CWI_TRY(cwi_bulk_arrived(transfer->process));
  if (transfer->shape.vectors != NULL)
    return order_vectors(transfer);
  const struct cwi_footprint footprint = cwi_footprint_of(&transfer->shape);
  return cwi_bulk_order(transfer->process, &footprint, cwi_order_kind_of(transfer));
}

/* --- The route -------------------------------------------------------------------------------- */

static bool process_is_lost(int process)
{
  return cwi_node_is_lost(cwi_world.node_of[process]);
}

static cw_error run(const struct cwi_transfer *transfer, bool blocking, bool push,
                    cw_handle *handle)
{
  if (cwi_is_bulk(transfer))
    return cwi_bulk_run(transfer, blocking, handle);
  if (transfer->operation == CW_GET)
    return cwi_packed_get_run(transfer, blocking, push, handle);
  return run_update(transfer, push);
}

/* Starts a transfer under the origin's lock. Implicit operations, and operations on aggregate
 * handles, may stay in the packet until further ones join them. */
static cw_error server_route_start(const struct cwi_transfer *transfer, bool blocking,
                                   cw_handle *handle)
{
  const bool push = blocking || (handle != NULL && !cwi_handle_aggregates(handle));
  if (CWI_UNLIKELY(process_is_lost(transfer->process)))
    return cwi_node_lost(cwi_world.node_of[transfer->process]);
  cwi_origin_lock();
  cw_error error = order(transfer);
  if (error == CW_OK) {
    error = run(transfer, blocking, push, handle);
    const cw_error released = cwi_outbox_release(cwi_world.node_of[transfer->process], push);
    error = error != CW_OK ? error : released;
  }
  cwi_origin_unlock();
  return error;
}

static cw_error update_locked(const struct cwi_update *update, bool blocking, cw_handle *handle)
{
  CWI_TRY(cwi_bulk_arrived(update->process));
  CWI_TRY(
      cwi_bulk_order_run(update->process, update->remote, cwi_update_bytes(update), CWI_KIND_RMW));
  return cwi_server_update_run(update, blocking, handle);
}

static cw_error server_route_update(const struct cwi_update *given, bool blocking,
                                    cw_handle *handle)
{
  if (CWI_UNLIKELY(process_is_lost(given->process)))
    return cwi_node_lost(cwi_world.node_of[given->process]);
  cwi_origin_lock();
  const cw_error error = update_locked(given, blocking, handle);
  cwi_origin_unlock();
  return error;
}

/* Finds a slice. The regions of my teams are known here. For other regions, queries the target's
 * server, which knows all slices of its node. */
static cw_error server_route_locate(int process, const void *address, size_t bytes,
                                    struct cwi_location *place)
{
  if (place->memory != NULL)
    return cwi_memory_handle_holds(place->memory, address, bytes);
  int64_t answer = 0;
  if (CWI_LIKELY(cwi_slice_index_find(process, address, bytes, place)))
    return CW_OK;
  if (CWI_UNLIKELY(process_is_lost(process)))
    return cwi_node_lost(cwi_world.node_of[process]);
  struct cwi_request request = cwi_request_at(CWI_WIRE_QUERY, process, address, bytes);
  CWI_TRY(cwi_server_query_and_wait(cwi_world.node_of[process], &request, &answer));
  return answer != 0 ? CW_OK : cwi_address_misuse(process, address, bytes);
}

static cw_error server_route_fence(int process)
{
  if (process >= 0 && cwi_same_node(process))
    return CW_OK;
  cwi_origin_lock();
  const cw_error error =
      process < 0 ? cwi_fence_nodes() : cwi_fence_node(cwi_world.node_of[process]);
  cwi_origin_unlock();
  return error;
}

/* Fences a node for the origin of a thread. Messages of the process's origin may overtake those of
 * the thread's. */
static cw_error fence_of_thread(int node)
{
  cwi_origin_lock();
  const cw_error error = cwi_fence_node(node);
  cwi_origin_unlock();
  return error;
}

/* Sends a notification. The server executes other requests while the data of bulk updates is on its
 * way, so it holds the notification back until that data has arrived. This function waits until the
 * data has left, since the process may next compute for a long time without calling MPI. The
 * caller's lock keeps other threads from starting bulk updates in between; the notification would
 * wait for those, too. */
static void notify_locked(const struct cwi_update *add, struct cwi_first_error *earlier,
                          struct cwi_first_error *first)
{
  bool behind = false;
  struct cwi_request request =
      cwi_request_at(CWI_WIRE_NOTIFY, add->process, add->remote, cwi_update_bytes(add));
  request.value = add->operand.i64;
  cwi_first_note(earlier, cwi_bulk_notify_behind(add->process, &behind));
  request.flags = behind ? CWI_WIRE_BEHIND : 0;
  if (!cwi_first_is_from_mpi(earlier))
    cwi_first_note(first, cwi_server_send_locked(add->process, &request));
  if (behind)
    cwi_first_note(first, cwi_bulk_leave(add->process));
}

/* Fences the threads' origins, then sends the notification. Errors of earlier operations do not
 * prevent the notification; a later fence returns them. */
static cw_error server_route_notify(const struct cwi_update *add)
{
  struct cwi_first_error earlier, first;
  if (CWI_UNLIKELY(process_is_lost(add->process)))
    return cwi_node_lost(cwi_world.node_of[add->process]);
  cwi_first_begin(&earlier,
                  cwi_origins_of_threads(fence_of_thread, cwi_world.node_of[add->process]));
  cwi_first_begin(&first, CW_OK);
  cwi_origin_lock();
  notify_locked(add, &earlier, &first);
  cwi_origin_unlock();
  if (cwi_first_is_from_mpi(&earlier))
    return cwi_first_return(&earlier);
  cwi_deferred_error_add(add->process, &earlier);
  return cwi_first_return(&first);
}

/* Orders the next operation behind bulk transfers. The server executes requests in order, but
 * meanwhile the data of bulk transfers is still moving. */
static cw_error server_route_settle(int process)
{
  cwi_origin_lock();
  const cw_error error = cwi_bulk_settle(process);
  cwi_origin_unlock();
  return error;
}

static cw_error push(void)
{
  cwi_origin_lock();
  const cw_error error = cwi_outbox_release_all();
  cwi_origin_unlock();
  return error;
}

/* The server module has already started the origin's side. */
static cw_error server_route_open(bool *used)
{
  *used = cwi_ready.served;
  return CW_OK;
}

static enum cwi_route_reach server_route_reaches(int process, enum cwi_route_use use)
{
  return cwi_same_node(process) || use == CWI_DEVICE_UPDATE ? CWI_REACH_NONE : CWI_REACH_ALL;
}

const struct cwi_route cwi_route_server = {.name = "server",
                                           .where = CWI_BY_SERVER,
                                           .of_threads = true,
                                           .open = server_route_open,
                                           .reaches = server_route_reaches,
                                           .locate = server_route_locate,
                                           .start = server_route_start,
                                           .update = server_route_update,
                                           .notify = server_route_notify,
                                           .fence = server_route_fence,
                                           .push = push,
                                           .order = server_route_settle,
                                           .flush_request = cwi_server_flush_request};
