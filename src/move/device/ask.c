/* Asking the agents of node peers, and serving as one.
 *
 * A transfer goes in pieces. What lies in the zone is read and stored there by the owner's agent;
 * the rest passes through the buffers of its requests: while it moves one piece, the next one is
 * packed. */
#include "device/ask.h"

#include "base/waiting.h"
#include "device/device.h"
#include "memory/agent.h"
#include "memory/chunk.h"
#include "memory/elsewhere.h"
#include "memory/zone.h"
#include "team/world.h"
#include "transfer/fragment.h"

#include <stdio.h>
#include <string.h>

/* Bytes of a piece that lies in the zone. */
enum { MOST_IN_ZONE = 8 << 20 };

/* What is asked: rows of one slice; or to look at segments of a list. */
struct question {
  uint32_t operation, type, reduction, scaled;
  union cwi_scalar scale;
  uint64_t begin, end; /* what the whole transfer touches has to lie in one slice; 0: a list */
  uint64_t remote, run, rows; /* no rows: only that look */
  int64_t stride;
  uint64_t data; /* offset in the zone; IN_BUFFER */
  int64_t data_stride;
  uint64_t vector, segment, looks; /* no rows: so many segments of a vector, from that one on, of
                                      `run` bytes; their addresses stand behind the question */
};
_Static_assert(sizeof(struct question) <= CWI_AGENT_BODY, "it fits");
#define IN_BUFFER UINT64_MAX
enum { MOST_LOOKS = (CWI_AGENT_BODY - sizeof(struct question)) / sizeof(uint64_t) };

/* --- Serving ---------------------------------------------------------------------------------- */

static cw_error look_at_segments(const struct question *asked)
{
  const uint64_t *addresses = (const uint64_t *)(const void *)(asked + 1);
  const struct cwi_device_slice *slice = NULL;
  for (uint64_t i = 0; i < asked->looks; i++) {
    const char *address = (const char *)(uintptr_t)addresses[i]; /* NOLINT */
    const cw_error error = cwi_device_slice_find("remote", address, asked->run, &slice);
    if (error != CW_OK)
      return cwi_remark(error, "segment %llu of vector %llu",
                        (unsigned long long)(asked->segment + i),
                        (unsigned long long)asked->vector);
  }
  return CW_OK;
}

static cw_error device_end(struct cwi_agent_later *later)
{
  struct cwi_device_crossing crossing = {.device = later->words[0], .mark = later->words[1]};
  return cwi_device_await(&crossing);
}

/* What is under way when the agent begins the next request. */
static cw_error serve_later(const struct cwi_transfer *transfer, struct cwi_agent_later *later)
{
  struct cwi_device_crossing crossing = {0};
  struct cwi_first_error first;
  cwi_first_begin(&first, cwi_device_start(transfer, &crossing));
  if (first.error != CW_OK) {
    cwi_first_note(&first, cwi_device_await(&crossing));
    return cwi_first_return(&first);
  }
  if (crossing.device != NULL)
    *later = (struct cwi_agent_later){device_end, {crossing.device, crossing.mark}};
  return CW_OK;
}

static cw_error device_serve(void *body, char *buffer, struct cwi_agent_later *later)
{
  const struct question *asked = body;
  const struct cwi_device_slice *slice = NULL;
  const char *begin = (const char *)(uintptr_t)asked->begin; /* NOLINT(performance-no-int-to-ptr) */
  if (begin != NULL)
    CWI_TRY(cwi_device_slice_find("remote", begin, asked->end - asked->begin, &slice));
  if (asked->rows == 0)
    return look_at_segments(asked);
  struct cwi_transfer transfer = {.operation = (cw_operation)asked->operation,
                                  .type = (cw_type)asked->type,
                                  .reduction = (cw_reduction)asked->reduction,
                                  .scaled = asked->scaled != 0,
                                  .process = cwi_world.process,
                                  .scale = asked->scale};
  const struct cwi_plane plane = {
      .local = asked->data == IN_BUFFER ? buffer : cwi_address_at(asked->data),
      .remote = (char *)(uintptr_t)asked->remote, /* NOLINT(performance-no-int-to-ptr) */
      .run = asked->run,
      .rows = asked->rows,
      .local_stride = asked->data_stride,
      .remote_stride = asked->stride};
  transfer.shape = cwi_shape_of_plane(&plane);
  return serve_later(&transfer, later);
}

