/* The walk over a part of an array. It visits each combination of segments, one segment per
 * dimension; all elements of a combination are at one holder. Code that moves bytes uses portions
 * (portion.h), code that loads and stores elements uses sections, and queries for blocks use
 * pieces. */
#pragma once

#include "array/array.h"

/* Steps to the next index of the patch from lo to hi; the last dimension runs fastest. After the
 * last index, resets it to lo and returns false. */
static inline bool cwi_index_next(int dimensions, const int64_t *lo, const int64_t *hi,
                                  int64_t *index)
{
  /* This cannot happen. The hint keeps analyzers from assuming reads past the end. */
  if (dimensions < 0 || dimensions > CW_MAX_DIMENSIONS)
    __builtin_unreachable();
  for (int d = dimensions - 1; d >= 0; d--) {
    if (++index[d] <= hi[d])
      return true;
    index[d] = lo[d];
  }
  return false;
}

/* Finds the largest box that begins at `position` of a patch and does not extend beyond `end`.
 * Positions count the elements of the patch in row-major order. Returns the number of elements of
 * the box. */
int64_t cwi_box_from(int dimensions, const int64_t *patch, const int64_t *extents, int64_t position,
                     int64_t end, int64_t *lo, int64_t *hi);

/* The blocks of a coordinate that one segment may contain. Only evenly spaced blocks are joined. */
enum cwi_walk_kind {
  CWI_WALK_BLOCKS,   /* one block */
  CWI_WALK_SECTIONS, /* one block; or all, if blocks of one element form a dense matrix */
  CWI_WALK_PORTIONS  /* all blocks that fit into one strided shape */
};

struct cwi_walk {
  cw_array array;
  int holder;
  int64_t coordinate[CW_MAX_DIMENSIONS]; /* coordinates of the holder */
  struct cwi_axis_partition partitions[CW_MAX_DIMENSIONS];
  int64_t numbers[CW_MAX_DIMENSIONS], steps[CW_MAX_DIMENSIONS];
  struct cwi_segment segments[CW_MAX_DIMENSIONS]; /* the current segments */
  bool begun, done;
  bool single; /* the walk is over one holder of a plain array, which has at most one section; only
                  for cwi_walk_next_section */
};

/* Starts a walk. `ranges` are within the array. If `holder` is -1, the walk visits the elements of
 * all holders. Otherwise it visits only the elements of `holder`, and the ranges must have steps of
 * 1. A walk over CWI_WALK_SECTIONS of one holder may only use cwi_walk_next_section. */
void cwi_walk_begin(struct cwi_walk *walk, cw_array array, const struct cwi_range *ranges,
                    enum cwi_walk_kind kind, int holder);

/* Steps to the next combination of segments; the last dimension runs fastest. Returns false at the
 * end. */
bool cwi_walk_next(struct cwi_walk *walk);

/* Returns an upper bound on the number of segments along a dimension. */
static inline int64_t cwi_walk_along(const struct cwi_walk *walk, int d)
{
  return walk->partitions[d].segments;
}

/* Returns the positions of the current segment in the range of a dimension. The segment must have
 * no repeats. */
static inline struct cwi_range cwi_walk_positions(const struct cwi_walk *walk, int d)
{
  const struct cwi_segment *segment = &walk->segments[d];
  return (struct cwi_range){segment->position, segment->count, segment->position_step};
}

/* Returns the place of the first element of the current combination. */
void cwi_walk_place(const struct cwi_walk *walk, struct cwi_place *place);

/* Elements of one holder that are evenly spaced in each dimension, in the array and in memory. */
struct cwi_section {
  struct cwi_range ranges[CW_MAX_DIMENSIONS]; /* indices in the array */
  int holder;
  char *address;                        /* of the first element, as this process maps it */
  ptrdiff_t strides[CW_MAX_DIMENSIONS]; /* bytes from one element to the next */
};

/* Steps to the next combination and stores it in *section. The segments must have no repeats, so
 * the kind must not be CWI_WALK_PORTIONS. Returns false at the end. */
bool cwi_walk_next_section(struct cwi_walk *walk, struct cwi_section *section);
