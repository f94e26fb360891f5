/* Blocks, owners and segments of one dimension, for distributions and the walks over them. */
#include "array/axis.h"

#include <stdlib.h>
#include <string.h>

int64_t cwi_axis_own_blocks(const struct cwi_axis *axis, int64_t coordinate)
{
  const int64_t first = cwi_axis_own_block(axis, coordinate, 0);
  return first < axis->blocks ? (axis->blocks - first - 1) / axis->grid + 1 : 0;
}

int64_t cwi_axis_own_block(const struct cwi_axis *axis, int64_t coordinate, int64_t number)
{
  const int64_t first = (coordinate - axis->alignment + axis->grid) % axis->grid;
  return first + number * axis->grid;
}

int64_t cwi_axis_own_elements(const struct cwi_axis *axis, int64_t coordinate)
{
  if (axis->grid == axis->blocks && axis->alignment == 0)
    return cwi_axis_end(axis, coordinate) - cwi_axis_start(axis, coordinate);
  const int64_t blocks = cwi_axis_own_blocks(axis, coordinate);
  if (blocks == 0)
    return 0;
  const int64_t last = cwi_axis_own_block(axis, coordinate, blocks - 1);
  return cwi_axis_offset(axis, last) + cwi_axis_end(axis, last) - cwi_axis_start(axis, last);
}

cw_error cwi_axis_set_offsets(struct cwi_axis *axis)
{
  if (axis->grid >= axis->blocks || axis->starts == NULL)
    return CW_OK;
  axis->offsets = calloc((size_t)axis->blocks, sizeof *axis->offsets);
  if (axis->offsets == NULL)
    return cwi_outside("no memory for the %lld blocks of a dimension", (long long)axis->blocks);
  for (int64_t block = axis->grid; block < axis->blocks; block++) {
    const int64_t before = block - axis->grid;
    axis->offsets[block] =
        axis->offsets[before] + cwi_axis_end(axis, before) - cwi_axis_start(axis, before);
  }
  return CW_OK;
}

void cwi_axis_free(struct cwi_axis *axis)
{
  free(axis->starts);
  free(axis->offsets);
  axis->starts = axis->offsets = NULL;
}

cw_error cwi_axis_copy(const struct cwi_axis *from, struct cwi_axis *to)
{
  *to = *from;
  to->starts = to->offsets = NULL;
  if (from->starts != NULL) {
    const size_t bytes = ((size_t)from->blocks + 1) * sizeof *to->starts;
    to->starts = malloc(bytes);
    if (to->starts == NULL)
      return cwi_outside("no memory for the %lld blocks of a dimension", (long long)from->blocks);
    memcpy(to->starts, from->starts, bytes);
  }
  return from->offsets != NULL ? cwi_axis_set_offsets(to) : CW_OK;
}

bool cwi_axis_equal(const struct cwi_axis *a, const struct cwi_axis *b)
{
  if (a->extent != b->extent || a->blocks != b->blocks || a->grid != b->grid ||
      a->alignment != b->alignment || a->dense != b->dense)
    return false;
  for (int64_t block = 0; block < a->blocks && (a->width == 0 || a->width != b->width); block++)
    if (cwi_axis_start(a, block) != cwi_axis_start(b, block))
      return false;
  return true;
}

static int64_t greatest_common_divisor(int64_t a, int64_t b)
{
  while (b != 0) {
    const int64_t rest = a % b;
    a = b;
    b = rest;
  }
  return a;
}

static int64_t last_of(struct cwi_range range)
{
  return range.first + (range.count - 1) * range.step;
}

