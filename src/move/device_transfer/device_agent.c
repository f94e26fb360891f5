/* Requests to the agents of node peers, and their execution in this process's agent.
 *
 * A transfer is split into batches. If the local data is in the zone, the owner's agent reads or
 * writes it there. Other data, and all lists, pass through the buffers of the agent's requests; the
 * tables of a list follow its data. While the agent moves one batch, this process packs the next
 * one. */
#include "device_transfer/device_agent.h"

#include "base/size.h"
#include "device/device.h"
#include "device_transfer/segment_list.h"
#include "memory/device_address.h"
#include "memory/zone.h"
#include "region/agent.h"
#include "region/chunk.h"
#include "team/world.h"
#include "transfer/shape_batch.h"
#include "wait/wait_report.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Most bytes of a batch whose local data lies in the zone. Other batches, and lists, have at most
 * CWI_AGENT_BUFFER. */
enum { MOST_IN_ZONE = 8 << 20 };

/* A request. It moves a shape in one slice or the segments of a list, or only checks their
 * addresses. */
struct request_body {
  uint32_t operation, type, reduction, scaled, checks;
  union cwi_scalar scale;
  uint64_t begin,
      end; /* address range of the whole transfer, which must be in one slice; 0 for a list */
  uint64_t remote, run, bytes, levels;
  uint64_t counts[CW_MAX_LEVELS];
  int64_t strides[CW_MAX_LEVELS], data_strides[CW_MAX_LEVELS];
  uint64_t data;              /* offset in the zone, or IN_BUFFER */
  uint64_t vectors, segments; /* lengths of the list; 0 if the shape is not a list */
  uint64_t vector, segment;   /* position of the first segment in the whole list */
};
_Static_assert(sizeof(struct request_body) <= CWI_AGENT_BODY, "it fits");
#define IN_BUFFER UINT64_MAX

/* Tables in a request's buffer. They follow the packed data of a list. */
struct tables {
  void **remote; /* [segments] owner's addresses */
  struct {
    uint64_t count, bytes;
  } * sizes;        /* [vectors] */
  void **positions; /* [segments] addresses of the segments' data, filled in by the owner */
  cw_vector *made;  /* [vectors] filled in by the owner */
};

static struct tables tables_in(char *buffer, const struct request_body *request_body)
{
  struct tables tables;
  _Static_assert(2 * sizeof(void *) <= CWI_BATCH_SEGMENT &&
                     sizeof *tables.sizes + sizeof *tables.made <= CWI_BATCH_VECTOR,
                 "a batch leaves storage for them");
  tables.remote = (void **)(void *)(buffer + cwi_round_up(request_body->bytes, sizeof(void *)));
  tables.positions = tables.remote + request_body->segments;
  tables.made = (cw_vector *)(void *)(tables.positions + request_body->segments);
  *(void **)&tables.sizes = tables.made + request_body->vectors;
  return tables;
}

/* --- Executing requests ----------------------------------------------------------------------- */

/* Returns the shape of a request for a list. Its data is packed in the buffer. */
static struct cwi_shape requested_list(const struct request_body *requested, char *buffer)
{
  const struct tables tables = tables_in(buffer, requested);
  char *data = buffer;
  size_t segment = 0;
  for (uint64_t v = 0; v < requested->vectors; v++) {
    const size_t count = tables.sizes[v].count, bytes = tables.sizes[v].bytes;
    tables.made[v] = (cw_vector){tables.positions + segment, tables.remote + segment, count, bytes};
    for (size_t i = 0; i < count; i++, data += bytes)
      tables.positions[segment++] = data;
  }
  return (struct cwi_shape){
      .vectors = tables.made, .vector_count = requested->vectors, .bytes = requested->bytes};
}

