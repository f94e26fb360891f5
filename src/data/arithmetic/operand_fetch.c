/* Transfers operands that this process cannot load into buffers. */
#include "arithmetic/operand_fetch.h"

#include "base/size.h"
#include "memory/device_address.h"

#include <causeway/array.h>

/* SIDE: limit of the last dimension of a part if an operand is transposed, so that runs are not too
 * short in either direction. */
enum { BUFFER = 256 * 1024, SIDE = 128 };

void cwi_source_ranges(const struct cwi_source *source, const struct cwi_space *space,
                       struct cwi_range *ranges)
{
  for (int e = 0; e < source->box.array->dimensions; e++) {
    const int d = source->along[e];
    ranges[e] = (struct cwi_range){source->box.lo[e], 1, 1};
    if (d < 0)
      continue;
    ranges[e] = space->ranges[d];
    ranges[e].first += source->box.lo[e];
  }
}

void cwi_source_follow(const struct cwi_source *source, struct cwi_space *space, int channel,
                       const ptrdiff_t *strides)
{
  for (int d = 0; d < space->dimensions; d++)
    space->strides[channel][d] = 0;
  for (int e = 0; e < source->box.array->dimensions; e++)
    if (source->along[e] >= 0)
      space->strides[channel][source->along[e]] = strides[e];
}

static size_t element_of(const struct cwi_operation *operation)
{
  return operation->target.array->element;
}

size_t cwi_fetch_bytes(const struct cwi_operation *operation)
{
  return element_of(operation) > BUFFER ? element_of(operation) : BUFFER;
}

/* Returns the distance of neighbours along dimension `d`, in row-major positions of the target's
 * patch. */
static int64_t volume_after(const struct cwi_box *target, int d)
{
  int64_t volume = 1;
  for (int e = d + 1; e < target->array->dimensions; e++)
    volume *= target->extents[e];
  return volume;
}

/* Computes parts for a reshaped operand, of which all positions from the first of a part to its
 * last are fetched. A part has several rows only if at most twice as many elements are fetched as
 * are needed. */
static void partition_line(const struct cwi_operation *operation, const struct cwi_space *space,
                           int64_t limit, int64_t *counts)
{
  int64_t length = 1, elements = 1;
  bool whole = true;
  for (int d = space->dimensions - 1; d >= 0; d--) {
    const struct cwi_range *range = &space->ranges[d];
    const int64_t pace = range->step * volume_after(&operation->target, d);
    counts[d] = 1;
    if (!whole || range->count == 1)
      continue;
    const int64_t fits = cwi_lesser(range->count, 1 + (limit - length) / pace);
    const int64_t longer = length + (fits - 1) * pace;
    if (elements == 1 || longer <= 2 * elements * fits) {
      counts[d] = fits;
      length = longer;
      elements *= fits;
    }
    whole = counts[d] == range->count;
  }
}

void cwi_fetch_partition(const struct cwi_operation *operation, const bool *fetched,
                         const struct cwi_space *space, int64_t *counts)
{
  const int64_t limit = (int64_t)(cwi_fetch_bytes(operation) / element_of(operation));
  int64_t left = limit;
  bool across = false;
  for (int s = 0; s < operation->sources; s++) {
    const struct cwi_source *source = &operation->source[s];
    if (fetched[s] && source->reshaped) {
      partition_line(operation, space, limit, counts);
      return;
    }
    across = across || (fetched[s] && source->box.transposed != operation->target.transposed);
  }
  for (int d = space->dimensions - 1; d >= 0; d--) {
    const bool last = left == limit && space->ranges[d].count > 1;
    counts[d] = cwi_lesser(space->ranges[d].count, across && last ? cwi_lesser(left, SIDE) : left);
    left /= counts[d];
  }
}

/* Starts to get the elements at all positions from the part's first to its last into a contiguous
 * buffer. */
