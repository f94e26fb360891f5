/* A portion is the part of a patch that is at one holder in one strided shape. All transfers of
 * patches consist of portions.
 *
 * portion.c        divides patches into strided shapes; the fast walk over plain arrays
 * patch.c          the public transfers of patches
 * ghosts.c         ghost cells
 * array_print.c    prints arrays for people, row by row
 * element_lists.c  lists of single elements: read, write, add, and atomic increment
 * local_access.c   access by loads and stores, and the synchronisation of an array */
#pragma once

#include "array/array_walk.h"

/* Some elements of an array, and their places in a local buffer. */
struct cwi_selection {
  cw_array array;
  struct cwi_range ranges[CW_MAX_DIMENSIONS];
  ptrdiff_t strides[CW_MAX_DIMENSIONS]; /* bytes from one element to the next in the buffer */
  size_t field_offset, field_bytes;     /* part of each element that is moved; for whole elements
                                           field_bytes is the element size */
  bool plain;                           /* whole elements of a plain array, without gaps */
};

/* Checks a patch and selects its elements. Sets *empty to true if the patch has no elements; *empty
 * must be false before. A periodic patch may be outside of the array. Errors: CW_MISUSE. */
CWI_CHECKED cw_error cwi_patch_select(cw_array array, const cw_patch *patch,
                                      struct cwi_selection *selection, bool *empty);

/* One strided shape at one holder. */
struct cwi_portion {
  int holder;
  size_t remote; /* bytes from the holder's base */
  size_t local;  /* bytes from the buffer */
  size_t run;
  int levels;
  size_t counts[CW_MAX_LEVELS];
  ptrdiff_t remote_strides[CW_MAX_LEVELS], local_strides[CW_MAX_LEVELS];
};

/* The part of the selection in the current block, along one dimension of a plain array. */
struct cwi_span {
  int64_t last;         /* last index of the selection */
  int64_t first, block; /* the selection's first block, and the current one */
  int64_t from, count;  /* first index of the selection in the block, and number of its indices
                           there */
  int64_t width;        /* elements of the block in memory, ghosts included */
  int64_t place;        /* position of `from` among these elements */
};

/* A walk over portions. Plain selections, the usual case, take a fast walk block by block without
 * partitions and divisions. The others use the walk over all distributions. */
struct cwi_portions {
  const struct cwi_selection *selection;
  bool plain;   /* takes the fast walk */
  bool done;    /* no portion is left */
  bool several; /* a plain selection is in more than one block */
  union {
    struct cwi_span spans[CW_MAX_DIMENSIONS];
    struct cwi_walk walk;
  };
};

/* Starts a walk over a selection. The selection must not be empty, must be within the array, and
 * must stay unchanged until the last portion has been taken. */
void cwi_portions_begin(struct cwi_portions *portions, const struct cwi_selection *selection);

/* Starts a walk over the portions of one holder, which may have none. The ranges must have steps of
 * 1. */
void cwi_portions_begin_at(struct cwi_portions *portions, const struct cwi_selection *selection,
                           int holder);

/* Takes the next portion. Must not be called when the walk is done. */
void cwi_portions_take(struct cwi_portions *portions, struct cwi_portion *portion);
