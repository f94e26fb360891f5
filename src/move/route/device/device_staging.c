/* Transfers whose local side lies on a device of this process. Pieces of it pass through host
 * memory on their way from or to the remote side. Each piece makes two steps: one between the
 * device and host memory, one between host memory and the remote side. While some pieces are in
 * their first step, others are in their second. */
#include "base/operation_counts.h"
#include "base/size.h"
#include "device/imported_slices.h"
#include "memory/staging.h"
#include "route/device/device_route.h"
#include "team/world.h"
#include "transfer/shape_batch.h"

#include <stdlib.h>
#include <string.h>

/* Long transfers use longer pieces, because several threads wait for each piece. */
enum {
  BUFFERS = 4,
  CHUNK = 1 << 19,
  LONG_CHUNK = 1 << 21,
  CHUNKS = 16,
  TRANSPOSED_CHUNK = 1 << 23
};

/* A batch that passes through a buffer in host memory. */
struct stage_piece {
  char *buffer;
  struct cwi_device_crossing crossing; /* step between the device and the buffer */
  cw_handle handle;                    /* step between the buffer and the remote side */
  struct cwi_batch batch;              /* the local and remote bytes of the piece */
};

struct staged_transfer {
  const cw_transfer *given;
  cw_error (*start)(const cw_transfer *transfer, bool blocking, cw_handle *handle);
  const struct cwi_transfer *transfer;
  struct stage_piece pieces[BUFFERS];
  size_t buffers; /* number of pieces in use */
  size_t chunk;   /* bytes of a piece */
  cw_device lent; /* device whose stage holds the buffers; NULL if they are in other memory */
};
_Static_assert(BUFFERS *LONG_CHUNK <= CWI_DEVICE_STAGE, "all buffers fit");

/* Returns the shape of a move between the packed data in the buffer and one side of the batch, the
 * remote one if `remote`. For a list, tables follow the data in the buffer: the positions, and
 * vectors for each side. */
static struct cwi_shape way_of(const struct stage_piece *piece, bool remote)
{
  const struct cwi_batch *batch = &piece->batch;
  void **positions =
      (void **)(void *)(piece->buffer + cwi_round_up(batch->shape.bytes, sizeof(void *)));
  cw_vector *vectors = (cw_vector *)(void *)(positions + batch->segments);
  _Static_assert(sizeof *positions <= CWI_BATCH_SEGMENT && 2 * sizeof *vectors <= CWI_BATCH_VECTOR,
                 "a batch leaves space for them");
  cwi_batch_positions(batch, piece->buffer, positions);
  return cwi_batch_packed(batch, remote, piece->buffer, positions,
                          vectors + (remote ? batch->shape.vector_count : 0));
}

/* Starts a move between the device and a buffer. */
static cw_error cross(struct stage_piece *piece, cw_operation operation)
{
  const struct cwi_transfer one = {
      .operation = operation, .process = cwi_world.process, .shape = way_of(piece, false)};
  return cwi_device_start(&one, &piece->crossing);
}

/* Starts a move between a buffer and the remote side. */
static cw_error travel(const struct staged_transfer *staged_transfer, struct stage_piece *piece)
{
  const cw_transfer *given = staged_transfer->given;
  const struct cwi_shape shape = way_of(piece, true);
  cw_transfer one =
      cw_strided(given->operation, shape.local, shape.local_strides, shape.remote,
                 shape.remote_strides, shape.run, shape.counts, shape.levels, given->process);
  one.vectors = shape.vectors;
  one.vector_count = shape.vector_count;
  one.type = given->type;
  one.reduction = given->reduction;
  one.scale = given->scale;
  one.lock_free = given->lock_free;
  return staged_transfer->start(&one, false, &piece->handle);
}

/* Waits for the moves from and to a buffer. */
static cw_error settle(struct stage_piece *piece)
{
  bool done = false;
  struct cwi_first_error first;
  cwi_first_begin(&first, cwi_device_await(&piece->crossing));
  cwi_first_note(&first, cwi_handle_finish(&piece->handle, true, &done));
  return cwi_first_return(&first);
}

static cw_error first_way(const struct staged_transfer *staged_transfer, struct stage_piece *piece)
{
  return staged_transfer->transfer->operation != CW_GET ? cross(piece, CW_GET)
                                                        : travel(staged_transfer, piece);
}

/* Starts the second step of a piece when its first one is complete. */
static cw_error second_way(const struct staged_transfer *staged_transfer, struct stage_piece *piece)
{
  CWI_TRY(settle(piece));
  return staged_transfer->transfer->operation != CW_GET ? travel(staged_transfer, piece)
                                                        : cross(piece, CW_PUT);
}