static struct cwi_shape requested_levels(const struct request_body *requested, char *buffer)
{
  struct cwi_shape shape = {
      .local = requested->data == IN_BUFFER ? buffer : cwi_address_at(requested->data),
      .remote = (char *)(uintptr_t)requested->remote, /* NOLINT(performance-no-int-to-ptr) */
      .run = requested->run,
      .levels = (int)requested->levels,
      .bytes = requested->bytes};
  for (int level = 0; level < shape.levels; level++) {
    shape.counts[level] = requested->counts[level];
    shape.local_strides[level] = requested->data_strides[level];
    shape.remote_strides[level] = requested->strides[level];
  }
  return shape;
}

static cw_error device_end(struct cwi_agent_later *later)
{
  return cwi_device_await((struct cwi_device_crossing *)(void *)later->storage);
}

/* Starts a transfer. It may still be in progress when the agent begins the next request. If so,
 * sets later->end to a function that waits for the transfer. */
static cw_error serve_later(const struct cwi_transfer *transfer, struct cwi_agent_later *later)
{
  struct cwi_device_crossing *crossing = (struct cwi_device_crossing *)(void *)later->storage;
  struct cwi_first_error first;
  _Static_assert(sizeof *crossing <= CWI_AGENT_LATER, "it fits");
  *crossing = (struct cwi_device_crossing){.device = NULL};
  cwi_first_begin(&first, cwi_device_start(transfer, crossing));
  if (first.error != CW_OK) {
    cwi_first_note(&first, cwi_device_await(crossing));
    return cwi_first_return(&first);
  }
  if (crossing->device != NULL)
    later->end = device_end;
  return CW_OK;
}

/* Executes a request in the owner's agent. */
static cw_error device_serve(void *body, char *buffer, struct cwi_agent_later *later)
{
  const struct request_body *requested = body;
  const struct cwi_device_slice *slice = NULL;
  const char *begin =
      (const char *)(uintptr_t)requested->begin; /* NOLINT(performance-no-int-to-ptr) */
  if (begin != NULL)
    CWI_TRY(cwi_device_slice_find("remote", begin, requested->end - requested->begin, &slice));
  const struct cwi_transfer transfer = {.operation = (cw_operation)requested->operation,
                                        .type = (cw_type)requested->type,
                                        .reduction = (cw_reduction)requested->reduction,
                                        .scaled = requested->scaled != 0,
                                        .process = cwi_world.process,
                                        .scale = requested->scale,
                                        .shape = requested->segments > 0
                                                     ? requested_list(requested, buffer)
                                                     : requested_levels(requested, buffer)};
  if (requested->segments > 0)
    CWI_TRY(cwi_device_list_check(&transfer.shape, requested->vector, requested->segment));
  return requested->checks != 0 ? CW_OK : serve_later(&transfer, later);
}

cw_error cwi_device_agent_open(void)
{
  return cwi_agent_open(CWI_AGENT_DEVICE, device_serve);
}

/* --- Sending requests ------------------------------------------------------------------------- */

/* A batch in progress, with its request. */
struct agent_piece {
  struct cwi_agent_request request;
  struct cwi_batch batch;
  bool fetches; /* true if data has to be unpacked from the buffer after the answer */
};

/* A transfer. Its pieces are in the order in which they are answered. If a list needs several
 * requests, all its segments are checked before the first one is moved. */
struct agent_transfer {
  struct cwi_agent_operation agent_operation;
  struct cwi_transfer transfer;
  struct cwi_extent extent; /* {0} for a list */
  struct cwi_batches checks, moves;
  bool checks_first, moves_then;
  struct agent_piece pieces[CWI_AGENT_REQUESTS];
  size_t first, count;
  bool checking; /* the pieces in progress only check addresses */
  struct cwi_first_error error;
};

static void unpack_piece(const struct cwi_agent_request *request, void *context)
{
  const struct agent_piece *piece = context;
  cwi_unpack_local(&piece->batch.shape, request->buffer);
}

