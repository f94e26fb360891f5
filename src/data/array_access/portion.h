/* A patch as portions: what of it lies at one holder in one strided shape. All transfers of patches
 * are made of them.
 *
 * portion.c        from patches to strided shapes at their holders; the short walk of plain
 *                  arrays
 * patch.c          the public transfers of patches
 * ghosts.c         ghost cells
 * array_print.c    arrays as text, for people: the rank 0 of the team prints, row by row as the
 *                  program indexes
 * element_lists.c  lists of single elements: read, write, add, and atomic increments
 * local_access.c   access to elements by load and store, and the synchronisation of an array */
#ifndef CWI_ARRAY_ACCESS_PORTION_H
#define CWI_ARRAY_ACCESS_PORTION_H

#include "array/array_walk.h"

/* Some elements of an array, and where they are in a local buffer. */
struct cwi_selection {
  cw_array array;
  struct cwi_range ranges[CW_MAX_DIMENSIONS];
  ptrdiff_t strides[CW_MAX_DIMENSIONS]; /* bytes from one element to the next in the buffer */
  size_t field_offset, field_bytes;     /* of each element; field_bytes = element: all of it */
  bool plain;                           /* whole elements of a plain array, without gaps */
};

/* Check a patch, and select its elements. *empty becomes true if it has none; a periodic one may be
 * outside. Errors: CW_MISUSE. */
CWI_CHECKED cw_error cwi_patch_select(cw_array array, const cw_patch *patch,
                                      struct cwi_selection *selection, bool *empty);

/* One strided shape. */
struct cwi_portion {
  int holder;
  size_t remote; /* bytes from the holder's base */
  size_t local;  /* bytes from the buffer */
  size_t run;
  int levels;
  size_t counts[CW_MAX_LEVELS];
  ptrdiff_t remote_strides[CW_MAX_LEVELS], local_strides[CW_MAX_LEVELS];
};

/* What the present block of a plain array has of one dimension. */
struct cwi_span {
  int64_t last;         /* of the selection */
  int64_t first, block; /* blocks: the selection's first, and this one */
  int64_t from, count;  /* indices in the block */
  int64_t width;        /* elements of the block in memory, ghosts included */
  int64_t place;        /* of `from` among them */
};

/* Plain selections, which most transfers of most programs are, take a walk of their own, block by
 * block, without cuts and divisions; the others take the walk over all distributions. */
struct cwi_portions {
  const struct cwi_selection *selection;
  bool plain;   /* which walk it takes */
  bool done;    /* there is no other */
  bool several; /* of a plain selection: it meets more than one block */
  union {
    struct cwi_span spans[CW_MAX_DIMENSIONS];
    struct cwi_walk walk;
  };
};

/* selection: not empty, within the array; it is read until the last portion. */
void cwi_portions_begin(struct cwi_portions *portions, const struct cwi_selection *selection);

/* Only what one holder has, perhaps nothing. Ranges have steps of 1. */
void cwi_portions_begin_at(struct cwi_portions *portions, const struct cwi_selection *selection,
                           int holder);

/* The next one, unless they are done. */
void cwi_portions_take(struct cwi_portions *portions, struct cwi_portion *portion);
#endif