cw_error cwi_device_agent_open(void)
{
  return cwi_agent_open(CWI_AGENT_DEVICE, device_serve);
}

/* --- Asking ----------------------------------------------------------------------------------- */

/* A piece under way, and where its data belongs. */
struct asked_piece {
  struct cwi_agent_request request;
  struct cwi_plane plane;
  bool fetches; /* into the buffer, and from there */
};

/* Pieces under way, in the order in which they are answered. */
struct asking {
  const struct cwi_transfer *transfer;
  struct cwi_extent extent; /* {0}: of a list */
  struct asked_piece pieces[CWI_AGENT_REQUESTS];
  size_t first, count;
  struct cwi_first_error *error;
};

static void unpack_piece(const struct cwi_agent_request *request, void *context)
{
  const struct asked_piece *piece = context;
  const struct cwi_shape shape = cwi_shape_of_plane(&piece->plane);
  cwi_unpack_local(&shape, request->buffer);
}

static void await_first(struct asking *asking)
{
  struct asked_piece *piece = &asking->pieces[asking->first];
  cwi_first_note(asking->error,
                 cwi_agent_await(&piece->request, piece->fetches ? unpack_piece : NULL, piece));
  asking->first = (asking->first + 1) % CWI_AGENT_REQUESTS;
  asking->count--;
}

static struct asked_piece *take_piece(struct asking *asking)
{
  struct cwi_agent_request request;
  while (!cwi_agent_take(asking->transfer->process, CWI_AGENT_DEVICE, asking->count == 0, &request))
    await_first(asking);
  struct asked_piece *piece =
      &asking->pieces[(asking->first + asking->count++) % CWI_AGENT_REQUESTS];
  piece->request = request;
  return piece;
}

/* Where the agent finds rows of mine; IN_BUFFER: nowhere. */
static uint64_t in_zone(const struct cwi_plane *plane)
{
  const struct cwi_extent extent = cwi_rows_extent(plane->local, plane->local_stride, plane);
  const uintptr_t zone = (uintptr_t)cwi_zone.base;
  const bool lies_there =
      extent.begin - zone < cwi_zone.size && extent.end - 1 - zone < cwi_zone.size;
  return lies_there ? (uintptr_t)plane->local - zone : IN_BUFFER;
}

static void ask_plane(struct asking *asking, const struct cwi_plane *plane)
{
  const struct cwi_transfer *transfer = asking->transfer;
  struct asked_piece *piece = take_piece(asking);
  struct question *question = piece->request.body;
  const uint64_t data = in_zone(plane);
  *question = (struct question){.operation = transfer->operation,
                                .type = transfer->type,
                                .reduction = transfer->reduction,
                                .scaled = transfer->scaled,
                                .scale = transfer->scale,
                                .begin = asking->extent.begin,
                                .end = asking->extent.end,
                                .remote = (uintptr_t)plane->remote,
                                .run = plane->run,
                                .rows = plane->rows,
                                .stride = plane->remote_stride,
                                .data = data,
                                .data_stride = plane->local_stride};
  piece->plane = *plane;
  piece->fetches = data == IN_BUFFER && transfer->operation == CW_GET;
  if (data == IN_BUFFER) {
    const struct cwi_shape shape = cwi_shape_of_plane(plane);
    question->data_stride = (int64_t)plane->run;
    if (transfer->operation != CW_GET)
      cwi_pack_local(&shape, piece->request.buffer);
  }
  cwi_agent_send(&piece->request);
}