static void await_first(struct agent_transfer *agent_transfer)
{
  struct agent_piece *piece = &agent_transfer->pieces[agent_transfer->first];
  cwi_first_note(&agent_transfer->error,
                 cwi_agent_await(&piece->request, piece->fetches ? unpack_piece : NULL, piece));
  agent_transfer->first = (agent_transfer->first + 1) % CWI_AGENT_REQUESTS;
  agent_transfer->count--;
}

/* Returns a free piece, or NULL if there is none. If `wait` is true and this transfer has no
 * request in progress, waits until the agent has a free request. */
static struct agent_piece *take_piece(struct agent_transfer *agent_transfer, bool wait)
{
  struct cwi_agent_request request;
  if (!cwi_agent_take(agent_transfer->transfer.process, CWI_AGENT_DEVICE,
                      wait && agent_transfer->count == 0, &request))
    return NULL;
  struct agent_piece *piece =
      &agent_transfer
           ->pieces[(agent_transfer->first + agent_transfer->count++) % CWI_AGENT_REQUESTS];
  piece->request = request;
  piece->fetches = false;
  return piece;
}

/* Returns the offset of the local side in the zone, or IN_BUFFER if it is not in the zone. */
static uint64_t in_zone(const struct cwi_shape *shape)
{
  const struct cwi_extent extent = cwi_shape_local_extent(shape);
  const uintptr_t zone = (uintptr_t)cwi_zone.base;
  const bool lies_there =
      extent.begin - zone < cwi_zone.size && extent.end - 1 - zone < cwi_zone.size;
  return lies_there ? (uintptr_t)shape->local - zone : IN_BUFFER;
}

static struct request_body agent_request_of(const struct cwi_transfer *transfer)
{
  return (struct request_body){.operation = transfer->operation,
                               .type = transfer->type,
                               .reduction = transfer->reduction,
                               .scaled = transfer->scaled,
                               .scale = transfer->scale,
                               .data = IN_BUFFER};
}

static void request_levels(const struct cwi_batch *batch, struct request_body *request_body)
{
  const struct cwi_shape *shape = &batch->shape;
  request_body->data = in_zone(shape);
  const struct cwi_shape there =
      request_body->data == IN_BUFFER ? cwi_batch_packed(batch, true, NULL, NULL, NULL) : *shape;
  request_body->remote = (uintptr_t)shape->remote;
  request_body->run = shape->run;
  request_body->levels = (uint64_t)shape->levels;
  for (int level = 0; level < shape->levels; level++) {
    request_body->counts[level] = shape->counts[level];
    request_body->strides[level] = shape->remote_strides[level];
    request_body->data_strides[level] = there.local_strides[level];
  }
}

static void request_list(const struct cwi_batch *batch, struct request_body *request_body,
                         char *buffer)
{
  const struct cwi_shape *shape = &batch->shape;
  request_body->segments = batch->segments;
  request_body->vectors = shape->vector_count;
  request_body->vector = batch->vector;
  request_body->segment = batch->segment;
  const struct tables tables = tables_in(buffer, request_body);
  void **remote = tables.remote;
  for (size_t v = 0; v < shape->vector_count; v++) {
    const cw_vector *vector = &shape->vectors[v];
    const size_t count = vector->bytes > 0 ? vector->count : 0;
    tables.sizes[v].count = count;
    tables.sizes[v].bytes = vector->bytes;
    if (count > 0)
      memcpy(remote, vector->remote, count * sizeof *remote);
    remote += count;
  }
}

/* Fills in the request for a batch, packs its data unless the data is in the zone, and sends the
 * request. */
static void request_batch(const struct agent_transfer *agent_transfer, struct agent_piece *piece)
{
  const struct cwi_transfer *transfer = &agent_transfer->transfer;
  const struct cwi_batch *batch = &piece->batch;
  struct request_body request_body = agent_request_of(transfer);
  request_body.checks = agent_transfer->checking;
  request_body.begin = agent_transfer->extent.begin;
  request_body.end = agent_transfer->extent.end;
  request_body.bytes = agent_transfer->checking ? 0 : batch->shape.bytes;
  if (batch->segments > 0)
    request_list(batch, &request_body, piece->request.buffer);
  else
    request_levels(batch, &request_body);
  *(struct request_body *)piece->request.body = request_body;
  const bool packs = request_body.data == IN_BUFFER && !agent_transfer->checking;
  piece->fetches = packs && transfer->operation == CW_GET;
  if (packs && transfer->operation != CW_GET)
    cwi_pack_local(&batch->shape, piece->request.buffer);
  cwi_agent_send(&piece->request);
}

