/* Shapes: which bytes a transfer moves, with one iterator for all kinds of shapes. */
#pragma once

#include "base/error.h"

#include <causeway/transfer.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A shape in its simplest form: levels of one block are removed, adjacent runs are joined. */
struct cwi_shape {
  char *local;
  char *remote;
  size_t run; /* contiguous bytes at the lowest level */
  int levels;
  size_t counts[CW_MAX_LEVELS];
  ptrdiff_t local_strides[CW_MAX_LEVELS];
  ptrdiff_t remote_strides[CW_MAX_LEVELS];
  const cw_vector *vectors; /* the caller's list if not NULL; then all fields above are unused */
  size_t vector_count;
  size_t bytes; /* total number of bytes */
};

/* Rows of equal length at equal distance. The iterator returns these, and the copy kernels work on
 * them. */
struct cwi_plane {
  char *local;
  char *remote;
  size_t run; /* bytes of a row */
  size_t rows;
  ptrdiff_t local_stride;
  ptrdiff_t remote_stride;
};

/* First byte and one past the last byte that a strided side touches. */
struct cwi_extent {
  uintptr_t begin, end;
};

/* Reduces a public descriptor to its simplest form. An empty transfer gets bytes = 0. Errors:
 * CW_MISUSE (levels, or sizes that overflow). */
CWI_CHECKED cw_error cwi_shape_from(const cw_transfer *transfer, struct cwi_shape *shape);

/* Returns a shape with exactly the rows of `plane`. */
struct cwi_shape cwi_shape_of_plane(const struct cwi_plane *plane);

/* Returns the extent of one side of a plane: its first row begins at `first`, the next ones follow
 * at `stride`. */
struct cwi_extent cwi_rows_extent(const char *first, ptrdiff_t stride,
                                  const struct cwi_plane *plane);

/* Return the extent of one side of a shape, which must not be a list. */
struct cwi_extent cwi_shape_remote_extent(const struct cwi_shape *shape);
struct cwi_extent cwi_shape_local_extent(const struct cwi_shape *shape);

/* Position of the iterator in a shape. Start with cwi_planes(shape), then call cwi_planes_next
 * until it returns false. */
struct cwi_planes {
  const struct cwi_shape *shape;
  size_t index[CW_MAX_LEVELS]; /* levels above the first; for lists, the vector and the segment in
                                  it */
  bool done;
};

static inline struct cwi_planes cwi_planes(const struct cwi_shape *shape)
{
  return (struct cwi_planes){.shape = shape, .done = shape->bytes == 0};
}

/* Stores the next plane and returns true, or returns false at the end of the shape. */
bool cwi_planes_next(struct cwi_planes *planes, struct cwi_plane *plane);

/* Copies the local side of a shape to or from a contiguous buffer of shape->bytes bytes. */
void cwi_pack_local(const struct cwi_shape *shape, char *buffer);
void cwi_unpack_local(const struct cwi_shape *shape, const char *buffer);
