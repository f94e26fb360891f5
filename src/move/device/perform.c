/* Transfers between host memory and slices of mine, and within a device.
 *
 * Long rows go as they are, by the back end's copies of rows. Short rows and accumulates pass
 * packed: through host memory that the driver knows and memory of the device, from or to which one
 * kernel unpacks, adds or packs. */
#include "base/rows.h"
#include "base/settings.h"
#include "device/device.h"
#include "device/kernels.h"
#include "memory/elsewhere.h"
#include "team/world.h"
#include "transfer/fragment.h"

#include <stdlib.h>

/* --- Rows as they are ------------------------------------------------------------------------- */

/* Of a plane: the slice, and where in it the plane lies. */
static cw_error place_of(const char *name, const char *side, ptrdiff_t stride,
                         const struct cwi_plane *plane, const struct cwi_device_slice **slice,
                         size_t *offset)
{
  CWI_TRY(cwi_device_slice_of(name, cwi_rows_extent(side, stride, plane), slice));
  *offset = (size_t)(side - (*slice)->address);
  return CW_OK;
}

/* Rows that run backwards or into each other are moved one by one. */
static bool are_apart(const struct cwi_plane *plane)
{
  return plane->rows == 1 || (plane->local_stride >= (ptrdiff_t)plane->run &&
                              plane->remote_stride >= (ptrdiff_t)plane->run);
}

static cw_error start_rows(cw_device device, cw_operation operation,
                           const struct cwi_device_rows *rows)
{
  return operation == CW_PUT ? device->backend->write(device->opened, CWI_QUEUE_IN, rows)
                             : device->backend->read(device->opened, CWI_QUEUE_OUT, rows);
}

/* The device is locked. */
static cw_error start_plane(const struct cwi_device_slice *slice, cw_operation operation,
                            const struct cwi_plane *plane, size_t offset)
{
  const bool apart = are_apart(plane);
  struct cwi_device_rows rows = {.run = plane->run,
                                 .rows = apart ? plane->rows : 1,
                                 .host = plane->local,
                                 .host_stride = (size_t)plane->local_stride,
                                 .memory = slice->memory,
                                 .offset = offset,
                                 .stride = (size_t)plane->remote_stride};
  for (size_t row = 0; row < (apart ? 1 : plane->rows); row++) {
    CWI_TRY(start_rows(slice->device, operation, &rows));
    rows.host += plane->local_stride;
    rows.offset += (size_t)plane->remote_stride;
  }
  return CW_OK;
}

static enum cwi_device_queue queue_of(cw_operation operation)
{
  return operation == CW_GET ? CWI_QUEUE_OUT : CWI_QUEUE_IN;
}

/* Puts a plane, which lies in the slice from that offset on, into the device's queue. The device is
 * locked. */
typedef cw_error (*plane_starter)(const struct cwi_device_slice *slice, cw_operation operation,
                                  const struct cwi_plane *plane, size_t offset);

/* All planes of a device are started before the first is waited for. */
static cw_error start_planes(const struct cwi_transfer *transfer, enum cwi_device_queue queue,
                             plane_starter start, struct cwi_device_crossing *crossing)
{
  struct cwi_planes planes = cwi_planes(&transfer->shape);
  struct cwi_plane plane;
  const struct cwi_device_slice *slice = NULL;
  cw_device device = NULL; /* locked, and waited for at last */
  cw_error error = CW_OK;
  size_t offset = 0;
  while (error == CW_OK && cwi_planes_next(&planes, &plane)) {
    error = place_of("remote", plane.remote, plane.remote_stride, &plane, &slice, &offset);
    if (error != CW_OK)
      break;
    if (device != NULL && device != slice->device)
      CWI_TRY(cwi_device_pass(device, queue, CW_OK));
    if (device != slice->device)
      pthread_mutex_lock(&slice->device->lock);
    device = slice->device;
    error = start(slice, transfer->operation, &plane, offset);
  }
  return device != NULL ? cwi_device_leave(device, queue, error, crossing) : error;
}

/* --- Within a device -------------------------------------------------------------------------- */

