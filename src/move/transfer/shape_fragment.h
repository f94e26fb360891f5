/* Splits a shape into fragments of limited size, in the order of its packed bytes. */
#pragma once

#include "transfer/shape.h"

/* Position of the iterator over the fragments of a shape. */
struct cwi_fragments {
  struct cwi_planes planes;
  struct cwi_plane rest; /* what is left of the plane being split; rows is 0 if nothing is left */
  size_t taken;          /* bytes already taken from the first row of `rest` */
  size_t atom;           /* bytes that must stay together: a power of two up to 16 */
  bool reads_first;      /* split a long row from its end if a forward accumulate would change bytes
                            before it reads them */
};

static inline struct cwi_fragments cwi_fragments(const struct cwi_shape *shape, size_t atom)
{
  return (struct cwi_fragments){.planes = cwi_planes(shape), .atom = atom};
}

/* Returns true if there is another fragment. */
static inline bool cwi_fragments_left(struct cwi_fragments *fragments)
{
  return fragments->rest.rows > 0 || cwi_planes_next(&fragments->planes, &fragments->rest);
}

/* Stores the next fragment of at most `capacity` bytes (at least an atom). Call it only if
 * cwi_fragments_left returned true. */
void cwi_fragments_next(struct cwi_fragments *fragments, size_t capacity,
                        struct cwi_plane *fragment);
