/* Asking the agents of node peers, and serving as one.
 *
 * A transfer goes in batches. What lies in the zone is read and stored there by the owner's agent;
 * the rest, and lists, pass through the buffers of its requests, with the tables of lists behind
 * the data: while it moves one batch, the next one is packed. */
#include "device/ask.h"

#include "base/size.h"
#include "base/waiting.h"
#include "device/device.h"
#include "device/lists.h"
#include "memory/agent.h"
#include "memory/chunk.h"
#include "memory/elsewhere.h"
#include "memory/zone.h"
#include "team/world.h"
#include "transfer/batch.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Bytes of a batch that lies in the zone. */
enum { MOST_IN_ZONE = 8 << 20 };

/* What is asked: to move a shape of one slice, or segments of a list; or to look at them. */
struct question {
  uint32_t operation, type, reduction, scaled, looks;
  union cwi_scalar scale;
  uint64_t begin, end; /* what the whole transfer touches has to lie in one slice; 0: a list */
  uint64_t remote, run, bytes, levels;
  uint64_t counts[CW_MAX_LEVELS];
  int64_t strides[CW_MAX_LEVELS], data_strides[CW_MAX_LEVELS];
  uint64_t data;              /* offset in the zone; IN_BUFFER */
  uint64_t vectors, segments; /* of a list: how many; 0: it is none */
  uint64_t vector, segment;   /* which its first one is, in the whole list */
};
_Static_assert(sizeof(struct question) <= CWI_AGENT_BODY, "it fits");
#define IN_BUFFER UINT64_MAX

/* What stands in the buffer behind the packed data of a list. */
struct tables {
  void **remote; /* [segments], in the owner's addresses */
  struct {
    uint64_t count, bytes;
  } * sizes;        /* [vectors] */
  void **positions; /* [segments]: the owner's: where their data is */
  cw_vector *made;  /* [vectors]: the owner's */
};

static struct tables tables_in(char *buffer, const struct question *question)
{
  struct tables tables;
  _Static_assert(2 * sizeof(void *) <= CWI_BATCH_SEGMENT &&
                     sizeof *tables.sizes + sizeof *tables.made <= CWI_BATCH_VECTOR,
                 "a batch leaves room for them");
  tables.remote = (void **)(void *)(buffer + cwi_round_up(question->bytes, sizeof(void *)));
  tables.positions = tables.remote + question->segments;
  tables.made = (cw_vector *)(void *)(tables.positions + question->segments);
  *(void **)&tables.sizes = tables.made + question->vectors;
  return tables;
}

/* --- Serving ---------------------------------------------------------------------------------- */

/* The list of a question, its data packed in the buffer. */
static struct cwi_shape asked_list(const struct question *asked, char *buffer)
{
  const struct tables tables = tables_in(buffer, asked);
  char *data = buffer;
  size_t segment = 0;
  for (uint64_t v = 0; v < asked->vectors; v++) {
    const size_t count = tables.sizes[v].count, bytes = tables.sizes[v].bytes;
    tables.made[v] = (cw_vector){tables.positions + segment, tables.remote + segment, count, bytes};
    for (size_t i = 0; i < count; i++, data += bytes)
      tables.positions[segment++] = data;
  }
  return (struct cwi_shape){
      .vectors = tables.made, .vector_count = asked->vectors, .bytes = asked->bytes};
}

static struct cwi_shape asked_levels(const struct question *asked, char *buffer)
{
  struct cwi_shape shape = {
      .local = asked->data == IN_BUFFER ? buffer : cwi_address_at(asked->data),
      .remote = (char *)(uintptr_t)asked->remote, /* NOLINT(performance-no-int-to-ptr) */
      .run = asked->run,
      .levels = (int)asked->levels,
      .bytes = asked->bytes};
  for (int level = 0; level < shape.levels; level++) {
    shape.counts[level] = asked->counts[level];
    shape.local_strides[level] = asked->data_strides[level];
    shape.remote_strides[level] = asked->strides[level];
  }
  return shape;
}