static bool sides_overlap(const struct cwi_plane *plane)
{
  const size_t local = (size_t)(plane->rows - 1) * (size_t)plane->local_stride + plane->run;
  const size_t remote = (size_t)(plane->rows - 1) * (size_t)plane->remote_stride + plane->run;
  return plane->local < plane->remote + remote && plane->remote < plane->local + local;
}

static bool may_copy(const struct cwi_plane *plane)
{
  const struct cwi_device_slice *local = NULL, *remote = NULL;
  size_t from = 0, to = 0;
  return are_apart(plane) && !sides_overlap(plane) &&
         place_of("local", plane->local, plane->local_stride, plane, &local, &from) == CW_OK &&
         place_of("remote", plane->remote, plane->remote_stride, plane, &remote, &to) == CW_OK &&
         local->device == remote->device;
}

bool cwi_device_may_copy(const struct cwi_transfer *transfer)
{
  struct cwi_planes planes = cwi_planes(&transfer->shape);
  struct cwi_plane plane;
  const bool moves = transfer->process == cwi_world.process && transfer->operation != CW_ACCUMULATE;
  bool may = moves;
  while (may && cwi_planes_next(&planes, &plane))
    may = cwi_is_elsewhere(plane.remote) && may_copy(&plane);
  return may;
}

static cw_error copy_plane(const struct cwi_device_slice *remote, cw_operation operation,
                           const struct cwi_plane *plane, size_t there)
{
  const struct cwi_device_slice *local = NULL;
  size_t mine = 0;
  CWI_TRY(place_of("local", plane->local, plane->local_stride, plane, &local, &mine));
  const bool puts = operation == CW_PUT;
  const struct cwi_device_copy copy = {
      .run = plane->run,
      .rows = plane->rows,
      .from = puts ? local->memory : remote->memory,
      .to = puts ? remote->memory : local->memory,
      .from_offset = puts ? mine : there,
      .from_stride = (size_t)(puts ? plane->local_stride : plane->remote_stride),
      .to_offset = puts ? there : mine,
      .to_stride = (size_t)(puts ? plane->remote_stride : plane->local_stride)};
  return remote->device->backend->copy(remote->device->opened, CWI_QUEUE_WORK, &copy);
}

/* --- Packed ----------------------------------------------------------------------------------- */

cw_error cwi_device_scratch_make(cw_device device, struct cwi_device_scratch *scratch)
{
  const struct cwi_backend *backend = device->backend;
  if (scratch->memory != NULL)
    return CW_OK;
  if (scratch->host == NULL)
    scratch->host = aligned_alloc(4096, CWI_DEVICE_SCRATCH);
  if (scratch->host == NULL)
    return cwi_outside("no memory to pack for a device");
  pthread_mutex_lock(&device->lock);
  cw_error error = backend->pin != NULL
                       ? backend->pin(device->opened, scratch->host, CWI_DEVICE_SCRATCH)
                       : CW_OK;
  if (error == CW_OK) {
    error = backend->allocate(device->opened, CWI_DEVICE_SCRATCH, &scratch->memory);
    if (error != CW_OK && backend->unpin != NULL)
      backend->unpin(device->opened, scratch->host);
  }
  pthread_mutex_unlock(&device->lock);
  return error;
}

/* A part of a transfer that passes packed: at most CWI_DEVICE_SCRATCH bytes of one slice. */
struct packed {
  const struct cwi_transfer *transfer;
  const struct cwi_shape *shape; /* of the part: no list */
  const struct cwi_device_slice *slice;
  struct cwi_device_scratch *scratch;
  char *data; /* packed, on the host */
};

/* Rows of the remote side that touch each other's bytes: strides that nest leave none. */
static bool touch_each_other(const struct cwi_shape *shape)
{
  bool nested[CW_MAX_LEVELS] = {false};
  size_t span = shape->run;
  for (int i = 0; i < shape->levels; i++) {
    int least = -1;
    for (int level = 0; level < shape->levels; level++)
      if (!nested[level] &&
          (least < 0 || labs(shape->remote_strides[level]) < labs(shape->remote_strides[least])))
        least = level;
    CWI_ASSERT(least >= 0);
    nested[least] = true;
    const size_t stride = (size_t)labs(shape->remote_strides[least]);
    if (shape->counts[least] > 1 && stride < span)
      return true;
    span += stride * (shape->counts[least] - 1);
  }
  return false;
}

