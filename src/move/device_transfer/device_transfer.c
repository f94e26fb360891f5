/* Transfers between host memory and slices of this process, and within a device.
 *
 * Long rows are moved by the back end's copies of rows. Short rows, short segments and accumulates
 * are packed. The packed data passes through a scratch buffer: pinned host memory and memory of the
 * device. One kernel unpacks, adds or packs the data on the device. The table of a list precedes
 * its data. */
#include "base/settings.h"
#include "base/size.h"
#include "device/device.h"
#include "device/library_kernels.h"
#include "device_transfer/segment_list.h"
#include "team/world.h"
#include "transfer/shape_batch.h"
#include "wait/wait_report.h"

#include <stdlib.h>

/* --- Rows without packing --------------------------------------------------------------------- */

/* Finds the slice that contains the bytes `extent` of a transfer's remote side. This is the
 * imported slice if there is one; it contains the whole remote side. Otherwise it is a slice of
 * this process. */
static cw_error remote_slice(const struct cwi_transfer *transfer, struct cwi_extent extent,
                             const struct cwi_device_slice **slice)
{
  *slice = transfer->place.imported;
  return *slice != NULL ? CW_OK : cwi_device_slice_of("remote", extent, slice);
}

/* Finds the slice of a plane's remote side, and the plane's offset in it. */
static cw_error remote_place(const struct cwi_transfer *transfer, const struct cwi_plane *plane,
                             const struct cwi_device_slice **slice, size_t *offset)
{
  CWI_TRY(
      remote_slice(transfer, cwi_rows_extent(plane->remote, plane->remote_stride, plane), slice));
  *offset = (size_t)(plane->remote - (*slice)->address);
  return CW_OK;
}

static cw_error local_place(const struct cwi_plane *plane, const struct cwi_device_slice **slice,
                            size_t *offset)
{
  CWI_TRY(cwi_device_slice_of("local", cwi_rows_extent(plane->local, plane->local_stride, plane),
                              slice));
  *offset = (size_t)(plane->local - (*slice)->address);
  return CW_OK;
}

/* Returns true if one command can move all rows. Rows with a negative stride and rows that overlap
 * are moved one by one. */
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

/* Enqueues the rows of a plane. The device is locked. */
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

/* Function that enqueues a plane, which begins at `offset` in the slice. The device is locked. */
typedef cw_error (*plane_starter)(const struct cwi_device_slice *slice, cw_operation operation,
                                  const struct cwi_plane *plane, size_t offset);

/* Starts all planes. Consecutive planes on one device are all started before any of them is waited
 * for. */
