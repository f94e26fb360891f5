/* Route server: transfers become requests to the target node's server. */
#include "route/remote/origin.h"

#include "base/settings.h"
#include "memory/chunk.h"
#include "memory/region.h"
#include "mpi/call.h"
#include "route/remote/mutex.h"
#include "route/remote/routes.h"
#include "team/world.h"

#include <stdlib.h>
#include <string.h>

/* What this process has done to a node. */
struct touched {
  uint32_t total; /* updates so far */
  uint8_t recent; /* since the last fence: none, ONE, SEVERAL */
  bool alone;     /* the last fence there was for one update: the next may be, too */
};
enum { ONE = 1, SEVERAL = 2 };

static struct touched *touched; /* [nodes] */
static int *unfenced;           /* [nodes] those with recent updates */
static int unfenced_count;

cw_error cwi_origin_start(void)
{
  const size_t nodes = (size_t)cwi_world.nodes;
  touched = calloc(nodes, sizeof *touched);
  unfenced = calloc(nodes, sizeof *unfenced);
  unfenced_count = 0;
  if (touched == NULL || unfenced == NULL)
    return cwi_outside("no memory to fence %zu nodes", nodes);
  CWI_TRY(cwi_rides_start());
  cwi_handles_set_push(cwi_outbox_push_all);
  return cwi_outbox_start(cwi_fetch_close);
}

cw_error cwi_origin_stop(void)
{
  cwi_handles_set_push(NULL);
  free(touched);
  free(unfenced);
  touched = NULL;
  unfenced = NULL;
  cwi_rides_stop();
  cwi_fetches_stop();
  return cwi_outbox_stop();
}

void cwi_origin_touch(int node)
{
  if (touched[node].recent == 0)
    unfenced[unfenced_count++] = node;
  touched[node].recent = touched[node].recent == 0 ? ONE : SEVERAL;
  touched[node].total++;
}

static void unlist(int node)
{
  for (int i = 0; i < unfenced_count; i++)
    if (unfenced[i] == node)
      unfenced[i] = unfenced[--unfenced_count];
}

uint32_t cwi_origin_updates(int node)
{
  return touched[node].total;
}

void cwi_origin_answered(int node, uint32_t updates)
{
  cwi_threads_lock();
  if (touched[node].recent != 0 && touched[node].total == updates && !cwi_ride_goes(node)) {
    touched[node].recent = 0;
    unlist(node);
  }
  cwi_threads_unlock();
}

/* --- Requests --------------------------------------------------------------------------------- */

struct cwi_request cwi_request_for(enum cwi_wire_operation operation, int process,
                                   const struct cwi_plane *piece)
{
  const bool single = piece->rows == 1 && piece->run <= CWI_LIST_RUN;
  return (struct cwi_request){.operation = (uint8_t)operation,
                              .flags = single ? CWI_WIRE_LIST : 0,
                              .process = process,
                              .offset = cwi_offset_of(piece->remote),
                              .run = piece->run,
                              .rows = piece->rows,
                              .stride = piece->remote_stride};
}

/* `value` and `expected` are the scale factor's bits, too. */
bool cwi_packet_extends(const struct cwi_packet *packet, int node,
                        const struct cwi_request *request)
{
  const struct cwi_request *last = packet->request;
  return last != NULL && packet->parcel->node == node && last->operation == request->operation &&
         (last->flags & CWI_WIRE_LIST) != 0 && last->flags == request->flags &&
         last->type == request->type && last->process == request->process &&
         last->run == request->run && last->value == request->value &&
         last->expected == request->expected;
}

static void append_update(struct cwi_packet *packet, const struct cwi_transfer *transfer,
                          const struct cwi_plane *piece)
{
  const int node = cwi_world.node_of[transfer->process];
  const bool adds = transfer->operation == CW_ACCUMULATE;
  struct cwi_request request =
      cwi_request_for(adds ? CWI_WIRE_ACCUMULATE : CWI_WIRE_PUT, transfer->process, piece);
  const bool list = (request.flags & CWI_WIRE_LIST) != 0;
  char *data = NULL;
  if (adds) {
    request.type = (uint8_t)transfer->type;
    request.flags |= transfer->scaled ? CWI_WIRE_SCALED : 0;
    if (transfer->scaled)
      request.scale = transfer->scale;
  }
  if (cwi_packet_extends(packet, node, &request))
    data = cwi_packet_grow(packet, 8 + cwi_round_up(piece->run, 8));
  else
    data = (char *)(cwi_packet_append(packet, node, &request) + 1);
  if (list) {
    memcpy(data, &request.offset, 8);
    data += 8;
  }
  cwi_copy_rows(data, (ptrdiff_t)piece->run, piece->local, piece->local_stride, piece->run,
                piece->rows);
}