static cw_error start_line(const struct cwi_operation *operation, int channel,
                           struct cwi_space *part, char *buffer, cw_handle *handle)
{
  const struct cwi_source *source = &operation->source[channel - 1];
  const ptrdiff_t element = (ptrdiff_t)element_of(operation);
  int64_t position = 0, last = 0;
  int64_t lo[CW_MAX_DIMENSIONS], hi[CW_MAX_DIMENSIONS];
  for (int d = 0; d < part->dimensions; d++) {
    const struct cwi_range *range = &part->ranges[d];
    const int64_t volume = volume_after(&operation->target, d);
    position += range->first * volume;
    last += (range->first + (range->count - 1) * range->step) * volume;
    part->strides[channel][d] = range->step * volume * element;
  }
  part->at[channel] = buffer;
  while (position <= last) {
    const int64_t count = cwi_box_from(source->box.array->dimensions, source->box.lo,
                                       source->box.extents, position, last + 1, lo, hi);
    const cw_patch patch = {.operation = CW_GET, .lo = lo, .hi = hi, .buffer = buffer};
    CWI_TRY(cwi_array_start(source->box.array, &patch, handle));
    buffer += count * element;
    position += count;
  }
  return CW_OK;
}

static cw_error get_ranges(cw_array array, const struct cwi_range *ranges, char *buffer,
                           const int64_t *ld, cw_handle *handle)
{
  int64_t lo[CW_MAX_DIMENSIONS], hi[CW_MAX_DIMENSIONS], skip[CW_MAX_DIMENSIONS];
  for (int e = 0; e < array->dimensions; e++) {
    lo[e] = ranges[e].first;
    hi[e] = ranges[e].first + (ranges[e].count - 1) * ranges[e].step;
    skip[e] = ranges[e].step;
  }
  const cw_patch patch = {.operation = CW_GET,
                          .lo = lo,
                          .hi = hi,
                          .skip = skip,
                          .buffer = buffer,
                          .local_device = cwi_is_device_address(buffer),
                          .ld = ld};
  return cwi_array_start(array, &patch, handle);
}

cw_error cwi_fetch_start(const struct cwi_operation *operation, int channel, struct cwi_space *part,
                         char *buffer, cw_handle *handle)
{
  const struct cwi_source *source = &operation->source[channel - 1];
  struct cwi_range ranges[CW_MAX_DIMENSIONS];
  ptrdiff_t strides[CW_MAX_DIMENSIONS], stride = (ptrdiff_t)element_of(operation);
  if (source->reshaped)
    return start_line(operation, channel, part, buffer, handle);
  cwi_source_ranges(source, part, ranges);
  for (int e = source->box.array->dimensions - 1; e >= 0; e--) {
    strides[e] = stride;
    stride *= ranges[e].count;
  }
  part->at[channel] = buffer;
  cwi_source_follow(source, part, channel, strides);
  return get_ranges(source->box.array, ranges, buffer, NULL, handle);
}

/* Computes the leading dimensions with which a get from the source stores directly into the target.
 * Returns false if no leading dimensions describe the target's memory. */
static bool lead(const struct cwi_source *source, const struct cwi_space *space,
                 const struct cwi_range *ranges, int64_t *ld)
{
  ptrdiff_t unit = (ptrdiff_t)source->box.array->element;
  for (int e = source->box.array->dimensions - 1; e >= 0; e--) {
    const ptrdiff_t wanted = ranges[e].count > 1 ? space->strides[0][source->along[e]] : unit;
    const int64_t inner = e + 1 < source->box.array->dimensions ? ranges[e + 1].count : 1;
    if (e + 1 == source->box.array->dimensions) {
      if (wanted != unit)
        return false;
      continue;
    }
    ld[e] = ranges[e].count > 1 ? wanted / unit : inner;
    if (ld[e] < inner || (ranges[e].count > 1 && wanted % unit != 0))
      return false;
    unit *= ld[e];
  }
  return true;
}

cw_error cwi_fetch_into_target(const struct cwi_operation *operation, const struct cwi_space *space,
                               cw_handle *handle, bool *started)
{
  const struct cwi_source *source = &operation->source[0];
  struct cwi_range ranges[CW_MAX_DIMENSIONS] = {{0}};
  int64_t ld[CW_MAX_DIMENSIONS];
  *started = false;
  if (!operation->copies || source->reshaped)
    return CW_OK;
  cwi_source_ranges(source, space, ranges);
  if (!lead(source, space, ranges, ld))
    return CW_OK;
  *started = true;
  return get_ranges(source->box.array, ranges, space->at[0], ld, handle);
}