/* Starts the first step of the next piece, in a buffer whose last piece is complete. */
static cw_error stage_begin(const struct staged_transfer *staged_transfer,
                            struct stage_piece *piece, struct cwi_batches *batches)
{
  CWI_TRY(settle(piece));
  cwi_batches_next(batches, &piece->batch);
  return first_way(staged_transfer, piece);
}

static cw_error stage_all(struct staged_transfer *staged_transfer)
{
  const struct cwi_transfer *transfer = staged_transfer->transfer;
  const size_t atom = transfer->operation == CW_ACCUMULATE ? cwi_type_bytes[transfer->type] : 1;
  const size_t buffers = staged_transfer->buffers;
  struct cwi_batches batches;
  struct cwi_first_error first;
  size_t begun = 0, swapped = 0; /* pieces that have begun their first and their second step */
  cwi_batches_begin(&batches, &transfer->shape, staged_transfer->chunk, atom);
  cwi_first_begin(&first, CW_OK);
  while (first.error == CW_OK && (cwi_batches_left(&batches) || swapped < begun))
    if (cwi_batches_left(&batches) && begun - swapped <= buffers / 2)
      cwi_first_note(&first, stage_begin(staged_transfer,
                                         &staged_transfer->pieces[begun++ % buffers], &batches));
    else
      cwi_first_note(&first,
                     second_way(staged_transfer, &staged_transfer->pieces[swapped++ % buffers]));
  for (size_t i = 0; i < buffers; i++)
    cwi_first_note(&first, settle(&staged_transfer->pieces[i]));
  return cwi_first_return(&first);
}

/* Finds a device on which the local side lies. Sets *shared to true if all of the local side lies
 * in shared slices, else to false. */
static cw_error check_mine(const struct cwi_shape *shape, cw_device *device, bool *shared)
{
  struct cwi_planes planes = cwi_planes(shape);
  struct cwi_plane plane;
  const struct cwi_device_slice *slice = NULL;
  *shared = true;
  while (cwi_planes_next(&planes, &plane)) {
    CWI_TRY(cwi_device_slice_of("local", cwi_rows_extent(plane.local, plane.local_stride, &plane),
                                &slice));
    *device = slice->device;
    *shared = *shared && slice->shared;
  }
  return CW_OK;
}

/* Starts a transfer whose local side lies in shared slices, which are host memory and need no
 * stage. */
static cw_error start_shared(const struct staged_transfer *staged_transfer)
{
  cw_transfer one = *staged_transfer->given;
  one.local_device = false;
  return staged_transfer->start(&one, true, NULL);
}

/* Returns the bytes of a piece: the CHUNKS-th part of the transfer, but at least CHUNK and at most
 * LONG_CHUNK. */
static size_t chunk_of(size_t bytes)
{
  const size_t part = bytes / CHUNKS;
  return part < CHUNK ? CHUNK : part < LONG_CHUNK ? part / CHUNK * CHUNK : LONG_CHUNK;
}

/* Takes the buffers. A single piece needs one buffer, of its own size. The buffers lie in the
 * device's stage if no other thread uses it: the stage is pinned memory, whereas a copy from or to
 * other memory keeps the calling thread inside the driver. Otherwise they lie in the zone if it has
 * space, where an agent that acts for me can reach them. */
static cw_error make_buffers(struct staged_transfer *staged_transfer, cw_device device)
{
  const size_t bytes = cwi_batch_bytes(&staged_transfer->transfer->shape);
  staged_transfer->chunk = chunk_of(bytes);
  staged_transfer->buffers = bytes <= CHUNK ? 1 : BUFFERS;
  const size_t each =
      cwi_round_up(bytes < staged_transfer->chunk ? bytes : staged_transfer->chunk, sizeof(void *));
  char *made = cwi_device_stage_take(device);
  staged_transfer->lent = made != NULL ? device : NULL;
  if (made == NULL)
    made = cwi_staging_take(each * staged_transfer->buffers);
  if (made == NULL)
    return cwi_outside("no memory to pass %zu bytes of a device", bytes);
  for (size_t i = 0; i < staged_transfer->buffers; i++)
    staged_transfer->pieces[i] = (struct stage_piece){.buffer = made + i * each};
  return CW_OK;
}

static void end_buffers(struct staged_transfer *staged_transfer)
{
  if (staged_transfer->lent != NULL)
    cwi_device_stage_give(staged_transfer->lent);
  else
    cwi_staging_give(staged_transfer->pieces[0].buffer);
}

/* Returns true if the remote side is checked later. The agent checks a batch before it moves the
 * batch, and cwi_device_check_list_later checks the segments of a list together. */
static bool checks_later(const cw_transfer *given)
{
  if (given->vectors != NULL)
    return true;
  if (given->bytes > CHUNK || given->levels > 1)
    return false;
  return given->levels != 1 || given->counts == NULL ||
         (given->counts[0] <= CHUNK && given->counts[0] * given->bytes <= CHUNK);
}