/* Puts and accumulates: the data is copied into packets, so that they are locally complete. */
static cw_error run_update(const struct cwi_transfer *transfer, bool push)
{
  enum { LEAST = 512 }; /* less room in a packet is not worth a request */
  const int node = cwi_world.node_of[transfer->process];
  const size_t atom = transfer->operation == CW_ACCUMULATE ? cwi_type_bytes[transfer->type] : 1;
  struct cwi_cutter cutter = cwi_cutter(&transfer->shape, atom);
  struct cwi_plane piece;
  cwi_origin_touch(node);
  while (cwi_cut_more(&cutter)) {
    struct cwi_packet *packet = NULL;
    CWI_TRY(cwi_outbox_open(node, LEAST + 16, &packet));
    cwi_cut(&cutter, cwi_packet_room(packet) - 16, &piece);
    append_update(packet, transfer, &piece);
  }
  if (push && touched[node].recent == ONE && touched[node].alone)
    CWI_TRY(cwi_ride_begin(node));
  return push ? cwi_outbox_push(node) : CW_OK;
}

/* --- Order ------------------------------------------------------------------------------------ */

static cw_error order_vectors(const struct cwi_transfer *transfer, bool reads)
{
  const struct cwi_shape *shape = &transfer->shape;
  for (size_t v = 0; v < shape->vector_count; v++)
    for (size_t i = 0; i < shape->vectors[v].count; i++) {
      const uintptr_t begin = (uintptr_t)shape->vectors[v].remote[i];
      CWI_TRY(cwi_bulk_order(transfer->process, begin, begin + shape->vectors[v].bytes, reads));
    }
  return CW_OK;
}

static cw_error order(const struct cwi_transfer *transfer)
{
  const bool reads = transfer->operation == CW_GET;
  if (transfer->shape.vectors != NULL)
    return order_vectors(transfer, reads);
  const struct cwi_extent extent = cwi_shape_remote_extent(&transfer->shape);
  return cwi_bulk_order(transfer->process, extent.begin, extent.end, reads);
}

/* --- The route -------------------------------------------------------------------------------- */

/* Implicit operations and those on aggregate handles may wait for company. */
static cw_error start_locked(const struct cwi_transfer *transfer, bool blocking, cw_handle *handle)
{
  const bool push = blocking || (handle != NULL && !cwi_handle_aggregates(handle));
  CWI_TRY(order(transfer));
  if (cwi_is_bulk(transfer))
    return cwi_bulk_run(transfer, blocking, handle);
  if (transfer->operation == CW_GET)
    CWI_TRY(cwi_fetch_run(transfer, blocking, push, handle));
  else
    CWI_TRY(run_update(transfer, push));
  return cwi_outbox_settle();
}

static cw_error start(const struct cwi_transfer *transfer, bool blocking, cw_handle *handle)
{
  cwi_threads_lock();
  const cw_error error = start_locked(transfer, blocking, handle);
  cwi_threads_unlock();
  return error;
}

static struct cwi_request request_at(enum cwi_wire_operation operation, int process,
                                     const void *remote, size_t bytes)
{
  return (struct cwi_request){.operation = (uint8_t)operation,
                              .process = process,
                              .offset = cwi_offset_of(remote),
                              .run = bytes,
                              .rows = 1};
}

static cw_error order_bytes(int process, const void *remote, size_t bytes)
{
  cwi_threads_lock();
  const cw_error error =
      cwi_bulk_order(process, (uintptr_t)remote, (uintptr_t)remote + bytes, false);
  cwi_threads_unlock();
  return error;
}

static cw_error rmw(const struct cwi_rmw *rmw, int64_t *before)
{
  struct cwi_request request =
      request_at(CWI_WIRE_RMW, rmw->process, rmw->remote, (size_t)rmw->width);
  request.type = (uint8_t)rmw->operation;
  request.value = rmw->value;
  request.expected = rmw->expected;
  CWI_TRY(order_bytes(rmw->process, rmw->remote, (size_t)rmw->width));
  return cwi_ask(cwi_world.node_of[rmw->process], &request, false, before);
}

