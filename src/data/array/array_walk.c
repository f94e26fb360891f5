/* The walk over the elements of one holder, or of all, for transfers, whole-array operations and
 * queries. */
#include "array/array_walk.h"

static int64_t modulo(int64_t value, int64_t by)
{
  if (value >= 0 && value < by)
    return value; /* usual case, which avoids the slow division */
  const int64_t rest = value % by;
  return rest < 0 ? rest + by : rest;
}

int64_t cwi_box_from(int dimensions, const int64_t *patch, const int64_t *extents, int64_t position,
                     int64_t end, int64_t *lo, int64_t *hi)
{
  int64_t rest = position, volume = 1;
  int d = dimensions - 1;
  /* Move outwards while `position` begins a complete range of dimension d and that range ends by
   * `end`. */
  while (d > 0 && position % (volume * extents[d]) == 0 && position + volume * extents[d] <= end)
    volume *= extents[d--];
  for (int e = dimensions - 1; e >= 0; e--) {
    lo[e] = hi[e] = patch[e] + rest % extents[e];
    rest /= extents[e];
    if (e > d)
      hi[e] = patch[e] + extents[e] - 1;
  }
  const int64_t fit = (end - position) / volume, left = patch[d] + extents[d] - lo[d];
  const int64_t count = fit < left ? fit : left;
  hi[d] = lo[d] + count - 1;
  return count * volume;
}

/* A dimension whose blocks are joined needs one more level of the strided shape, and a shape has at
 * most CW_MAX_LEVELS. The innermost dimensions are joined first, because their runs are the
 * shortest. */
void cwi_walk_begin(struct cwi_walk *walk, cw_array array, const struct cwi_range *ranges,
                    enum cwi_walk_kind kind, int holder)
{
  int levels = 0;
  walk->array = array;
  walk->holder = holder;
  walk->begun = walk->done = false;
  walk->single = array->plain && holder >= 0 && kind == CWI_WALK_SECTIONS;
  for (int d = 0; d < array->dimensions && walk->single; d++)
    walk->partitions[d].range = ranges[d];
  if (walk->single)
    return;
  for (int d = array->dimensions - 1; d >= 0; d--) {
    const struct cwi_axis *axis = &array->axes[d];
    struct cwi_axis_partition *partition = &walk->partitions[d];
    const bool fits = kind == CWI_WALK_PORTIONS && levels + 2 + d <= CW_MAX_LEVELS;
    cwi_axis_partition_begin(partition, axis, ranges[d],
                             kind != CWI_WALK_BLOCKS && (axis->width == 1 || fits));
    levels += cwi_axis_partition_levels(partition);
    walk->done = walk->done || partition->segments == 0;
  }
  if (holder >= 0 && array->layout != CW_ROUND_ROBIN)
    cwi_holder_coordinates(array, holder, walk->coordinate);
}

/* Finds the number of the holder's first segment along a dimension, and the distance to the next.
 * With CW_ROUND_ROBIN blocks are assigned in row-major order, so only the segments of the last
 * dimension are restricted to those of the holder. */
static void walk_enter(struct cwi_walk *walk, int d)
{
  cw_array array = walk->array;
  const struct cwi_axis *axis = &array->axes[d];
  int64_t first = 0, step = 1;
  if (walk->holder >= 0 && array->layout != CW_ROUND_ROBIN) {
    first =
        modulo(walk->coordinate[d] - axis->alignment - walk->partitions[d].first_block, axis->grid);
    step = axis->grid;
  } else if (walk->holder >= 0 && d == array->dimensions - 1) {
    int64_t block[CW_MAX_DIMENSIONS];
    for (int e = 0; e < d; e++)
      block[e] = walk->segments[e].block;
    block[d] = walk->partitions[d].first_block;
    first = modulo(walk->holder - cwi_block_number(array, block), array->holders);
    step = array->holders;
  }
  walk->numbers[d] = first - step;
  walk->steps[d] = step;
}