static void work_of(const struct packed *packed, struct cwi_kernel_work *work)
{
  const struct cwi_shape *shape = packed->shape;
  const struct cwi_kernel_place there = {.memory = packed->slice->memory,
                                         .offset = (size_t)(shape->remote - packed->slice->address),
                                         .strides = shape->remote_strides};
  const struct cwi_kernel_place here = {.memory = packed->scratch->memory};
  const bool fetches = packed->transfer->operation == CW_GET;
  *work = (struct cwi_kernel_work){.run = shape->run,
                                   .levels = shape->levels,
                                   .counts = shape->counts,
                                   .to = fetches ? here : there,
                                   .from = fetches ? there : here,
                                   .overlaps = !fetches && touch_each_other(shape),
                                   .processor = packed->slice->device->facts.processor};
}

/* The device is locked. */
static cw_error packed_launch(const struct packed *packed, enum cwi_device_queue queue)
{
  cw_device device = packed->slice->device;
  const struct cwi_transfer *transfer = packed->transfer;
  struct cwi_kernel_work work;
  struct cwi_kernel_call call;
  work_of(packed, &work);
  if (transfer->operation == CW_ACCUMULATE)
    cwi_launch_accumulate(&work, transfer->type, transfer->reduction,
                          transfer->scaled ? &transfer->scale : NULL, &call);
  else
    cwi_launch_move(&work, &call);
  CWI_TRY(cwi_device_own_kernel(device, call.kernel, &call.launch.kernel));
  return device->backend->launch(device->opened, queue, &call.launch);
}

static struct cwi_device_rows packed_rows(const struct packed *packed)
{
  return (struct cwi_device_rows){.run = packed->shape->bytes,
                                  .rows = 1,
                                  .host = packed->data,
                                  .memory = packed->scratch->memory};
}

/* The device is locked. Accumulates are atomic against each other, because all of them run in this
 * queue; kernels of the program, which may run long, do not keep them waiting. */
static cw_error bring_in(const struct packed *packed)
{
  cw_device device = packed->slice->device;
  const struct cwi_device_rows rows = packed_rows(packed);
  CWI_TRY(device->backend->write(device->opened, CWI_QUEUE_IN, &rows));
  return packed_launch(packed, CWI_QUEUE_IN);
}

static cw_error bring_out(const struct packed *packed)
{
  cw_device device = packed->slice->device;
  const struct cwi_device_rows rows = packed_rows(packed);
  CWI_TRY(packed_launch(packed, CWI_QUEUE_OUT));
  return device->backend->read(device->opened, CWI_QUEUE_OUT, &rows);
}

/* Where the packed data is on the host: what is one run there lies there already. */
static char *data_of(const struct packed *packed)
{
  const struct cwi_shape *shape = packed->shape;
  const bool together = shape->levels == 0 || (shape->levels == 1 && shape->counts[0] == 1) ||
                        (shape->levels == 1 && shape->local_strides[0] == (ptrdiff_t)shape->run);
  return together ? shape->local : packed->scratch->host;
}

static cw_error cross_packed(struct packed *packed)
{
  cw_device device = packed->slice->device;
  const cw_operation operation = packed->transfer->operation;
  CWI_TRY(cwi_device_scratch_make(device, packed->scratch));
  packed->data = data_of(packed);
  const bool packs = packed->data == packed->scratch->host;
  if (packs && operation != CW_GET)
    cwi_pack_local(packed->shape, packed->data);
  pthread_mutex_lock(&device->lock);
  const cw_error started = operation == CW_GET ? bring_out(packed) : bring_in(packed);
  CWI_TRY(cwi_device_pass(device, queue_of(operation), started));
  if (packs && operation == CW_GET)
    cwi_unpack_local(packed->shape, packed->data);
  return CW_OK;
}