/* Does the transfer by one copy within my device, if that is possible. Sets *copied to true if it
 * was possible, else to false. A shared slice of mine is host memory, where MPI may have operations
 * of mine outstanding; cwi_route_enter completes them first. */
static cw_error stage_copy(const struct cwi_transfer *transfer, cw_device device, bool *copied)
{
  struct cwi_transfer copy = *transfer;
  const bool takes = cwi_import_use(transfer, device, &copy.place.imported);
  *copied = cwi_device_may_copy(&copy);
  bool locked = false;
  cw_error error = *copied ? cwi_route_enter(&cwi_route_device, copy.process, &locked) : CW_OK;
  if (*copied && error == CW_OK) {
    error = cwi_device_copy(&copy);
    cwi_route_leave(locked);
  }
  if (takes && *copied)
    cwi_count_by_device(CWI_MYSELF, copy.shape.bytes);
  if (takes)
    cwi_import_release(copy.place.imported);
  return error;
}

/* Runs the transfer in pieces, so that other threads can use the device between two pieces. A
 * driver that copies synchronously keeps the device busy during a piece. */
static cw_error perform_in_pieces(const struct cwi_transfer *transfer)
{
  struct cwi_transfer piece = *transfer;
  struct cwi_batches batches;
  struct cwi_batch batch;
  cwi_batches_begin(&batches, &transfer->shape, TRANSPOSED_CHUNK, 1);
  while (cwi_batches_left(&batches)) {
    cwi_batches_next(&batches, &batch);
    piece.shape = batch.shape;
    CWI_TRY(cwi_device_transfer_run(&piece));
  }
  return CW_OK;
}

/* Does a put or get without a stage if the remote side is host memory that is mapped here. A put is
 * then run as a get from my device into that memory, and a get as a put to my device. Lists are not
 * run in this way, because their segments may lie in several slices. */
static cw_error swap_direction(const cw_transfer *given, const struct cwi_transfer *transfer,
                               bool *swapped)
{
  struct cwi_location place = {0};
  *swapped = transfer->operation != CW_ACCUMULATE && transfer->shape.vectors == NULL &&
             cwi_transfer_route(given, &place) == &cwi_route_direct;
  if (!*swapped)
    return CW_OK;
  struct cwi_transfer mine = *transfer;
  const struct cwi_shape *shape = &transfer->shape;
  mine.operation = transfer->operation == CW_PUT ? CW_GET : CW_PUT;
  mine.process = cwi_world.process;
  mine.place = (struct cwi_location){0};
  mine.shape.local = shape->remote;
  mine.shape.remote = shape->local;
  memcpy(mine.shape.local_strides, shape->remote_strides, sizeof shape->remote_strides);
  memcpy(mine.shape.remote_strides, shape->local_strides, sizeof shape->local_strides);
  if (CWI_UNLIKELY(!cwi_is_unobserved()))
    cwi_note_transfer(transfer->operation, cwi_route_where(&cwi_route_direct, transfer->process),
                      transfer->process, shape);
  cwi_route_progress_sometimes();
  bool locked;
  CWI_TRY(cwi_route_enter(&cwi_route_direct, transfer->process, &locked));
  const cw_error error = perform_in_pieces(&mine);
  cwi_route_leave(locked);
  return error;
}

cw_error cwi_device_stage(const cw_transfer *given,
                          cw_error (*start)(const cw_transfer *transfer, bool blocking,
                                            cw_handle *handle))
{
  struct cwi_transfer transfer;
  struct staged_transfer staged_transfer = {.given = given, .start = start, .transfer = &transfer};
  bool shared = false;
  transfer.place = (struct cwi_location){0};
  CWI_TRY(cwi_transfer_check(given, checks_later(given) ? cwi_route_locate : cwi_route_locate_now,
                             &transfer));
  if (transfer.shape.bytes == 0)
    return CW_OK;
  if (transfer.shape.vectors != NULL && !cwi_batch_takes_all(&transfer.shape, CHUNK))
    CWI_TRY(cwi_device_check_list_later(transfer.process, &transfer.shape));
  bool copied = false, swapped = false;
  cw_device device = NULL;
  CWI_TRY(check_mine(&transfer.shape, &device, &shared));
  cw_error error = stage_copy(&transfer, device, &copied);
  if (copied)
    return error;
  if (shared)
    return start_shared(&staged_transfer);
  CWI_TRY(swap_direction(given, &transfer, &swapped));
  if (swapped)
    return CW_OK;
  CWI_TRY(make_buffers(&staged_transfer, device));
  error = stage_all(&staged_transfer);
  end_buffers(&staged_transfer);
  return error;
}