/* Steps to the next non-empty segment of a dimension. Returns false if there is none. */
static bool walk_step(struct cwi_walk *walk, int d)
{
  const struct cwi_axis_partition *partition = &walk->partitions[d];
  while ((walk->numbers[d] += walk->steps[d]) < partition->segments)
    if (cwi_axis_partition_segment(partition, walk->numbers[d], &walk->segments[d]))
      return true;
  return false;
}

bool cwi_walk_next(struct cwi_walk *walk)
{
  const int n = walk->array->dimensions;
  int d = n - 1;
  if (walk->done)
    return false;
  if (!walk->begun)
    walk_enter(walk, d = 0);
  walk->begun = true;
  while (d >= 0 && d < n) {
    if (!walk_step(walk, d))
      d--;
    else if (++d < n)
      walk_enter(walk, d);
  }
  walk->done = d < 0;
  return d == n;
}

static int64_t first_index(const struct cwi_walk *walk, int d)
{
  return walk->partitions[d].range.first +
         walk->segments[d].position * walk->partitions[d].range.step;
}

void cwi_walk_place(const struct cwi_walk *walk, struct cwi_place *place)
{
  int64_t block[CW_MAX_DIMENSIONS], index[CW_MAX_DIMENSIONS];
  for (int d = 0; d < walk->array->dimensions; d++) {
    block[d] = walk->segments[d].block;
    index[d] = first_index(walk, d);
  }
  cwi_element_place(walk->array, block, index, place);
}

/* Finds the part of the ranges that is in the one block of a holder of a plain array. It uses no
 * partitions and segments, because for a small array these would take longer than the whole
 * operation. */
static bool single_section(struct cwi_walk *walk, struct cwi_section *section)
{
  cw_array array = walk->array;
  unsigned rest = (unsigned)walk->holder;
  ptrdiff_t stride = (ptrdiff_t)array->element, offset = 0;
  if (walk->done)
    return false;
  walk->done = true;
  for (int d = array->dimensions - 1; d >= 0; d--) {
    const struct cwi_axis *axis = &array->axes[d];
    const struct cwi_range *range = &walk->partitions[d].range;
    const unsigned blocks = (unsigned)axis->blocks; /* at most the number of holders */
    const unsigned block = d == 0 ? rest : blocks == 1 ? 0 : rest % blocks;
    if (block >= blocks)
      return false; /* this holder has no block */
    rest = d == 0 || blocks == 1 ? rest : rest / blocks;
    const int64_t start = cwi_axis_start(axis, block), end = cwi_axis_end(axis, block);
    const int64_t first = range->first > start ? range->first : start;
    const int64_t last = range->first + range->count < end ? range->first + range->count : end;
    if (first >= last)
      return false;
    section->ranges[d] = (struct cwi_range){first, last - first, 1};
    section->strides[d] = stride;
    offset += (first - start + axis->ghosts) * stride;
    stride *= end - start + 2 * axis->ghosts;
  }
  section->holder = walk->holder;
  section->address = cwi_holder_base(array, walk->holder) + offset;
  return true;
}

bool cwi_walk_next_section(struct cwi_walk *walk, struct cwi_section *section)
{
  struct cwi_place place;
  if (walk->single)
    return single_section(walk, section);
  if (!cwi_walk_next(walk))
    return false;
  cwi_walk_place(walk, &place);
  section->holder = place.holder;
  section->address = cwi_holder_base(walk->array, place.holder) + place.offset;
  for (int d = 0; d < walk->array->dimensions; d++) {
    const struct cwi_segment *segment = &walk->segments[d];
    section->ranges[d] =
        (struct cwi_range){first_index(walk, d), segment->count,
                           segment->position_step * walk->partitions[d].range.step};
    section->strides[d] = segment->offset_step * place.strides[d];
  }
  return true;
}
