/* One dimension of a distribution: how its indices are partition into blocks, which coordinate of
 * the process grid has a block, and where the block begins in what that coordinate has.
 *
 * All distributions are made of these; nothing above asks which kind it is. */
#ifndef CWI_ARRAY_AXIS_H
#define CWI_ARRAY_AXIS_H

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct cwi_axis {
  int64_t extent;
  int64_t width;   /* elements of a block; the last may be shorter. 0: `starts` tells */
  int64_t *starts; /* [blocks + 1], or NULL */
  int64_t blocks;
  int64_t grid;      /* coordinates that the blocks are dealt to in turn */
  int64_t alignment; /* the one that has block 0 */
  int64_t *offsets;  /* [blocks], with `starts` and several blocks for a coordinate: block ->
                       elements  before it there; or NULL */
  int64_t ghosts;    /* cells before and after the elements in memory */
  double inverse;    /* of the width */
  bool dense;        /* blocks of one coordinate follow each other in memory */
};

/* index / width. Indices to 2^52 are divided as real numbers: that is several times as fast, and
 * wrong by one at most. */
static inline int64_t cwi_axis_divide(const struct cwi_axis *axis, int64_t index)
{
  if (CWI_UNLIKELY(index >> 52 != 0))
    return index / axis->width;
  int64_t block = (int64_t)((double)index * axis->inverse);
  block += (block + 1) * axis->width <= index;
  block -= block * axis->width > index;
  return block;
}

/* The block that holds an index: O(1), or O(log blocks). */
static inline int64_t cwi_axis_block_of(const struct cwi_axis *axis, int64_t index)
{
  if (axis->blocks == 1)
    return 0;
  if (axis->starts == NULL)
    return cwi_axis_divide(axis, index);
  int64_t low = 0, count = axis->blocks; /* the last block that starts at or before index */
  while (count > 1) {
    const int64_t half = count / 2;
    low += axis->starts[low + half] <= index ? half : 0;
    count -= half;
  }
  return low;
}

static inline int64_t cwi_axis_start(const struct cwi_axis *axis, int64_t block)
{
  return axis->starts == NULL ? block * axis->width : axis->starts[block];
}

/* One past the last index of a block. */
static inline int64_t cwi_axis_end(const struct cwi_axis *axis, int64_t block)
{
  if (axis->starts != NULL)
    return axis->starts[block + 1];
  return block + 1 < axis->blocks ? (block + 1) * axis->width : axis->extent;
}

static inline int64_t cwi_axis_coordinate(const struct cwi_axis *axis, int64_t block)
{
  return axis->grid >= axis->blocks && axis->alignment == 0
             ? block
             : (block + axis->alignment) % axis->grid;
}

/* Elements that the block's coordinate has before the block. */
static inline int64_t cwi_axis_offset(const struct cwi_axis *axis, int64_t block)
{
  if (axis->grid >= axis->blocks)
    return 0;
  return axis->offsets != NULL ? axis->offsets[block] : block / axis->grid * axis->width;
}

/* Blocks, and elements, that a coordinate has. */
int64_t cwi_axis_own_blocks(const struct cwi_axis *axis, int64_t coordinate);
int64_t cwi_axis_own_elements(const struct cwi_axis *axis, int64_t coordinate);

/* The block that a coordinate has as its own number `number`. */
int64_t cwi_axis_own_block(const struct cwi_axis *axis, int64_t coordinate, int64_t number);

/* Fill in `offsets`. Needs starts, grid and alignment. Errors: CW_OUTSIDE. */
CWI_CHECKED cw_error cwi_axis_set_offsets(struct cwi_axis *axis);

void cwi_axis_free(struct cwi_axis *axis);
CWI_CHECKED cw_error cwi_axis_copy(const struct cwi_axis *from, struct cwi_axis *to);
bool cwi_axis_equal(const struct cwi_axis *a, const struct cwi_axis *b);

/* Some indices of an axis: first, first + step, ... : count of them. */
struct cwi_range {
  int64_t first, count, step;
};

/* Indices of a range that one coordinate has and that lie regularly, both in the range and in
 * memory: `count` of them, `repeats` times. Positions in the range count its elements. */
struct cwi_segment {
  int64_t block; /* of the first element */
  int64_t count, repeats;
  int64_t position, position_step,
      position_leap;                /* in the range: first, to the next, to the next repeat */
  int64_t offset_step, offset_leap; /* in memory, in elements */
};

enum cwi_axis_partition_kind {
  CWI_PARTITION_BLOCKS, /* a segment for each block */
  CWI_PARTITION_FULL,   /* the full blocks of a coordinate in one */
  CWI_PARTITION_CLASSES /* blocks of one element: all of a coordinate in one */
};

/* How a range of an axis falls apart into segments. Numbers of segments of one coordinate are a
 * multiple of the grid apart, and the first block has number 0: some numbers have no segment. */
struct cwi_axis_partition {
  const struct cwi_axis *axis;
  struct cwi_range range;
  int64_t segments;
  enum cwi_axis_partition_kind kind;
  int64_t first_block, last_block;
  int64_t period, offset_step_of_class; /* only classes: positions from one to the next of a
                                           coordinate; offsets */
  int64_t head, tail; /* only full: is there a part of a block at the begin, at the end? 0 or 1 */
};

/* joined: blocks may be put together. */
void cwi_axis_partition_begin(struct cwi_axis_partition *partition, const struct cwi_axis *axis,
                              struct cwi_range range, bool joined);

/* The segment with this number; false: it is empty. */
bool cwi_axis_partition_segment(const struct cwi_axis_partition *partition, int64_t number,
                                struct cwi_segment *segment);

/* Levels of a strided shape that a segment of this partition may need. */
static inline int cwi_axis_partition_levels(const struct cwi_axis_partition *partition)
{
  return partition->kind == CWI_PARTITION_FULL ? 2 : 1;
}
#endif