static size_t most_of(const struct cwi_shape *shape)
{
  return shape->vectors == NULL && in_zone(shape) != IN_BUFFER ? MOST_IN_ZONE : CWI_AGENT_BUFFER;
}

static cw_error has_agent(int process)
{
  return cwi_agent_is_open(process, CWI_AGENT_DEVICE)
             ? CW_OK
             : cwi_misuse("process %d has no device slices", process);
}

static bool checks_left(struct agent_transfer *agent_transfer)
{
  return agent_transfer->checks_first && cwi_batches_left(&agent_transfer->checks);
}

static bool has_more_requests(struct agent_transfer *agent_transfer)
{
  return agent_transfer->error.error == CW_OK &&
         (checks_left(agent_transfer) ||
          (agent_transfer->moves_then && cwi_batches_left(&agent_transfer->moves)));
}

/* Sends the next request. Returns false if it must first receive an answer. */
static bool request_next(struct agent_transfer *agent_transfer, bool wait)
{
  const bool checks = checks_left(agent_transfer);
  if (agent_transfer->count > 0 && agent_transfer->checking && !checks)
    return false;
  struct agent_piece *piece = take_piece(agent_transfer, wait);
  if (piece == NULL)
    return false;
  agent_transfer->checking = checks;
  cwi_batches_next(checks ? &agent_transfer->checks : &agent_transfer->moves, &piece->batch);
  request_batch(agent_transfer, piece);
  return true;
}

/* Sends requests and receives answers. Returns true when all requests have been answered. If `wait`
 * is false, returns false as soon as it would have to wait. */
static bool request_continue(struct agent_transfer *agent_transfer, bool wait)
{
  while (true) {
    const bool more = has_more_requests(agent_transfer);
    if (more && request_next(agent_transfer, wait))
      continue;
    if (agent_transfer->count == 0)
      return !more;
    if (!wait && !cwi_agent_has_answered(&agent_transfer->pieces[agent_transfer->first].request))
      return false;
    await_first(agent_transfer);
  }
}

/* Initializes a transfer. The struct must not be copied afterwards, because it points to itself. No
 * separate checks are needed if one request moves the whole list, because the agent checks each
 * request. */
static void agent_transfer_begin(struct agent_transfer *agent_transfer,
                                 const struct cwi_transfer *transfer, bool moves)
{
  const struct cwi_shape *shape = &agent_transfer->transfer.shape;
  agent_transfer->transfer = *transfer;
  agent_transfer->extent =
      shape->vectors == NULL ? cwi_shape_remote_extent(shape) : (struct cwi_extent){0};
  const size_t most = most_of(shape);
  agent_transfer->checks_first =
      !moves || (shape->vectors != NULL && !cwi_batch_takes_all(shape, most));
  agent_transfer->moves_then = moves;
  if (agent_transfer->checks_first) {
    cwi_batches_begin(&agent_transfer->checks, shape, CWI_AGENT_BUFFER, 1);
    agent_transfer->checks.bare = true;
  }
  if (moves)
    cwi_batches_begin(&agent_transfer->moves, shape, most,
                      transfer->operation == CW_ACCUMULATE ? cwi_type_bytes[transfer->type] : 1);
  agent_transfer->first = agent_transfer->count = 0;
  agent_transfer->checking = false;
  cwi_first_begin(&agent_transfer->error, CW_OK);
}

static void owner_awaited(const void *transfer, char *text, size_t size)
{
  snprintf(text, size, "the device of process %d",
           ((const struct cwi_transfer *)transfer)->process);
}

