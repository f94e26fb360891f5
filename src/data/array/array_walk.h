/* The walk over a part of an array: each combination of segments, one for each dimension, which one
 * holder has. Who moves bytes sees them as portions (portion.h), who loads and stores elements as
 * sections, who asks for blocks as pieces. */
#ifndef CWI_ARRAY_ARRAY_WALK_H
#define CWI_ARRAY_ARRAY_WALK_H

#include "array/array.h"

/* The next index of those from lo to hi, the last dimension fastest; after the last one it is lo
 * again, and false. */
static inline bool cwi_index_next(int dimensions, const int64_t *lo, const int64_t *hi,
                                  int64_t *index)
{
  /* Never; an analyzer that does not know reads behind the end. */
  if (dimensions < 0 || dimensions > CW_MAX_DIMENSIONS)
    __builtin_unreachable();
  for (int d = dimensions - 1; d >= 0; d--) {
    if (++index[d] <= hi[d])
      return true;
    index[d] = lo[d];
  }
  return false;
}

/* The greatest box of a patch that begins at a position and ends before another, both counted row
 * by row. Returns its positions. */
int64_t cwi_box_from(int dimensions, const int64_t *patch, const int64_t *extents, int64_t position,
                     int64_t end, int64_t *lo, int64_t *hi);

/* What is put into one segment, if it lies regularly at its coordinate. */
enum cwi_walk_kind {
  CWI_WALK_BLOCKS,   /* a block */
  CWI_WALK_SECTIONS, /* a block; of blocks of one element that are a dense matrix, all of them */
  CWI_WALK_PORTIONS  /* all blocks that fit into one strided shape */
};

struct cwi_walk {
  cw_array array;
  int holder;
  int64_t coordinate[CW_MAX_DIMENSIONS]; /* the holder's */
  struct cwi_axis_partition partitions[CW_MAX_DIMENSIONS];
  int64_t numbers[CW_MAX_DIMENSIONS], steps[CW_MAX_DIMENSIONS];
  struct cwi_segment segments[CW_MAX_DIMENSIONS]; /* the present ones */
  bool begun, done;
  bool single; /* the one section that a holder of a plain array has: only cwi_walk_next_section */
};

/* ranges: within the array. holder: only what it has, and then ranges have steps of 1; -1: what all
 * have. Who walks over the sections of one holder asks for sections alone. */
void cwi_walk_begin(struct cwi_walk *walk, cw_array array, const struct cwi_range *ranges,
                    enum cwi_walk_kind kind, int holder);

/* The next combination of segments: the last dimension runs fastest. False: there is none. */
bool cwi_walk_next(struct cwi_walk *walk);

/* At most so many segments there are along a dimension. */
static inline int64_t cwi_walk_along(const struct cwi_walk *walk, int d)
{
  return walk->partitions[d].segments;
}

/* Which elements of the range along a dimension the present segment, without repeats, has. */
static inline struct cwi_range cwi_walk_positions(const struct cwi_walk *walk, int d)
{
  const struct cwi_segment *segment = &walk->segments[d];
  return (struct cwi_range){segment->position, segment->count, segment->position_step};
}

/* Where the first element of the present combination lies. */
void cwi_walk_place(const struct cwi_walk *walk, struct cwi_place *place);

/* What one holder has in one strided place, indices being a product of arithmetic progressions. */
struct cwi_section {
  struct cwi_range ranges[CW_MAX_DIMENSIONS]; /* indices in the array */
  int holder;
  char *address;                        /* of the first element, as this process names it */
  ptrdiff_t strides[CW_MAX_DIMENSIONS]; /* bytes from one element to the next */
};

/* The next combination as a section: segments have no repeats. False: there is none. */
bool cwi_walk_next_section(struct cwi_walk *walk, struct cwi_section *section);
#endif