static cw_error start_planes(const struct cwi_transfer *transfer, enum cwi_device_queue queue,
                             plane_starter start, struct cwi_device_crossing *crossing)
{
  struct cwi_planes planes = cwi_planes(&transfer->shape);
  struct cwi_plane plane;
  const struct cwi_device_slice *slice = NULL;
  cw_device device =
      NULL; /* the device that is locked; this function does not wait for the last one */
  cw_error error = CW_OK;
  size_t offset = 0;
  while (error == CW_OK && cwi_planes_next(&planes, &plane)) {
    error = remote_place(transfer, &plane, &slice, &offset);
    if (error != CW_OK)
      break;
    CWI_ASSERT(slice->device != NULL);
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

static bool may_copy(const struct cwi_transfer *transfer, const struct cwi_plane *plane)
{
  const struct cwi_device_slice *local = NULL, *remote = NULL;
  size_t from = 0, to = 0;
  return are_apart(plane) && (transfer->place.imported != NULL || !sides_overlap(plane)) &&
         local_place(plane, &local, &from) == CW_OK &&
         remote_place(transfer, plane, &remote, &to) == CW_OK && local->device == remote->device;
}

bool cwi_device_may_copy(const struct cwi_transfer *transfer)
{
  struct cwi_planes planes = cwi_planes(&transfer->shape);
  struct cwi_plane plane;
  const bool reaches = transfer->process == cwi_world.process || transfer->place.imported != NULL;
  bool may = reaches && transfer->operation != CW_ACCUMULATE;
  while (may && cwi_planes_next(&planes, &plane))
    may = (transfer->place.imported != NULL || cwi_device_slice_at(plane.remote) != NULL) &&
          may_copy(transfer, &plane);
  return may;
}

static cw_error copy_plane(const struct cwi_device_slice *remote, cw_operation operation,
                           const struct cwi_plane *plane, size_t there)
{
  const struct cwi_device_slice *local = NULL;
  size_t mine = 0;
  CWI_TRY(local_place(plane, &local, &mine));
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
  if (scratch->memory != NULL)
    return CW_OK;
  if (scratch->host == NULL)
    scratch->host = aligned_alloc(4096, CWI_DEVICE_SCRATCH);
  if (scratch->host == NULL)
    return cwi_outside("no memory to pack for a device");
  cwi_device_pin(device, scratch->host, CWI_DEVICE_SCRATCH);
  pthread_mutex_lock(&device->lock);
  const cw_error error =
      device->backend->allocate(device->opened, CWI_DEVICE_SCRATCH, &scratch->memory);
  pthread_mutex_unlock(&device->lock);
  if (error != CW_OK)
    cwi_device_unpin(device, scratch->host);
  return error;
}

/* A part of a transfer that is packed. It has at most CWI_DEVICE_SCRATCH bytes, all in one slice.
 */
struct packed {
  const struct cwi_transfer *transfer;
  const struct cwi_shape *shape;      /* shape of the part; not a list */
  const struct cwi_device_list *list; /* list in place of a shape, or NULL */
  size_t bytes, front;                /* lengths of the data and of the table that precedes it */
  const struct cwi_device_slice *slice;
  struct cwi_device_scratch *scratch;
  char *data;    /* packed data on the host */
  bool overlaps; /* segments of an accumulated list overlap */
};

/* Returns true if rows of a side may overlap. Visits the levels in the order of their strides. No
 * rows overlap if each stride is at least the span of all levels with smaller strides. */
static bool touch_each_other(const struct cwi_shape *shape, const ptrdiff_t *strides)
{
  bool nested[CW_MAX_LEVELS] = {false};
  size_t span = shape->run;
  for (int i = 0; i < shape->levels; i++) {
    int least = -1;
    for (int level = 0; level < shape->levels; level++)
      if (!nested[level] && (least < 0 || labs(strides[level]) < labs(strides[least])))
        least = level;
    CWI_ASSERT(least >= 0);
    nested[least] = true;
    const size_t stride = (size_t)labs(strides[least]);
    if (shape->counts[least] > 1 && stride < span)
      return true;
    span += stride * (shape->counts[least] - 1);
  }
  return false;
}

static struct cwi_kernel_place slice_place(const struct cwi_device_slice *slice,
                                           const char *address, const ptrdiff_t *strides)
{
  return (struct cwi_kernel_place){
      .memory = slice->memory, .offset = (size_t)(address - slice->address), .strides = strides};
}

/* Fills in the kernel's work. One side is in the slice; the other is packed in the scratch buffer.
 */
static void work_of(const struct packed *packed, struct cwi_kernel_work *work)
{
  const struct cwi_shape *shape = packed->shape;
  const cw_operation operation = packed->transfer->operation;
  struct cwi_kernel_place there = {.memory = packed->slice->memory};
  struct cwi_kernel_place here = {.memory = packed->scratch->memory, .offset = packed->front};
  if (packed->list != NULL) {
    const uint64_t *table = (const uint64_t *)(const void *)packed->scratch->host;
    cwi_device_list_work(packed->list, table, &there, &here, work);
    work->table = packed->scratch->memory;
    work->overlaps = packed->overlaps;
  } else {
    there = slice_place(packed->slice, shape->remote, shape->remote_strides);
    *work = (struct cwi_kernel_work){
        .run = shape->run, .levels = shape->levels, .counts = shape->counts};
    work->overlaps = operation != CW_GET && touch_each_other(shape, shape->remote_strides);
  }
  work->to = operation == CW_GET ? here : there;
  work->from = operation == CW_GET ? there : here;
  work->processor = packed->slice->device->facts.processor;
}

/* Enqueues the kernel. The device is locked. */
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

/* Enqueues a copy between host memory and the scratch buffer's device memory. The device is locked.
 */
static cw_error cross_scratch(const struct packed *packed, cw_operation operation,
                              enum cwi_device_queue queue, char *host, size_t offset, size_t bytes)
{
  cw_device device = packed->slice->device;
  const struct cwi_device_rows rows = {
      .run = bytes, .rows = 1, .host = host, .memory = packed->scratch->memory, .offset = offset};
  if (bytes == 0)
    return CW_OK;
  return operation == CW_PUT ? device->backend->write(device->opened, queue, &rows)
                             : device->backend->read(device->opened, queue, &rows);
}

/* Enqueues a put or an accumulate. Accumulates are atomic with respect to each other, because all
 * of them run in this queue. They do not use the queue of the program's kernels, because those may
 * run for a long time. The device is locked. */
static cw_error bring_in(const struct packed *packed)
{
  char *front = packed->scratch->host;
  const size_t all = packed->front + packed->bytes;
  if (packed->data == front + packed->front) {
    CWI_TRY(cross_scratch(packed, CW_PUT, CWI_QUEUE_IN, front, 0, all));
  } else {
    CWI_TRY(cross_scratch(packed, CW_PUT, CWI_QUEUE_IN, front, 0, packed->front));
    CWI_TRY(
        cross_scratch(packed, CW_PUT, CWI_QUEUE_IN, packed->data, packed->front, packed->bytes));
  }
  return packed_launch(packed, CWI_QUEUE_IN);
}

static cw_error bring_out(const struct packed *packed)
{
  char *front = packed->scratch->host;
  CWI_TRY(cross_scratch(packed, CW_PUT, CWI_QUEUE_OUT, front, 0, packed->front));
  CWI_TRY(packed_launch(packed, CWI_QUEUE_OUT));
  return cross_scratch(packed, CW_GET, CWI_QUEUE_OUT, packed->data, packed->front, packed->bytes);
}

/* Returns true if the local side need not be packed, because it is contiguous. Short lists that are
 * put or accumulated are always packed, because one copy together with their table is faster. */
static bool is_together(const struct packed *packed)
{
  const struct cwi_shape *shape = packed->shape;
  const struct cwi_device_list *list = packed->list;
  if (list != NULL)
    return list->together &&
           (packed->transfer->operation == CW_GET || list->bytes >= CWI_BATCH_LONG);
  return shape->levels == 0 || (shape->levels == 1 && shape->counts[0] == 1) ||
         (shape->levels == 1 && shape->local_strides[0] == (ptrdiff_t)shape->run);
}

static void packed_pack(const struct packed *packed)
{
  if (packed->list != NULL)
    cwi_device_list_pack(packed->list, packed->data);
  else
    cwi_pack_local(packed->shape, packed->data);
}

static void packed_unpack(const struct packed *packed)
{
  if (packed->list != NULL)
    cwi_device_list_unpack(packed->list, packed->data);
  else
    cwi_unpack_local(packed->shape, packed->data);
}

static void write_table(struct packed *packed)
{
  uint64_t *table = (uint64_t *)(void *)packed->scratch->host;
  packed->front = packed->list != NULL ? cwi_device_list_table(packed->list, table) : 0;
  packed->front = cwi_round_up(packed->front, 16);
  packed->overlaps = packed->list != NULL && packed->transfer->operation == CW_ACCUMULATE &&
                     cwi_device_list_overlaps(packed->list, table);
  CWI_ASSERT(packed->front + packed->bytes <= CWI_DEVICE_SCRATCH);
}

/* Moves one part: packs it if necessary, enqueues its copies and its kernel, waits, and unpacks it
 * if necessary. The caller holds the lock of the scratch buffer. */
static cw_error cross_packed(struct packed *packed)
{
  cw_device device = packed->slice->device;
  const cw_operation operation = packed->transfer->operation;
  const bool packs = !is_together(packed);
  CWI_TRY(cwi_device_scratch_make(device, packed->scratch));
  write_table(packed);
  if (packs)
    packed->data = packed->scratch->host + packed->front;
  else
    packed->data = packed->list != NULL ? packed->list->local : packed->shape->local;
  if (packs && operation != CW_GET)
    packed_pack(packed);
  pthread_mutex_lock(&device->lock);
  const cw_error started = operation == CW_GET ? bring_out(packed) : bring_in(packed);
  CWI_TRY(cwi_device_pass(device, queue_of(operation), started));
  if (packs && operation == CW_GET)
    packed_unpack(packed);
  return CW_OK;
}

static cw_error move_packed(struct packed *packed)
{
  cw_device device = packed->slice->device;
  packed->scratch = packed->transfer->operation == CW_GET ? &device->out : &device->in;
  pthread_mutex_lock(&packed->scratch->lock);
  const cw_error error = cross_packed(packed);
  pthread_mutex_unlock(&packed->scratch->lock);
  return error;
}

static cw_error move_shape(const struct cwi_transfer *transfer, const struct cwi_shape *shape)
{
  struct packed packed = {.transfer = transfer, .shape = shape, .bytes = shape->bytes};
  CWI_TRY(remote_slice(transfer, cwi_shape_remote_extent(shape), &packed.slice));
  return move_packed(&packed);
}

static cw_error move_list(const struct cwi_transfer *transfer, const struct cwi_shape *shape)
{
  struct cwi_segments at = cwi_segments(shape, transfer->place.imported);
  struct cwi_device_list list;
  CWI_TRY(cwi_device_list_next(&at, false, &list));
  while (list.segments > 0) {
    struct packed packed = {
        .transfer = transfer, .list = &list, .bytes = list.bytes, .slice = list.remote};
    CWI_TRY(move_packed(&packed));
    CWI_TRY(cwi_device_list_next(&at, false, &list));
  }
  return CW_OK;
}

/* --- Choosing the method ---------------------------------------------------------------------- */

/* Packing is faster for commands of fewer bytes than this: one command of the back end then takes
 * longer than packing and two more copies. (Measured: 8 to 12 KiB with PoCL, 2 to 4 KiB with the
 * host's device.) */
enum { FINE = 1 << 13 };

/* Returns true if the transfer without packing would need several commands of less than FINE bytes
 * each. */
static bool is_fine(const struct cwi_shape *shape)
{
  struct cwi_planes planes = cwi_planes(shape);
  struct cwi_plane plane;
  if (shape->vectors != NULL)
    return cwi_batch_has_short(shape, FINE);
  if (!cwi_planes_next(&planes, &plane))
    return false;
  const size_t command = plane.run * (are_apart(&plane) ? plane.rows : 1);
  return command < shape->bytes && command < FINE;
}

/* Returns true if a command copies rows as fast as a kernel packs them. This is the case if the
 * device is a processor; a transfer without packing then saves a second copy. */
static bool copies_rows(const struct cwi_transfer *transfer)
{
  const struct cwi_device_slice *slice = NULL;
  const uintptr_t begin = (uintptr_t)transfer->shape.remote;
  return remote_slice(transfer, (struct cwi_extent){begin, begin + 1}, &slice) == CW_OK &&
         slice->device->facts.processor;
}

static bool is_packed(const struct cwi_transfer *transfer)
{
  const struct cwi_shape *shape = &transfer->shape;
  if (transfer->operation == CW_ACCUMULATE || is_fine(shape))
    return true;
  return shape->vectors == NULL && shape->levels > 0 &&
         shape->run < (size_t)cwi_settings.device_pack && !copies_rows(transfer);
}

/* Moves a batch. Long segments between short ones are moved without packing. */
static cw_error move_batch(const struct cwi_transfer *transfer, const struct cwi_batch *batch)
{
  struct cwi_transfer one = *transfer;
  struct cwi_device_crossing crossing = {0};
  struct cwi_first_error first;
  one.shape = batch->shape;
  if (batch->segments > 0)
    return move_list(transfer, &batch->shape);
  if (is_packed(&one))
    return move_shape(transfer, &batch->shape);
  cwi_first_begin(&first, start_planes(&one, queue_of(one.operation), start_plane, &crossing));
  cwi_first_note(&first, cwi_device_arrive(&crossing));
  return cwi_first_return(&first);
}

static cw_error move_batches(const struct cwi_transfer *transfer)
{
  const size_t atom = transfer->operation == CW_ACCUMULATE ? cwi_type_bytes[transfer->type] : 1;
  struct cwi_batches batches;
  struct cwi_batch batch;
  cwi_batches_begin(&batches, &transfer->shape, CWI_DEVICE_SCRATCH, atom);
  while (cwi_batches_left(&batches)) {
    cwi_batches_next(&batches, &batch);
    CWI_TRY(move_batch(transfer, &batch));
  }
  return CW_OK;
}

static cw_error start(const struct cwi_transfer *transfer, struct cwi_device_crossing *crossing)
{
  const struct cwi_shape *shape = &transfer->shape;
  if (shape->vectors != NULL && transfer->place.imported == NULL)
    CWI_TRY(cwi_device_list_check(shape, 0, 0));
  return is_packed(transfer)
             ? move_batches(transfer)
             : start_planes(transfer, queue_of(transfer->operation), start_plane, crossing);
}

/* --- Copies within a device in one launch ----------------------------------------------------- */

struct copied {
  const struct cwi_transfer *transfer;
  cw_device device;
  struct cwi_kernel_place there, here;
  struct cwi_kernel_work work;
};

/* Enqueues the kernel. The device is locked. */
static cw_error copy_launch(struct copied *copied)
{
  cw_device device = copied->device;
  struct cwi_kernel_call call;
  const bool puts = copied->transfer->operation == CW_PUT;
  copied->work.to = puts ? copied->there : copied->here;
  copied->work.from = puts ? copied->here : copied->there;
  copied->work.processor = device->facts.processor;
  cwi_launch_move(&copied->work, &call);
  CWI_TRY(cwi_device_own_kernel(device, call.kernel, &call.launch.kernel));
  return device->backend->launch(device->opened, CWI_QUEUE_WORK, &call.launch);
}

/* Copies the segments of one launch. The caller holds the lock of the scratch buffer, because the
 * enqueued commands use that buffer. */
static cw_error copy_listed(struct copied *copied, const struct cwi_device_list *list)
{
  cw_device device = copied->device;
  struct cwi_device_scratch *scratch = &device->within;
  CWI_TRY(cwi_device_scratch_make(device, scratch));
  uint64_t *table = (uint64_t *)(void *)scratch->host;
  const struct cwi_device_rows rows = {.run = cwi_device_list_table(list, table),
                                       .rows = 1,
                                       .host = scratch->host,
                                       .memory = scratch->memory};
  cwi_device_list_work(list, table, &copied->there, &copied->here, &copied->work);
  copied->work.table = scratch->memory;
  pthread_mutex_lock(&device->lock);
  cw_error error = device->backend->write(device->opened, CWI_QUEUE_WORK, &rows);
  if (error == CW_OK)
    error = copy_launch(copied);
  return cwi_device_pass(device, CWI_QUEUE_WORK, error);
}

static cw_error copy_list(const struct cwi_transfer *transfer, const struct cwi_shape *shape)
{
  struct cwi_segments at = cwi_segments(shape, transfer->place.imported);
  struct cwi_device_list list;
  CWI_TRY(cwi_device_list_next(&at, true, &list));
  while (list.segments > 0) {
    struct copied copied = {.transfer = transfer,
                            .device = list.remote->device,
                            .there.memory = list.remote->memory,
                            .here.memory = list.mine->memory};
    pthread_mutex_lock(&copied.device->within.lock);
    const cw_error error = copy_listed(&copied, &list);
    pthread_mutex_unlock(&copied.device->within.lock);
    CWI_TRY(error);
    CWI_TRY(cwi_device_list_next(&at, true, &list));
  }
  return CW_OK;
}

static cw_error copy_levels(const struct cwi_transfer *transfer, const struct cwi_shape *shape)
{
  const struct cwi_device_slice *remote = NULL, *mine = NULL;
  CWI_TRY(remote_slice(transfer, cwi_shape_remote_extent(shape), &remote));
  CWI_TRY(cwi_device_slice_of("local", cwi_shape_local_extent(shape), &mine));
  const bool puts = transfer->operation == CW_PUT;
  struct copied copied = {
      .transfer = transfer,
      .device = remote->device,
      .there = slice_place(remote, shape->remote, shape->remote_strides),
      .here = slice_place(mine, shape->local, shape->local_strides),
      .work = {.run = shape->run,
               .levels = shape->levels,
               .counts = shape->counts,
               .overlaps =
                   touch_each_other(shape, puts ? shape->remote_strides : shape->local_strides)}};
  pthread_mutex_lock(&copied.device->lock);
  return cwi_device_pass(copied.device, CWI_QUEUE_WORK, copy_launch(&copied));
}

static cw_error copy_batches(const struct cwi_transfer *transfer)
{
  struct cwi_batches batches;
  struct cwi_batch batch;
  if (transfer->shape.vectors == NULL)
    return copy_levels(transfer, &transfer->shape);
  cwi_batches_begin(&batches, &transfer->shape, CWI_DEVICE_SCRATCH, 1);
  while (cwi_batches_left(&batches)) {
    cwi_batches_next(&batches, &batch);
    CWI_TRY(batch.segments > 0 ? copy_list(transfer, &batch.shape)
                               : copy_levels(transfer, &batch.shape));
  }
  return CW_OK;
}

static void include(struct cwi_extent *extent, const char *begin, size_t bytes)
{
  const uintptr_t first = (uintptr_t)begin;
  extent->begin = first < extent->begin ? first : extent->begin;
  extent->end = first + bytes > extent->end ? first + bytes : extent->end;
}

/* Stores the address ranges of the two sides, the local one first. */
static void find_sides(const struct cwi_shape *shape, struct cwi_extent sides[2])
{
  if (shape->vectors == NULL) {
    sides[0] = cwi_shape_local_extent(shape);
    sides[1] = cwi_shape_remote_extent(shape);
    return;
  }
  sides[0] = sides[1] = (struct cwi_extent){UINTPTR_MAX, 0};
  for (size_t v = 0; v < shape->vector_count; v++)
    for (size_t i = 0; i < shape->vectors[v].count && shape->vectors[v].bytes > 0; i++) {
      include(&sides[0], shape->vectors[v].local[i], shape->vectors[v].bytes);
      include(&sides[1], shape->vectors[v].remote[i], shape->vectors[v].bytes);
    }
}

/* Returns true if the address ranges of the two sides do not overlap. */
static bool sides_are_apart(const struct cwi_shape *shape)
{
  struct cwi_extent sides[2];
  find_sides(shape, sides);
  return sides[0].begin >= sides[1].end || sides[1].begin >= sides[0].end;
}

static cw_error start_copy(const struct cwi_transfer *transfer,
                           struct cwi_device_crossing *crossing)
{
  const bool apart = transfer->place.imported != NULL || sides_are_apart(&transfer->shape);
  return is_fine(&transfer->shape) && apart
             ? copy_batches(transfer)
             : start_planes(transfer, CWI_QUEUE_WORK, copy_plane, crossing);
}

/* --- All -------------------------------------------------------------------------------------- */

typedef cw_error (*transfer_starter)(const struct cwi_transfer *transfer,
                                     struct cwi_device_crossing *crossing);

/* Begins a use of the slices and starts the transfer. The use lasts as long as the transfer is in
 * progress. An imported slice needs no such use, because it has its own use count. */
static cw_error start_using(transfer_starter starter, const struct cwi_transfer *transfer,
                            struct cwi_device_crossing *crossing)
{
  find_sides(&transfer->shape, crossing->use.sides);
  if (transfer->place.imported != NULL)
    crossing->use.sides[1] = (struct cwi_extent){0};
  cwi_device_use_begin(&crossing->use);
  const cw_error error = starter(transfer, crossing);
  if (crossing->device == NULL)
    cwi_device_use_end(&crossing->use);
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
  cwi_device_use_end(&crossing->use);
  return error;
}

static cw_error start_and_await(transfer_starter starter, const struct cwi_transfer *transfer)
{
  struct cwi_device_crossing crossing = {0};
  struct cwi_first_error first;
  const struct cwi_waiting outer =
      cwi_waiting_begin(cwi_transfer_call(transfer->operation), NULL, NULL);
  cwi_first_begin(&first, start_using(starter, transfer, &crossing));
  cwi_first_note(&first, cwi_device_await(&crossing));
  cwi_waiting_end(&outer);
  return cwi_first_return(&first);
}

cw_error cwi_device_transfer_run(const struct cwi_transfer *transfer)
{
  return start_and_await(start, transfer);
}

cw_error cwi_device_copy(const struct cwi_transfer *transfer)
{
  return start_and_await(start_copy, transfer);
}