static cw_error device_end(struct cwi_agent_later *later)
{
  return cwi_device_await((struct cwi_device_crossing *)(void *)later->room);
}

/* What is under way when the agent begins the next request. */
static cw_error serve_later(const struct cwi_transfer *transfer, struct cwi_agent_later *later)
{
  struct cwi_device_crossing *crossing = (struct cwi_device_crossing *)(void *)later->room;
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

static cw_error device_serve(void *body, char *buffer, struct cwi_agent_later *later)
{
  const struct question *asked = body;
  const struct cwi_device_slice *slice = NULL;
  const char *begin = (const char *)(uintptr_t)asked->begin; /* NOLINT(performance-no-int-to-ptr) */
  if (begin != NULL)
    CWI_TRY(cwi_device_slice_find("remote", begin, asked->end - asked->begin, &slice));
  const struct cwi_transfer transfer = {.operation = (cw_operation)asked->operation,
                                        .type = (cw_type)asked->type,
                                        .reduction = (cw_reduction)asked->reduction,
                                        .scaled = asked->scaled != 0,
                                        .process = cwi_world.process,
                                        .scale = asked->scale,
                                        .shape = asked->segments > 0 ? asked_list(asked, buffer)
                                                                     : asked_levels(asked, buffer)};
  if (asked->segments > 0)
    CWI_TRY(cwi_device_list_check(&transfer.shape, asked->vector, asked->segment));
  return asked->looks != 0 ? CW_OK : serve_later(&transfer, later);
}

cw_error cwi_device_agent_open(void)
{
  return cwi_agent_open(CWI_AGENT_DEVICE, device_serve);
}

/* --- Asking ----------------------------------------------------------------------------------- */

/* A piece under way, and where its data belongs. */
struct asked_piece {
  struct cwi_agent_request request;
  struct cwi_batch batch;
  bool fetches; /* into the buffer, and from there */
};

/* Pieces under way, in the order in which they are answered. All segments of a list that does not
 * go at once are asked about first. */
struct asking {
  struct cwi_mission mission;
  struct cwi_transfer transfer;
  struct cwi_extent extent; /* {0}: of a list */
  struct cwi_batches looks, moves;
  bool looks_first, moves_then;
  struct asked_piece pieces[CWI_AGENT_REQUESTS];
  size_t first, count;
  bool looking; /* those under way only look */
  struct cwi_first_error error;
};

static void unpack_piece(const struct cwi_agent_request *request, void *context)
{
  const struct asked_piece *piece = context;
  cwi_unpack_local(&piece->batch.shape, request->buffer);
}

static void await_first(struct asking *asking)
{
  struct asked_piece *piece = &asking->pieces[asking->first];
  cwi_first_note(&asking->error,
                 cwi_agent_await(&piece->request, piece->fetches ? unpack_piece : NULL, piece));
  asking->first = (asking->first + 1) % CWI_AGENT_REQUESTS;
  asking->count--;
}

/* NULL: no place is free. wait: until one is, if I hold none. */
static struct asked_piece *take_piece(struct asking *asking, bool wait)
{
  struct cwi_agent_request request;
  if (!cwi_agent_take(asking->transfer.process, CWI_AGENT_DEVICE, wait && asking->count == 0,
                      &request))
    return NULL;
  struct asked_piece *piece =
      &asking->pieces[(asking->first + asking->count++) % CWI_AGENT_REQUESTS];
  piece->request = request;
  piece->fetches = false;
  return piece;
}

/* Where the agent finds the local side; IN_BUFFER: nowhere. */
static uint64_t in_zone(const struct cwi_shape *shape)
{
  const struct cwi_extent extent = cwi_shape_local_extent(shape);
  const uintptr_t zone = (uintptr_t)cwi_zone.base;
  const bool lies_there =
      extent.begin - zone < cwi_zone.size && extent.end - 1 - zone < cwi_zone.size;
  return lies_there ? (uintptr_t)shape->local - zone : IN_BUFFER;
}

static struct question question_of(const struct cwi_transfer *transfer)
{
  return (struct question){.operation = transfer->operation,
                           .type = transfer->type,
                           .reduction = transfer->reduction,
                           .scaled = transfer->scaled,
                           .scale = transfer->scale,
                           .data = IN_BUFFER};
}

static void ask_levels(const struct cwi_batch *batch, struct question *question)
{
  const struct cwi_shape *shape = &batch->shape;
  question->data = in_zone(shape);
  const struct cwi_shape there =
      question->data == IN_BUFFER ? cwi_batch_packed(batch, true, NULL, NULL, NULL) : *shape;
  question->remote = (uintptr_t)shape->remote;
  question->run = shape->run;
  question->levels = (uint64_t)shape->levels;
  for (int level = 0; level < shape->levels; level++) {
    question->counts[level] = shape->counts[level];
    question->strides[level] = shape->remote_strides[level];
    question->data_strides[level] = there.local_strides[level];
  }
}

static void ask_list(const struct cwi_batch *batch, struct question *question, char *buffer)
{
  const struct cwi_shape *shape = &batch->shape;
  question->segments = batch->segments;
  question->vectors = shape->vector_count;
  question->vector = batch->vector;
  question->segment = batch->segment;
  const struct tables tables = tables_in(buffer, question);
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

static void ask_batch(const struct asking *asking, struct asked_piece *piece)
{
  const struct cwi_transfer *transfer = &asking->transfer;
  const struct cwi_batch *batch = &piece->batch;
  struct question question = question_of(transfer);
  question.looks = asking->looking;
  question.begin = asking->extent.begin;
  question.end = asking->extent.end;
  question.bytes = asking->looking ? 0 : batch->shape.bytes;
  if (batch->segments > 0)
    ask_list(batch, &question, piece->request.buffer);
  else
    ask_levels(batch, &question);
  *(struct question *)piece->request.body = question;
  const bool packs = question.data == IN_BUFFER && !asking->looking;
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

static bool looks_left(struct asking *asking)
{
  return asking->looks_first && cwi_batches_left(&asking->looks);
}

static bool asks_more(struct asking *asking)
{
  return asking->error.error == CW_OK &&
         (looks_left(asking) || (asking->moves_then && cwi_batches_left(&asking->moves)));
}

/* The next request. False: one that is under way has to be answered first. */
static bool ask_next(struct asking *asking, bool wait)
{
  const bool looks = looks_left(asking);
  if (asking->count > 0 && asking->looking && !looks)
    return false;
  struct asked_piece *piece = take_piece(asking, wait);
  if (piece == NULL)
    return false;
  asking->looking = looks;
  cwi_batches_next(looks ? &asking->looks : &asking->moves, &piece->batch);
  ask_batch(asking, piece);
  return true;
}

/* True: all is answered. wait: until it is. */
static bool ask_on(struct asking *asking, bool wait)
{
  while (true) {
    const bool more = asks_more(asking);
    if (more && ask_next(asking, wait))
      continue;
    if (asking->count == 0)
      return !more;
    if (!wait && !cwi_agent_has_answered(&asking->pieces[asking->first].request))
      return false;
    await_first(asking);
  }
}

/* It stays where it is: it points to itself. What one request moves, the agent looks at first. */
static void asking_begin(struct asking *asking, const struct cwi_transfer *transfer, bool moves)
{
  const struct cwi_shape *shape = &asking->transfer.shape;
  asking->transfer = *transfer;
  asking->extent = shape->vectors == NULL ? cwi_shape_remote_extent(shape) : (struct cwi_extent){0};
  const size_t most = most_of(shape);
  asking->looks_first = !moves || (shape->vectors != NULL && !cwi_batch_takes_all(shape, most));
  asking->moves_then = moves;
  if (asking->looks_first) {
    cwi_batches_begin(&asking->looks, shape, CWI_AGENT_BUFFER, 1);
    asking->looks.bare = true;
  }
  if (moves)
    cwi_batches_begin(&asking->moves, shape, most,
                      transfer->operation == CW_ACCUMULATE ? cwi_type_bytes[transfer->type] : 1);
  asking->first = asking->count = 0;
  asking->looking = false;
  cwi_first_begin(&asking->error, CW_OK);
}

static void owner_awaited(const void *transfer, char *text, size_t size)
{
  snprintf(text, size, "the device of process %d",
           ((const struct cwi_transfer *)transfer)->process);
}

/* Bytes that are asked about and not moved: a look at one of them, for an extent of all. */
static void asking_begin_look(struct asking *asking, int process, const void *address, size_t bytes)
{
  char *first = (char *)(uintptr_t)address;
  asking_begin(
      asking,
      &(struct cwi_transfer){.process = process, .shape = {.remote = first, .run = 1, .bytes = 1}},
      false);
  asking->extent.end = asking->extent.begin + bytes;
}

/* What has begun. */
static cw_error ask_to_the_end(struct asking *asking)
{
  const struct cwi_waiting outer = cwi_waiting_begin(cwi_transfer_call(asking->transfer.operation),
                                                     owner_awaited, &asking->transfer);
  ask_on(asking, true);
  cwi_waiting_end(&outer);
  return cwi_first_return(&asking->error);
}

cw_error cwi_device_ask(const struct cwi_transfer *transfer)
{
  struct asking asking;
  CWI_TRY(has_agent(transfer->process));
  asking_begin(&asking, transfer, true);
  return ask_to_the_end(&asking);
}

cw_error cwi_device_ask_list(int process, const struct cwi_shape *shape)
{
  struct asking asking;
  CWI_TRY(has_agent(process));
  asking_begin(&asking, &(struct cwi_transfer){.process = process, .shape = *shape}, false);
  return ask_to_the_end(&asking);
}

cw_error cwi_device_ask_holds(int process, const void *address, size_t bytes)
{
  struct asking asking;
  CWI_TRY(has_agent(process));
  asking_begin_look(&asking, process, address, bytes);
  return ask_to_the_end(&asking);
}

/* --- Asking without waiting ------------------------------------------------------------------- */

static bool asking_advance(struct cwi_mission *mission)
{
  return ask_on((struct asking *)(void *)mission, false);
}

static cw_error asking_end(struct cwi_mission *mission)
{
  struct asking *asking = (struct asking *)(void *)mission;
  const cw_error error = cwi_first_return(&asking->error);
  free(asking);
  return error;
}

static const struct cwi_mission asking_mission = {asking_advance, asking_end};

/* An asking that is to be a mission. */
static cw_error mission_make(int process, struct asking **asking)
{
  CWI_TRY(has_agent(process));
  *asking = malloc(sizeof **asking);
  if (*asking == NULL)
    return cwi_outside("no memory to ask for the device of process %d", process);
  (*asking)->mission = asking_mission;
  return CW_OK;
}

cw_error cwi_device_ask_later(const struct cwi_transfer *transfer, struct cwi_mission **mission)
{
  struct asking *asking = NULL;
  CWI_TRY(mission_make(transfer->process, &asking));
  asking_begin(asking, transfer, true);
  *mission = &asking->mission;
  return CW_OK;
}

cw_error cwi_device_ask_holds_later(int process, const void *address, size_t bytes,
                                    struct cwi_mission **mission)
{
  struct asking *asking = NULL;
  CWI_TRY(mission_make(process, &asking));
  asking_begin_look(asking, process, address, bytes);
  *mission = &asking->mission;
  return CW_OK;
}