static size_t most_of(const struct cwi_shape *shape)
{
  const struct cwi_plane plane = {.local = shape->local,
                                  .run = shape->run,
                                  .rows = shape->levels > 0 ? shape->counts[0] : 1,
                                  .local_stride = shape->levels > 0 ? shape->local_strides[0] : 0};
  const bool lies_there = shape->vectors == NULL && shape->levels <= 1;
  return lies_there && in_zone(&plane) != IN_BUFFER ? MOST_IN_ZONE : CWI_AGENT_BUFFER;
}

static cw_error has_agent(int process)
{
  return cwi_agent_is_open(process, CWI_AGENT_DEVICE)
             ? CW_OK
             : cwi_misuse("process %d has no device slices", process);
}

/* Segments of a list are asked about before the first of them is moved. */
static cw_error ask_about(int process, const cw_vector *vector, struct question *question)
{
  struct cwi_agent_request request;
  const size_t left = vector->count - question->segment;
  question->run = vector->bytes;
  question->looks = left < MOST_LOOKS ? left : MOST_LOOKS;
  cwi_agent_take(process, CWI_AGENT_DEVICE, true, &request);
  *(struct question *)request.body = *question;
  memcpy((struct question *)request.body + 1, vector->remote + question->segment,
         question->looks * sizeof(uint64_t));
  cwi_agent_send(&request);
  return cwi_agent_await(&request, NULL, NULL);
}

static cw_error ask_about_list(int process, const struct cwi_shape *shape)
{
  for (size_t v = 0; v < shape->vector_count; v++) {
    struct question question = {.vector = v};
    const cw_vector *vector = &shape->vectors[v];
    for (; vector->bytes > 0 && question.segment < vector->count;
         question.segment += question.looks)
      CWI_TRY(ask_about(process, vector, &question));
  }
  return CW_OK;
}

static cw_error ask_pieces(const struct cwi_transfer *transfer)
{
  const size_t atom = transfer->operation == CW_ACCUMULATE ? cwi_type_bytes[transfer->type] : 1;
  const size_t most = most_of(&transfer->shape);
  struct cwi_first_error error;
  struct asking asking = {.transfer = transfer, .error = &error};
  struct cwi_fragments fragments = cwi_fragments(&transfer->shape, atom);
  struct cwi_plane plane;
  if (transfer->shape.vectors == NULL)
    asking.extent = cwi_shape_remote_extent(&transfer->shape);
  else
    CWI_TRY(ask_about_list(transfer->process, &transfer->shape));
  cwi_first_begin(&error, CW_OK);
  while (error.error == CW_OK && cwi_fragments_left(&fragments)) {
    cwi_fragments_next(&fragments, most, &plane);
    ask_plane(&asking, &plane);
  }
  while (asking.count > 0)
    await_first(&asking);
  return cwi_first_return(&error);
}

static void owner_awaited(const void *transfer, char *text, size_t size)
{
  snprintf(text, size, "the device of process %d",
           ((const struct cwi_transfer *)transfer)->process);
}

cw_error cwi_device_ask(const struct cwi_transfer *transfer)
{
  static const char *const calls[] = {"cw_put", "cw_get", "cw_accumulate"};
  CWI_TRY(has_agent(transfer->process));
  const struct cwi_waiting outer =
      cwi_waiting_begin(calls[transfer->operation], owner_awaited, transfer);
  const cw_error error = ask_pieces(transfer);
  cwi_waiting_end(&outer);
  return error;
}

cw_error cwi_device_ask_holds(int process, const void *address, size_t bytes)
{
  struct cwi_agent_request request;
  CWI_TRY(has_agent(process));
  cwi_agent_take(process, CWI_AGENT_DEVICE, true, &request);
  *(struct question *)request.body =
      (struct question){.begin = (uintptr_t)address, .end = (uintptr_t)address + bytes};
  cwi_agent_send(&request);
  return cwi_agent_await(&request, NULL, NULL);
}