/* Prepares a check of `bytes` bytes, which moves no data. The request is for one byte, but its
 * extent covers all bytes. */
static void agent_check_begin(struct agent_transfer *agent_transfer, int process,
                              const void *address, size_t bytes)
{
  char *first = (char *)(uintptr_t)address;
  agent_transfer_begin(
      agent_transfer,
      &(struct cwi_transfer){.process = process, .shape = {.remote = first, .run = 1, .bytes = 1}},
      false);
  agent_transfer->extent.end = agent_transfer->extent.begin + bytes;
}

/* Completes a transfer that has been initialized. */
static cw_error request_and_wait(struct agent_transfer *agent_transfer)
{
  const struct cwi_waiting outer =
      cwi_waiting_begin(cwi_transfer_call(agent_transfer->transfer.operation), owner_awaited,
                        &agent_transfer->transfer);
  request_continue(agent_transfer, true);
  cwi_waiting_end(&outer);
  return cwi_first_return(&agent_transfer->error);
}

cw_error cwi_device_agent_transfer(const struct cwi_transfer *transfer)
{
  struct agent_transfer agent_transfer;
  CWI_TRY(has_agent(transfer->process));
  agent_transfer_begin(&agent_transfer, transfer, true);
  return request_and_wait(&agent_transfer);
}

cw_error cwi_device_agent_check_list(int process, const struct cwi_shape *shape)
{
  struct agent_transfer agent_transfer;
  CWI_TRY(has_agent(process));
  agent_transfer_begin(&agent_transfer, &(struct cwi_transfer){.process = process, .shape = *shape},
                       false);
  return request_and_wait(&agent_transfer);
}

cw_error cwi_device_agent_check(int process, const void *address, size_t bytes)
{
  struct agent_transfer agent_transfer;
  CWI_TRY(has_agent(process));
  agent_check_begin(&agent_transfer, process, address, bytes);
  return request_and_wait(&agent_transfer);
}

/* --- Requests without waiting ----------------------------------------------------------------- */

static bool agent_transfer_advance(struct cwi_agent_operation *agent_operation)
{
  return request_continue((struct agent_transfer *)(void *)agent_operation, false);
}

static cw_error agent_transfer_end(struct cwi_agent_operation *agent_operation)
{
  struct agent_transfer *agent_transfer = (struct agent_transfer *)(void *)agent_operation;
  const cw_error error = cwi_first_return(&agent_transfer->error);
  free(agent_transfer);
  return error;
}

static const struct cwi_agent_operation agent_transfer_operation = {agent_transfer_advance,
                                                                    agent_transfer_end};

/* Allocates a transfer that can be returned as a cwi_agent_operation. */
static cw_error agent_operation_make(int process, struct agent_transfer **agent_transfer)
{
  CWI_TRY(has_agent(process));
  *agent_transfer = malloc(sizeof **agent_transfer);
  if (*agent_transfer == NULL)
    return cwi_outside("no memory for a request to the device of process %d", process);
  (*agent_transfer)->agent_operation = agent_transfer_operation;
  return CW_OK;
}

cw_error cwi_device_agent_transfer_start(const struct cwi_transfer *transfer,
                                         struct cwi_agent_operation **agent_operation)
{
  struct agent_transfer *agent_transfer = NULL;
  CWI_TRY(agent_operation_make(transfer->process, &agent_transfer));
  agent_transfer_begin(agent_transfer, transfer, true);
  *agent_operation = &agent_transfer->agent_operation;
  return CW_OK;
}

cw_error cwi_device_agent_check_start(int process, const void *address, size_t bytes,
                                      struct cwi_agent_operation **agent_operation)
{
  struct agent_transfer *agent_transfer = NULL;
  CWI_TRY(agent_operation_make(process, &agent_transfer));
  agent_check_begin(agent_transfer, process, address, bytes);
  *agent_operation = &agent_transfer->agent_operation;
  return CW_OK;
}
