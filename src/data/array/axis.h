/* One dimension of a distribution: how its indices are divided into blocks, which coordinate of the
 * process grid has a block, and where the block begins in the memory of that coordinate. All
 * distributions are made of axes, so that the code that uses an axis need not know the kind of the
 * distribution. */
#pragma once

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct cwi_axis {
  int64_t extent;
  int64_t width;   /* elements of a block; the last may be shorter. 0 if `starts` is set */
  int64_t *starts; /* [blocks + 1] first index of each block, then extent; or NULL */
  int64_t blocks;
  int64_t grid;      /* number of coordinates, to which blocks are assigned round robin */
  int64_t alignment; /* the coordinate that has block 0 */
  int64_t *offsets;  /* [blocks] number of elements that the block's coordinate has before it; only
                        with `starts` and several blocks per coordinate, otherwise NULL */
  int64_t ghosts;    /* cells before and after the elements in memory */
  double inverse;    /* 1 / width */
  bool dense;        /* blocks of one coordinate form one dense matrix in memory */
};

/* Returns index / width. Indices up to 2^52 are divided in floating point, which is several times
 * as fast. The quotient is off by at most one; this error is corrected. */
static inline int64_t cwi_axis_divide(const struct cwi_axis *axis, int64_t index)
{
  if (CWI_UNLIKELY(index >> 52 != 0))
    return index / axis->width;
  int64_t block = (int64_t)((double)index * axis->inverse);
  block += (block + 1) * axis->width <= index;
  block -= block * axis->width > index;
  return block;
}

/* Returns the block that contains an index, in O(1) or O(log blocks). */
static inline int64_t cwi_axis_block_of(const struct cwi_axis *axis, int64_t index)
{
  if (axis->blocks == 1)
    return 0;
  if (axis->starts == NULL)
    return cwi_axis_divide(axis, index);
  int64_t low = 0, count = axis->blocks; /* find the last block that starts at or before index */
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

/* Returns one past the last index of a block. */
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

/* Returns the number of elements that the block's coordinate has before the block. */
static inline int64_t cwi_axis_offset(const struct cwi_axis *axis, int64_t block)
{
  if (axis->grid >= axis->blocks)
    return 0;
  return axis->offsets != NULL ? axis->offsets[block] : block / axis->grid * axis->width;
}

/* Return the number of blocks, and of elements, that a coordinate has. */
int64_t cwi_axis_own_blocks(const struct cwi_axis *axis, int64_t coordinate);
int64_t cwi_axis_own_elements(const struct cwi_axis *axis, int64_t coordinate);

/* Returns a block of a coordinate: number 0 is its first block. */
int64_t cwi_axis_own_block(const struct cwi_axis *axis, int64_t coordinate, int64_t number);

/* Computes `offsets`. The fields starts, blocks and grid must be set. Errors: CW_OUTSIDE. */
CWI_CHECKED cw_error cwi_axis_set_offsets(struct cwi_axis *axis);

void cwi_axis_free(struct cwi_axis *axis);
CWI_CHECKED cw_error cwi_axis_copy(const struct cwi_axis *from, struct cwi_axis *to);
bool cwi_axis_equal(const struct cwi_axis *a, const struct cwi_axis *b);

/* Indices of an axis: first, first + step, ... ; `count` of them. */
struct cwi_range {
  int64_t first, count, step;
};

/* Indices of a range that one coordinate has and that are evenly spaced, both in the range and in
 * memory. There are `repeats` groups of `count` indices. Positions count the elements of the range.
 */
struct cwi_segment {
  int64_t block; /* of the first element */
  int64_t count, repeats;
  int64_t position, position_step, position_leap; /* in the range: position of the first element,
                                                     distance to the next element, distance to the
                                                     next group */
  int64_t offset_step,
      offset_leap; /* in memory, in elements: distance to the next element, to the next group */
};

enum cwi_axis_partition_kind {
  CWI_PARTITION_BLOCKS, /* one segment per block */
  CWI_PARTITION_FULL,   /* all full blocks of a coordinate in one segment */
  CWI_PARTITION_CLASSES /* blocks have one element: all those of a coordinate in one segment */
};

/* The division of a range of an axis into segments. Segments are numbered from the first block,
 * which has number 0. The numbers of one coordinate's segments differ by multiples of the grid.
 * Some numbers have no segment. */
struct cwi_axis_partition {
  const struct cwi_axis *axis;
  struct cwi_range range;
  int64_t segments;
  enum cwi_axis_partition_kind kind;
  int64_t first_block, last_block;
  int64_t period, offset_step_of_class; /* classes only: distance between a coordinate's successive
                                           elements, in the range and in memory */
  int64_t head, tail; /* full only: 1 if the first block, the last block is partial; otherwise 0 */
};

/* Divides a range. If joined, several blocks may be joined into one segment. */
void cwi_axis_partition_begin(struct cwi_axis_partition *partition, const struct cwi_axis *axis,
                              struct cwi_range range, bool joined);

/* Finds the segment with this number. Returns false if it is empty. */
bool cwi_axis_partition_segment(const struct cwi_axis_partition *partition, int64_t number,
                                struct cwi_segment *segment);

/* Returns the number of levels of a strided shape that a segment of this partition may need. */
static inline int cwi_axis_partition_levels(const struct cwi_axis_partition *partition)
{
  return partition->kind == CWI_PARTITION_FULL ? 2 : 1;
}