static cw_error move_packed(const struct cwi_transfer *transfer, const struct cwi_shape *shape)
{
  struct packed packed = {.transfer = transfer, .shape = shape};
  CWI_TRY(cwi_device_slice_of("remote", cwi_shape_remote_extent(shape), &packed.slice));
  cw_device device = packed.slice->device;
  packed.scratch = transfer->operation == CW_GET ? &device->out : &device->in;
  pthread_mutex_lock(&packed.scratch->lock);
  const cw_error error = cross_packed(&packed);
  pthread_mutex_unlock(&packed.scratch->lock);
  return error;
}

static cw_error move_fragments(const struct cwi_transfer *transfer)
{
  const size_t atom = transfer->operation == CW_ACCUMULATE ? cwi_type_bytes[transfer->type] : 1;
  struct cwi_fragments fragments = cwi_fragments(&transfer->shape, atom);
  struct cwi_plane plane;
  while (cwi_fragments_left(&fragments)) {
    cwi_fragments_next(&fragments, CWI_DEVICE_SCRATCH, &plane);
    const struct cwi_shape shape = cwi_shape_of_plane(&plane);
    CWI_TRY(move_packed(transfer, &shape));
  }
  return CW_OK;
}

/* --- All -------------------------------------------------------------------------------------- */

/* A processor copies rows of one command as fast as a kernel packs them, and needs no second copy.
 */
static bool copies_rows(const struct cwi_shape *shape)
{
  const struct cwi_device_slice *slice = NULL;
  struct cwi_planes planes = cwi_planes(shape);
  struct cwi_plane plane;
  return shape->levels == 1 && cwi_planes_next(&planes, &plane) && are_apart(&plane) &&
         cwi_device_slice_find("remote", plane.remote, 1, &slice) == CW_OK &&
         slice->device->facts.processor;
}

static bool goes_packed(const struct cwi_transfer *transfer)
{
  const struct cwi_shape *shape = &transfer->shape;
  if (transfer->operation == CW_ACCUMULATE)
    return true;
  return shape->vectors == NULL && shape->levels > 0 &&
         shape->run < (size_t)cwi_settings.device_pack && !copies_rows(shape);
}

static cw_error start(const struct cwi_transfer *transfer, struct cwi_device_crossing *crossing)
{
  const struct cwi_shape *shape = &transfer->shape;
  if (!goes_packed(transfer))
    return start_planes(transfer, queue_of(transfer->operation), start_plane, crossing);
  return shape->vectors == NULL && shape->bytes <= CWI_DEVICE_SCRATCH ? move_packed(transfer, shape)
                                                                      : move_fragments(transfer);
}

static cw_error start_copy(const struct cwi_transfer *transfer,
                           struct cwi_device_crossing *crossing)
{
  return start_planes(transfer, CWI_QUEUE_WORK, copy_plane, crossing);
}

typedef cw_error (*transfer_starter)(const struct cwi_transfer *transfer,
                                     struct cwi_device_crossing *crossing);

/* Slices are in use while something is under way. */
static cw_error start_using(transfer_starter starter, const struct cwi_transfer *transfer,
                            struct cwi_device_crossing *crossing)
{
  cwi_device_slices_use();
  const cw_error error = starter(transfer, crossing);
  if (crossing->device == NULL)
    cwi_device_slices_leave();
  return error;
}

cw_error cwi_device_start(const struct cwi_transfer *transfer, struct cwi_device_crossing *crossing)
{
  return start_using(start, transfer, crossing);
}

cw_error cwi_device_await(struct cwi_device_crossing *crossing)
{
  if (crossing->device == NULL)
    return CW_OK;
  const cw_error error = cwi_device_arrive(crossing);
  cwi_device_slices_leave();
  return error;
}

static cw_error start_and_await(transfer_starter starter, const struct cwi_transfer *transfer)
{
  struct cwi_device_crossing crossing = {0};
  struct cwi_first_error first;
  cwi_first_begin(&first, start_using(starter, transfer, &crossing));
  cwi_first_note(&first, cwi_device_await(&crossing));
  return cwi_first_return(&first);
}

cw_error cwi_device_perform(const struct cwi_transfer *transfer)
{
  return start_and_await(start, transfer);
}

cw_error cwi_device_copy(const struct cwi_transfer *transfer)
{
  return start_and_await(start_copy, transfer);
}