/* The regions of my teams are known here. Others are asked for: the server knows all of its node.
 */
static bool holds(int process, const void *address, size_t bytes)
{
  struct cwi_remote remote;
  int64_t answer = 0;
  if (cwi_remote_find(process, address, bytes, &remote))
    return true;
  struct cwi_request request = request_at(CWI_WIRE_QUERY, process, address, bytes);
  return cwi_ask(cwi_world.node_of[process], &request, false, &answer) == CW_OK && answer != 0;
}

/* Forget the updates of a node; *covered: a fence has come with them, and its answer is here. */
static cw_error settle_ride(int node, bool *covered)
{
  const bool alone = touched[node].recent == ONE;
  bool rode = false;
  touched[node].recent = 0;
  touched[node].alone = alone;
  const cw_error error = cwi_ride_end(node, &rode);
  *covered = rode && alone;
  return error;
}

static cw_error fence_node(int node)
{
  bool covered = false;
  CWI_TRY(cwi_bulk_fence(node));
  if (touched[node].recent == 0)
    return CW_OK;
  unlist(node);
  const cw_error error = settle_ride(node, &covered);
  const cw_error asked = covered ? CW_OK : cwi_ask_fences(&node, 1);
  return error != CW_OK ? error : asked;
}

static cw_error fence(int process)
{
  if (cwi_same_node(process))
    return CW_OK;
  cwi_threads_lock();
  const cw_error error = fence_node(cwi_world.node_of[process]);
  cwi_threads_unlock();
  return error;
}

static cw_error fence_touched(void)
{
  cw_error error = CW_OK;
  int left = 0;
  CWI_TRY(cwi_outbox_push_all());
  CWI_TRY(cwi_bulk_fence(-1));
  for (int i = 0; i < unfenced_count; i++) {
    bool covered = false;
    const cw_error one = settle_ride(unfenced[i], &covered);
    error = error == CW_OK ? one : error;
    if (!covered)
      unfenced[left++] = unfenced[i];
  }
  unfenced_count = 0;
  const cw_error asked = cwi_ask_fences(unfenced, left);
  return error != CW_OK ? error : asked;
}

static cw_error fence_all(void)
{
  cwi_threads_lock();
  const cw_error error = fence_touched();
  cwi_threads_unlock();
  return error;
}

static cw_error send_update(int process, const struct cwi_request *request)
{
  const int node = cwi_world.node_of[process];
  struct cwi_packet *packet = NULL;
  cwi_origin_touch(node);
  CWI_TRY(cwi_outbox_open(node, 0, &packet));
  cwi_packet_append(packet, node, request);
  return cwi_outbox_push(node);
}

/* Bulk puts to the node are executed beside the requests: they must have arrived. */
static cw_error notify(int process, int64_t *remote, int64_t value)
{
  struct cwi_request request = request_at(CWI_WIRE_NOTIFY, process, remote, sizeof *remote);
  request.value = value;
  cwi_threads_lock();
  cw_error error = cwi_bulk_fence(cwi_world.node_of[process]);
  if (error == CW_OK)
    error = send_update(process, &request);
  cwi_threads_unlock();
  return error;
}

const struct cwi_route cwi_route_server = {.name = "server",
                                           .holds = holds,
                                           .start = start,
                                           .rmw = rmw,
                                           .notify = notify,
                                           .fence = fence,
                                           .fence_all = fence_all};

/* --- Mutexes ---------------------------------------------------------------------------------- */

cw_error cwi_server_lock(int process, const struct cwi_ticket_lock *lock)
{
  int64_t value = 0;
  struct cwi_request request = request_at(CWI_WIRE_LOCK, process, lock, sizeof *lock);
  return cwi_ask(cwi_world.node_of[process], &request, true, &value);
}

cw_error cwi_server_trylock(int process, const struct cwi_ticket_lock *lock, bool *acquired)
{
  int64_t value = 0;
  struct cwi_request request = request_at(CWI_WIRE_TRYLOCK, process, lock, sizeof *lock);
  CWI_TRY(cwi_ask(cwi_world.node_of[process], &request, false, &value));
  *acquired = value != 0;
  return CW_OK;
}

cw_error cwi_server_unlock(int process, const struct cwi_ticket_lock *lock)
{
  const struct cwi_request request = request_at(CWI_WIRE_UNLOCK, process, lock, sizeof *lock);
  cwi_threads_lock();
  const cw_error error = send_update(process, &request);
  cwi_threads_unlock();
  return error;
}