void cwi_axis_partition_begin(struct cwi_axis_partition *partition, const struct cwi_axis *axis,
                              struct cwi_range range, bool joined)
{
  partition->axis = axis;
  partition->range = range;
  partition->kind = CWI_PARTITION_BLOCKS;
  partition->segments = 0;
  if (range.count <= 0)
    return;
  const bool round_robin =
      joined && axis->dense && axis->grid < axis->blocks && axis->starts == NULL;
  partition->first_block = cwi_axis_block_of(axis, range.first);
  partition->last_block = cwi_axis_block_of(axis, last_of(range));
  partition->segments = partition->last_block - partition->first_block + 1;
  if (round_robin && axis->width == 1) {
    const int64_t common = greatest_common_divisor(axis->grid, range.step);
    partition->kind = CWI_PARTITION_CLASSES;
    partition->period = axis->grid / common;
    partition->offset_step_of_class = range.step / common;
    partition->segments = partition->period < range.count ? partition->period : range.count;
  } else if (round_robin && range.step == 1 && partition->segments > 2) {
    partition->kind = CWI_PARTITION_FULL;
    partition->head = range.first != cwi_axis_start(axis, partition->first_block);
    partition->tail = last_of(range) != (partition->last_block + 1) * axis->width - 1;
    const int64_t full = partition->segments - partition->head - partition->tail;
    partition->segments = partition->head + (full < axis->grid ? full : axis->grid);
    if (partition->tail == 1)
      partition->segments += 1 + (full < axis->grid ? 0 : full % axis->grid);
  }
}

/* Returns the number of steps of a range in a distance. Avoids the slow division for steps of 1,
 * the usual case. */
static int64_t steps_in(int64_t distance, int64_t step)
{
  return step == 1 ? distance : distance / step;
}

/* Finds the part of the range in one block. Returns false if there is none. */
static bool block_segment(const struct cwi_axis_partition *partition, int64_t block,
                          struct cwi_segment *segment)
{
  const struct cwi_axis *axis = partition->axis;
  const struct cwi_range range = partition->range;
  const int64_t start = cwi_axis_start(axis, block), end = cwi_axis_end(axis, block);
  const int64_t before =
      start > range.first ? steps_in(start - range.first - 1, range.step) + 1 : 0;
  const int64_t first = range.first + before * range.step;
  const int64_t rest = range.count - before;
  if (first >= end || rest <= 0)
    return false;
  const int64_t count = steps_in(end - first - 1, range.step) + 1;
  *segment = (struct cwi_segment){.block = block,
                                  .count = count < rest ? count : rest,
                                  .repeats = 1,
                                  .position = before,
                                  .position_step = 1,
                                  .position_leap = 0,
                                  .offset_step = range.step,
                                  .offset_leap = 0};
  return true;
}

static void class_segment(const struct cwi_axis_partition *partition, int64_t number,
                          struct cwi_segment *segment)
{
  *segment =
      (struct cwi_segment){.block = partition->range.first + number * partition->range.step,
                           .count = (partition->range.count - number - 1) / partition->period + 1,
                           .repeats = 1,
                           .position = number,
                           .position_step = partition->period,
                           .offset_step = partition->offset_step_of_class};
}

static void full_segment(const struct cwi_axis_partition *partition, int64_t number,
                         struct cwi_segment *segment)
{
  const struct cwi_axis *axis = partition->axis;
  const int64_t first_full = partition->first_block + partition->head;
  const int64_t full = partition->last_block - partition->tail - first_full + 1;
  const int64_t block = first_full + number;
  *segment = (struct cwi_segment){.block = block,
                                  .count = axis->width,
                                  .repeats = (full - number - 1) / axis->grid + 1,
                                  .position = cwi_axis_start(axis, block) - partition->range.first,
                                  .position_step = 1,
                                  .position_leap = axis->grid * axis->width,
                                  .offset_step = 1,
                                  .offset_leap = axis->width};
}

bool cwi_axis_partition_segment(const struct cwi_axis_partition *partition, int64_t number,
                                struct cwi_segment *segment)
{
  if (partition->kind == CWI_PARTITION_BLOCKS)
    return block_segment(partition, partition->first_block + number, segment);
  if (partition->kind == CWI_PARTITION_CLASSES) {
    class_segment(partition, number, segment);
    return true;
  }
  if (number < partition->head)
    return block_segment(partition, partition->first_block, segment);
  if (number == partition->segments - 1 && partition->tail == 1)
    return block_segment(partition, partition->last_block, segment);
  if (number - partition->head >= partition->axis->grid)
    return false;
  full_segment(partition, number - partition->head, segment);
  return true;
}
