/* Transfers whose local side lies on a device of this process. Pieces of it pass through host
 * memory on their way from or to wherever the remote side lies. Each goes two ways, the one across
 * the device's link and the other one to or from the remote side; while some pieces are on their
 * first way, others are on their second. */
#include "device/device.h"
#include "route/device/device.h"
#include "team/world.h"
#include "transfer/fragment.h"

#include <stdlib.h>

enum { BUFFERS = 4, CHUNK = 1 << 19 };

/* A piece under way between host memory and the remote side. */
struct stage_piece {
  char *buffer;
  struct cwi_device_crossing crossing; /* the one way */
  cw_handle handle;                    /* the other */
  struct cwi_plane plane;              /* of both sides */
};

struct passage {
  const cw_transfer *given;
  cw_error (*start)(const cw_transfer *transfer, bool blocking, cw_handle *handle);
  const struct cwi_transfer *transfer;
  struct stage_piece pieces[BUFFERS];
  size_t buffers; /* of these pieces */
};

/* Between the device and a buffer. */
static cw_error cross(struct stage_piece *piece, cw_operation operation)
{
  const struct cwi_plane *plane = &piece->plane;
  struct cwi_transfer one = {.operation = operation, .process = cwi_world.process};
  const struct cwi_plane crossing = {.local = piece->buffer,
                                     .remote = plane->local,
                                     .run = plane->run,
                                     .rows = plane->rows,
                                     .local_stride = (ptrdiff_t)plane->run,
                                     .remote_stride = plane->local_stride};
  one.shape = cwi_shape_of_plane(&crossing);
  return cwi_device_start(&one, &piece->crossing);
}

/* Between a buffer and the remote side. */
static cw_error travel(const struct passage *passage, struct stage_piece *piece)
{
  const cw_transfer *given = passage->given;
  const struct cwi_plane *plane = &piece->plane;
  const ptrdiff_t run = (ptrdiff_t)plane->run;
  cw_transfer one = cw_strided(given->operation, piece->buffer, &run, plane->remote,
                               &plane->remote_stride, plane->run, &plane->rows, 1, given->process);
  one.type = given->type;
  one.reduction = given->reduction;
  one.scale = given->scale;
  one.lock_free = given->lock_free;
  return passage->start(&one, false, &piece->handle);
}

/* What is under way in a buffer ends. */
static cw_error settle(struct stage_piece *piece)
{
  bool done = false;
  struct cwi_first_error first;
  cwi_first_begin(&first, cwi_device_await(&piece->crossing));
  cwi_first_note(&first, cwi_handle_finish(&piece->handle, true, &done));
  return cwi_first_return(&first);
}

static cw_error first_way(const struct passage *passage, struct stage_piece *piece)
{
  return passage->transfer->operation != CW_GET ? cross(piece, CW_GET) : travel(passage, piece);
}

static cw_error second_way(const struct passage *passage, struct stage_piece *piece)
{
  CWI_TRY(settle(piece));
  return passage->transfer->operation != CW_GET ? travel(passage, piece) : cross(piece, CW_PUT);
}

static cw_error stage_begin(const struct passage *passage, struct stage_piece *piece,
                            struct cwi_fragments *fragments)
{
  CWI_TRY(settle(piece));
  cwi_fragments_next(fragments, CHUNK, &piece->plane);
  return first_way(passage, piece);
}

static cw_error stage_all(struct passage *passage)
{
  const struct cwi_transfer *transfer = passage->transfer;
  const size_t atom = transfer->operation == CW_ACCUMULATE ? cwi_type_bytes[transfer->type] : 1;
  const size_t buffers = passage->buffers;
  struct cwi_fragments fragments = cwi_fragments(&transfer->shape, atom);
  struct cwi_first_error first;
  size_t begun = 0, turned = 0; /* pieces, on their first and on their second way */
  cwi_first_begin(&first, CW_OK);
  while (first.error == CW_OK && (cwi_fragments_left(&fragments) || turned < begun))
    if (cwi_fragments_left(&fragments) && begun - turned <= buffers / 2)
      cwi_first_note(&first, stage_begin(passage, &passage->pieces[begun++ % buffers], &fragments));
    else
      cwi_first_note(&first, second_way(passage, &passage->pieces[turned++ % buffers]));
  for (size_t i = 0; i < buffers; i++)
    cwi_first_note(&first, settle(&passage->pieces[i]));
  return cwi_first_return(&first);
}

static cw_error check_mine(const struct cwi_shape *shape)
{
  struct cwi_planes planes = cwi_planes(shape);
  struct cwi_plane plane;
  const struct cwi_device_slice *slice = NULL;
  while (cwi_planes_next(&planes, &plane))
    CWI_TRY(cwi_device_slice_of("local", cwi_rows_extent(plane.local, plane.local_stride, &plane),
                                &slice));
  return CW_OK;
}

/* One piece needs one buffer, and no more than its bytes. */
static cw_error make_buffers(struct passage *passage)
{
  const size_t bytes = passage->transfer->shape.bytes;
  const size_t each = bytes < CHUNK ? bytes : CHUNK;
  passage->buffers = bytes <= CHUNK ? 1 : BUFFERS;
  char *made = cw_local_alloc(each * passage->buffers);
  if (made == NULL)
    return cwi_outside("no memory to pass %zu bytes of a device", bytes);
  for (size_t i = 0; i < passage->buffers; i++)
    passage->pieces[i] = (struct stage_piece){.buffer = made + i * each};
  return CW_OK;
}

/* One piece: whoever moves it looks at all of it first. */
static bool is_one_piece(const cw_transfer *given)
{
  if (given->vectors != NULL || given->bytes > CHUNK || given->levels > 1)
    return false;
  return given->levels != 1 || given->counts == NULL ||
         (given->counts[0] <= CHUNK && given->counts[0] * given->bytes <= CHUNK);
}

cw_error cwi_device_stage(const cw_transfer *given,
                          cw_error (*start)(const cw_transfer *transfer, bool blocking,
                                            cw_handle *handle))
{
  struct cwi_transfer transfer;
  struct passage passage = {.given = given, .start = start, .transfer = &transfer};
  transfer.place = (struct cwi_remote){0};
  CWI_TRY(cwi_transfer_check(given, is_one_piece(given) ? cwi_route_locate : cwi_route_look,
                             &transfer));
  if (transfer.shape.bytes == 0)
    return CW_OK;
  CWI_TRY(check_mine(&transfer.shape));
  if (cwi_device_may_copy(&transfer))
    return cwi_device_copy(&transfer);
  CWI_TRY(make_buffers(&passage));
  const cw_error error = stage_all(&passage);
  cw_local_free(passage.pieces[0].buffer);
  return error;
}
