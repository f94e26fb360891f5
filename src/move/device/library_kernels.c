/* Prepares launches of the library's own kernels, and divides a shape among work items. */
#include "device/library_kernels.h"

#include "device/host/kernels_host.h"
#include "device/kernels_text.h"
#include "number/atomic_update.h"

#include <string.h>

const cw_kernel_source cwi_kernels_source = {cwi_kernels_opencl, NULL, cwi_kernels_ptx,
                                             cwi_kernels_host};

#define UPDATE_NAME(number, type, ...) "cw_update_" #type,
#define DOT_NAME(number, type, ...) "cw_dot_" #type,
const char *const cwi_kernel_names[CWI_KERNELS] = {"cw_move", CWI_UPDATE_KERNELS(UPDATE_NAME)
                                                                  CWI_DOT_KERNELS(DOT_NAME)};

/* Bytes and alignment of the elements of each kernel. */
#define UPDATE_SIZES(number, type, bytes, alignment)                                               \
  [CWI_KERNEL_UPDATE_##number] = {bytes, alignment},
#define DOT_SIZES(number, type, bytes, alignment) [CWI_KERNEL_DOT_##number] = {bytes, alignment},
static const struct {
  unsigned char element, alignment;
} sizes[CWI_KERNELS] = {CWI_UPDATE_KERNELS(UPDATE_SIZES) CWI_DOT_KERNELS(DOT_SIZES)};

/* GROUP: number of work items of a group. On a processor, a launch has about SHARES work items at
 * most, each with about PORTION bytes at least. MOST: limit for the number of groups in the higher
 * dimensions, below that of CUDA. WIDEST: size of the largest unit in bytes. */
enum { GROUP = 128, SHARES = 256, PORTION = 32768, MOST = 32768, WIDEST = 16 };

/* --- Shapes ----------------------------------------------------------------------------------- */

/* Returns the bitwise OR of all numbers that must be multiples of the alignment. Its lowest set bit
 * is the greatest power of 2 that divides all of them. */
static size_t place_bits(const struct cwi_kernel_work *work, const struct cwi_kernel_place *place)
{
  size_t bits = place->offset;
  for (int level = 0; level < work->levels && place->strides != NULL; level++)
    bits |= (size_t)place->strides[level];
  return bits | (place->listed ? place->alignment : work->run);
}

static size_t alignment_of(const struct cwi_kernel_work *work)
{
  size_t bits = place_bits(work, &work->to) | WIDEST;
  if (work->from.memory != NULL)
    bits |= place_bits(work, &work->from);
  return bits & -bits;
}

size_t cwi_launch_list_alignment(const uint64_t *offsets, size_t count)
{
  size_t bits = WIDEST;
  for (size_t i = 0; i < count; i++)
    bits |= offsets[i];
  return bits & -bits;
}

/* Returns one side of the work. Without strides, rows are contiguous. */
static struct cwi_kernel_side side_of(const struct cwi_kernel_work *work,
                                      const struct cwi_kernel_place *place)
{
  struct cwi_kernel_side side = {
      .offset = (int64_t)place->offset, .listed = place->listed, .entry = place->entry};
  int64_t stride = (int64_t)work->run;
  for (int level = 0; level < work->levels; level++) {
    if (place->strides != NULL)
      stride = place->strides[level];
    if (level == 0)
      side.row = stride;
    else
      side.planes[level - 1] = stride;
    stride *= (int64_t)work->counts[level];
  }
  return side;
}

/* Returns the side that is read. An update without `from` reads `to` itself. This is safe because
 * no other work item stores the same elements. */
static const struct cwi_kernel_place *from_of(const struct cwi_kernel_work *work)
{
  return work->from.memory != NULL ? &work->from : &work->to;
}

static void shape_make(const struct cwi_kernel_work *work, size_t unit,
                       struct cwi_kernel_shape *shape)
{
  *shape = (struct cwi_kernel_shape){.units = work->run / unit,
                                     .rows = work->levels > 0 ? work->counts[0] : 1,
                                     .planes = 1,
                                     .unit = unit,
                                     .spans = {1, 1},
                                     .ragged = work->ragged,
                                     .lengths = work->lengths,
                                     .to = side_of(work, &work->to),
                                     .from = side_of(work, from_of(work))};
  for (int level = 1; level < work->levels; level++) {
    shape->planes *= work->counts[level];
    shape->counts[shape->levels++] = work->counts[level];
  }
}

/* --- Items ------------------------------------------------------------------------------------ */

static size_t lesser(size_t a, size_t b)
{
  return a < b ? a : b;
}

static size_t ceiling(size_t whole, size_t part)
{
  return (whole + part - 1) / part;
}

/* Sets the launch sizes for an accelerator. Consecutive units go to consecutive work items. If rows
 * are short, a group has several rows. */
static void items_of_accelerator(const struct cwi_kernel_shape *shape, size_t most,
                                 struct cwi_device_launch *launch)
{
  size_t wide = 1;
  while (wide < GROUP && wide < shape->units)
    wide *= 2;
  const size_t high = GROUP / wide;
  const size_t columns = lesser(ceiling(shape->units, wide), ceiling(most, GROUP)),
               lines = lesser(ceiling(shape->rows, high), ceiling(most, columns * GROUP));
  launch->local[0] = wide;
  launch->local[1] = high;
  launch->local[2] = 1;
  launch->global[0] = wide * columns;
  launch->global[1] = high * lesser(lines, MOST);
  launch->global[2] =
      lesser(lesser(shape->planes, MOST), ceiling(most, launch->global[0] * launch->global[1]));
}

/* Sets the launch sizes for a processor. There are few work items, each with a contiguous part. */
static void items_of_processor(struct cwi_kernel_shape *shape, struct cwi_device_launch *launch)
{
  const size_t row = shape->units * shape->unit;
  const size_t parts = lesser(ceiling(row, PORTION), SHARES);
  shape->spans[0] = ceiling(shape->units, parts);
  const size_t together = ceiling(PORTION, lesser(row, PORTION)), shares = ceiling(SHARES, parts);
  shape->spans[1] = ceiling(shape->rows, lesser(ceiling(shape->rows, together), shares));
  launch->global[0] = ceiling(shape->units, shape->spans[0]);
  launch->global[1] = ceiling(shape->rows, shape->spans[1]);
  launch->global[2] = lesser(shape->planes, ceiling(SHARES, launch->global[0] * launch->global[1]));
  launch->local[0] = launch->local[1] = launch->local[2] = 1;
}

/* Divides the work among work items. `most` is the approximate upper bound of their number on an
 * accelerator. */
static void share_out(const struct cwi_kernel_work *work, size_t most, struct cwi_kernel_call *call)
{
  struct cwi_device_launch *launch = &call->launch;
  if (work->overlaps) {
    for (int i = 0; i < 3; i++)
      launch->global[i] = launch->local[i] = 1;
    call->shape.spans[0] = call->shape.units;
    call->shape.spans[1] = call->shape.rows;
  } else if (work->processor) {
    items_of_processor(&call->shape, launch);
  } else {
    items_of_accelerator(&call->shape, most, launch);
  }
}

/* --- Calls ------------------------------------------------------------------------------------ */

static void add_memory(struct cwi_kernel_call *call, void *memory)
{
  call->arguments[call->launch.count++].memory = memory;
}

static void add_scalar(struct cwi_kernel_call *call, const void *scalar, size_t bytes)
{
  call->arguments[call->launch.count++] =
      (struct cwi_device_argument){.scalar = scalar, .bytes = bytes};
}

/* Fills in the arguments that all kernels have. For `most`, see share_out. */
static void call_begin(const struct cwi_kernel_work *work, enum cwi_kernel_number kernel,
                       size_t unit, size_t most, struct cwi_kernel_call *call)
{
  memset(call, 0, sizeof *call);
  call->kernel = kernel;
  shape_make(work, unit, &call->shape);
  share_out(work, most, call);
  call->launch.arguments = call->arguments;
  add_memory(call, work->to.memory);
  add_memory(call, from_of(work)->memory);
  add_memory(call, work->table != NULL ? work->table : work->to.memory);
  add_scalar(call, &call->shape, sizeof call->shape);
}

enum { ANY_NUMBER = 1 << 30 };

void cwi_launch_move(const struct cwi_kernel_work *work, struct cwi_kernel_call *call)
{
  const size_t alignment = alignment_of(work);
  const size_t end = work->ragged ? work->grain : work->run & -work->run;
  call_begin(work, CWI_KERNEL_MOVE, lesser(alignment, end), ANY_NUMBER, call);
}

/* Prepares an update by the given kernel. */
static void call_update(const struct cwi_kernel_work *work, enum cwi_kernel_number kernel,
                        int operation, const void *a, const void *b, struct cwi_kernel_call *call)
{
  const size_t element = sizes[kernel].element;
  call_begin(work, kernel, element, ANY_NUMBER, call);
  call->shape.aligned = alignment_of(work) >= sizes[kernel].alignment;
  call->operation = operation;
  if (a != NULL)
    memcpy(&call->a, a, element);
  if (b != NULL)
    memcpy(&call->b, b, element);
  add_scalar(call, &call->operation, sizeof call->operation);
  add_scalar(call, &call->a, element);
  add_scalar(call, &call->b, element);
}

/* Returns the kernel that updates elements of this size without regard to their type. */
static enum cwi_kernel_number kernel_of_bytes(size_t bytes)
{
  return bytes == 1   ? CWI_KERNEL_UPDATE_U8
         : bytes == 2 ? CWI_KERNEL_UPDATE_U16
         : bytes == 4 ? CWI_KERNEL_UPDATE_U32
         : bytes == 8 ? CWI_KERNEL_UPDATE_U64
                      : CWI_KERNEL_UPDATE_C64;
}

#define UPDATE_REAL(name, c, bits, ...)                                                            \
  case name:                                                                                       \
    return CWI_KERNEL_UPDATE_F##bits;
#define UPDATE_COMPLEX(name, c, bits, ...)                                                         \
  case name:                                                                                       \
    return CWI_KERNEL_UPDATE_C##bits;

static enum cwi_kernel_number kernel_of_type(cw_type type)
{
  switch (type) {
    CWI_REAL_TYPES(UPDATE_REAL)
    CWI_COMPLEX_TYPES(UPDATE_COMPLEX)
  default:
    return kernel_of_bytes(cwi_type_bytes[type]);
  }
}

void cwi_launch_accumulate(const struct cwi_kernel_work *work, cw_type type, cw_reduction reduction,
                           const void *scale, struct cwi_kernel_call *call)
{
  const bool is_signed = cwi_type_is_whole(type) && !cwi_type_is_unsigned(type);
  int operation = (int)reduction;
  if (scale != NULL)
    operation = CWI_SCALED_SUM;
  else if (is_signed && reduction == CW_MINIMUM)
    operation = CWI_SIGNED_MINIMUM;
  else if (is_signed && reduction == CW_MAXIMUM)
    operation = CWI_SIGNED_MAXIMUM;
  call_update(work, kernel_of_type(type), operation, scale, NULL, call);
}

void cwi_launch_fill(const struct cwi_kernel_work *work, size_t bytes, const void *value,
                     struct cwi_kernel_call *call)
{
  call_update(work, kernel_of_bytes(bytes), CWI_FILL, value, NULL, call);
}

void cwi_launch_scale(const struct cwi_kernel_work *work, cw_type type, const void *factor,
                      struct cwi_kernel_call *call)
{
  call_update(work, kernel_of_type(type), CWI_SCALE, factor, NULL, call);
}

void cwi_launch_combine(const struct cwi_kernel_work *work, cw_type type, const void *a,
                        const void *b, struct cwi_kernel_call *call)
{
  call_update(work, kernel_of_type(type), b != NULL ? CWI_COMBINE : CWI_SCALED, a, b, call);
}

/* --- Dot products ----------------------------------------------------------------------------- */

#define DOT_WHOLE(name, c, bits, ...) [name] = CWI_KERNEL_DOT_U##bits,
#define DOT_REAL(name, c, bits, ...) [name] = CWI_KERNEL_DOT_F##bits,
#define DOT_COMPLEX(name, c, bits, ...) [name] = CWI_KERNEL_DOT_C##bits,

size_t cwi_launch_dot(const struct cwi_kernel_work *work, cw_type type, void *sums, size_t offset,
                      struct cwi_kernel_call *call)
{
  static const enum cwi_kernel_number kernels[CW_TYPES] = {
      CWI_SIGNED_TYPES(DOT_WHOLE) CWI_REAL_TYPES(DOT_REAL) CWI_COMPLEX_TYPES(DOT_COMPLEX)};
  const enum cwi_kernel_number kernel = kernels[cwi_arithmetic_type(type)];
  call_begin(work, kernel, sizes[kernel].element, CWI_DOT_ITEMS / 2, call);
  call->shape.aligned = alignment_of(work) >= sizes[kernel].alignment;
  call->sums = offset / sizeof(uint64_t);
  add_memory(call, sums);
  add_scalar(call, &call->sums, sizeof call->sums);
  const size_t *global = call->launch.global;
  return 2 * sizeof(uint64_t) * global[0] * global[1] * global[2];
}

void cwi_launch_dot_add(cw_type type, const void *sums, size_t bytes, uint64_t *whole,
                        double real[2])
{
  const uint64_t *words = sums;
  const double *parts = sums;
  const bool is_whole = cwi_type_is_whole(type);
  for (size_t i = 0; i < bytes / sizeof *words; i += 2) {
    if (is_whole) {
      *whole += words[i];
    } else {
      real[0] += parts[i];
      real[1] += parts[i + 1];
    }
  }
}
