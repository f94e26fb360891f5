/* Shapes: which bytes a transfer moves; one iterator for all of them. */
#ifndef CWI_TRANSFER_SHAPE_H
#define CWI_TRANSFER_SHAPE_H

#include "base/error.h"

#include <causeway/transfer.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A shape in its simplest form: levels of one block are gone, runs that touch are joined. */
struct cwi_shape {
  char *local;
  char *remote;
  size_t run; /* contiguous bytes at the lowest level */
  int levels;
  size_t counts[CW_MAX_LEVELS];
  ptrdiff_t local_strides[CW_MAX_LEVELS];
  ptrdiff_t remote_strides[CW_MAX_LEVELS];
  const cw_vector *vectors; /* if not NULL: the caller's list, nothing else above counts */
  size_t vector_count;
  size_t bytes; /* in all */
};

/* Rows of equal length at equal distance: what the iterator yields, and what kernels work on. */
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

/* Reduce a public descriptor. Errors: CW_MISUSE (levels, sizes that overflow). A transfer of
 * nothing gives bytes = 0. */
CWI_CHECKED cw_error cwi_shape_from(const cw_transfer *transfer, struct cwi_shape *shape);

/* The shape that has these rows, and no others. */
struct cwi_shape cwi_shape_of_plane(const struct cwi_plane *plane);

/* Of rows on one side of a plane, the first of which begins there. */
struct cwi_extent cwi_rows_extent(const char *first, ptrdiff_t stride,
                                  const struct cwi_plane *plane);

struct cwi_extent cwi_shape_remote_extent(const struct cwi_shape *shape);
struct cwi_extent cwi_shape_local_extent(const struct cwi_shape *shape);

/* Position in a shape: start with cwi_planes(shape), then until false. */
struct cwi_planes {
  const struct cwi_shape *shape;
  size_t index[CW_MAX_LEVELS]; /* levels above the first; or vector and segment */
  bool done;
};

static inline struct cwi_planes cwi_planes(const struct cwi_shape *shape)
{
  return (struct cwi_planes){.shape = shape, .done = shape->bytes == 0};
}

bool cwi_planes_next(struct cwi_planes *planes, struct cwi_plane *plane);

/* The local side of a shape <-> a contiguous buffer of shape->bytes bytes. */
void cwi_pack_local(const struct cwi_shape *shape, char *buffer);
void cwi_unpack_local(const struct cwi_shape *shape, const char *buffer);
#endif
