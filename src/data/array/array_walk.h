/* The walk over a part of an array: it visits each combination of segments, one for each dimension,
 * of one holder. Code that moves bytes uses portions (portion.h), code that loads and stores
 * elements uses sections, and queries for blocks use pieces. */
#ifndef CWI_ARRAY_ARRAY_WALK_H
#define CWI_ARRAY_ARRAY_WALK_H

#include "array/array.h"

/* Steps to the next index from lo to hi, the last dimension fastest. After the last one, resets it
 * to lo and returns false. */
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

/* Finds the largest box of a patch that begins at `position` and ends before `end`, both counted
 * row by row. Returns the number of its positions. */
int64_t cwi_box_from(int dimensions, const int64_t *patch, const int64_t *extents, int64_t position,
                     int64_t end, int64_t *lo, int64_t *hi);

/* Which blocks of a coordinate are joined into one segment if they are evenly spaced. */
enum cwi_walk_kind {
  CWI_WALK_BLOCKS,   /* one block */
  CWI_WALK_SECTIONS, /* one block; all blocks of one element if they are a dense matrix */
  CWI_WALK_PORTIONS  /* all blocks that fit into one strided shape */
};

struct cwi_walk {
  cw_array array;
  int holder;
  int64_t coordinate[CW_MAX_DIMENSIONS]; /* coordinates of the holder */
  struct cwi_axis_partition partitions[CW_MAX_DIMENSIONS];
  int64_t numbers[CW_MAX_DIMENSIONS], steps[CW_MAX_DIMENSIONS];
  struct cwi_segment segments[CW_MAX_DIMENSIONS]; /* the current ones */
  bool begun, done;
  bool single; /* a holder of a plain array has one section; only for cwi_walk_next_section */
};

/* Starts a walk. `ranges` are within the array. If `holder` is not -1, only its elements are
 * visited, and the ranges have steps of 1; if it is -1, those of all holders. A walk over
 * CWI_WALK_SECTIONS of one holder may only use cwi_walk_next_section. */
void cwi_walk_begin(struct cwi_walk *walk, cw_array array, const struct cwi_range *ranges,
                    enum cwi_walk_kind kind, int holder);

/* Steps to the next combination of segments; the last dimension runs fastest. Returns false at the
 * end. */
bool cwi_walk_next(struct cwi_walk *walk);

/* Returns the largest number of segments along a dimension. */
static inline int64_t cwi_walk_along(const struct cwi_walk *walk, int d)
{
  return walk->partitions[d].segments;
}

/* Returns the elements of the range along a dimension that the current segment, without repeats,
 * has. */
static inline struct cwi_range cwi_walk_positions(const struct cwi_walk *walk, int d)
{
  const struct cwi_segment *segment = &walk->segments[d];
  return (struct cwi_range){segment->position, segment->count, segment->position_step};
}

/* Returns the place of the first element of the current combination. */
void cwi_walk_place(const struct cwi_walk *walk, struct cwi_place *place);

/* Elements of one holder in one strided place. Their indices are a product of arithmetic
 * progressions. */
struct cwi_section {
  struct cwi_range ranges[CW_MAX_DIMENSIONS]; /* indices in the array */
  int holder;
  char *address;                        /* of the first element, as this process maps it */
  ptrdiff_t strides[CW_MAX_DIMENSIONS]; /* bytes from one element to the next */
};

/* Steps to the next combination and returns it as a section: its segments have no repeats. Returns
 * false at the end. */
bool cwi_walk_next_section(struct cwi_walk *walk, struct cwi_section *section);
#endif
