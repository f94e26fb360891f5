/* Blocks, owners and segments of one dimension, for distributions and for what walks over them. */
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

void cwi_axis_cut_begin(struct cwi_axis_cut *cut, const struct cwi_axis *axis,
                        struct cwi_range range, bool joined)
{
  cut->axis = axis;
  cut->range = range;
  cut->kind = CWI_CUT_BLOCKS;
  cut->segments = 0;
  if (range.count <= 0)
    return;
  const bool dealt = joined && axis->dense && axis->grid < axis->blocks && axis->starts == NULL;
  cut->first_block = cwi_axis_block_of(axis, range.first);
  cut->last_block = cwi_axis_block_of(axis, last_of(range));
  cut->segments = cut->last_block - cut->first_block + 1;
  if (dealt && axis->width == 1) {
    const int64_t common = greatest_common_divisor(axis->grid, range.step);
    cut->kind = CWI_CUT_CLASSES;
    cut->period = axis->grid / common;
    cut->pace = range.step / common;
    cut->segments = cut->period < range.count ? cut->period : range.count;
  } else if (dealt && range.step == 1 && cut->segments > 2) {
    cut->kind = CWI_CUT_FULL;
    cut->head = range.first != cwi_axis_start(axis, cut->first_block);
    cut->tail = last_of(range) != (cut->last_block + 1) * axis->width - 1;
    const int64_t full = cut->segments - cut->head - cut->tail;
    cut->segments = cut->head + (full < axis->grid ? full : axis->grid);
    if (cut->tail == 1)
      cut->segments += 1 + (full < axis->grid ? 0 : full % axis->grid);
  }
}

/* Steps of a range that fit into a distance; mostly they are 1, and divisions take long. */
static int64_t steps_in(int64_t distance, int64_t step)
{
  return step == 1 ? distance : distance / step;
}

/* What of the range lies in one block. */
static bool block_segment(const struct cwi_axis_cut *cut, int64_t block,
                          struct cwi_segment *segment)
{
  const struct cwi_axis *axis = cut->axis;
  const struct cwi_range range = cut->range;
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

static void class_segment(const struct cwi_axis_cut *cut, int64_t number,
                          struct cwi_segment *segment)
{
  *segment = (struct cwi_segment){.block = cut->range.first + number * cut->range.step,
                                  .count = (cut->range.count - number - 1) / cut->period + 1,
                                  .repeats = 1,
                                  .position = number,
                                  .position_step = cut->period,
                                  .offset_step = cut->pace};
}

static void full_segment(const struct cwi_axis_cut *cut, int64_t number,
                         struct cwi_segment *segment)
{
  const struct cwi_axis *axis = cut->axis;
  const int64_t first_full = cut->first_block + cut->head;
  const int64_t full = cut->last_block - cut->tail - first_full + 1;
  const int64_t block = first_full + number;
  *segment = (struct cwi_segment){.block = block,
                                  .count = axis->width,
                                  .repeats = (full - number - 1) / axis->grid + 1,
                                  .position = cwi_axis_start(axis, block) - cut->range.first,
                                  .position_step = 1,
                                  .position_leap = axis->grid * axis->width,
                                  .offset_step = 1,
                                  .offset_leap = axis->width};
}

bool cwi_axis_cut_segment(const struct cwi_axis_cut *cut, int64_t number,
                          struct cwi_segment *segment)
{
  if (cut->kind == CWI_CUT_BLOCKS)
    return block_segment(cut, cut->first_block + number, segment);
  if (cut->kind == CWI_CUT_CLASSES) {
    class_segment(cut, number, segment);
    return true;
  }
  if (number < cut->head)
    return block_segment(cut, cut->first_block, segment);
  if (number == cut->segments - 1 && cut->tail == 1)
    return block_segment(cut, cut->last_block, segment);
  if (number - cut->head >= cut->axis->grid)
    return false;
  full_segment(cut, number - cut->head, segment);
  return true;
}
