/* Footprints: the bytes of a target's memory that a transfer touches, precise enough to find the
 * operations that must not overtake each other. */
#pragma once

#include "transfer/shape.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The bytes [begin, end). If stride is not 0, only the first `run` bytes of every `stride` bytes
 * are touched. */
struct cwi_footprint {
  uintptr_t begin, end;
  size_t stride, run;
};

/* Returns the footprint of contiguous bytes. */
static inline struct cwi_footprint cwi_footprint_of_run(const void *remote, size_t bytes)
{
  return (struct cwi_footprint){(uintptr_t)remote, (uintptr_t)remote + bytes, 0, 0};
}

/* Returns the footprint of the remote side of a shape. For a list of segments it is the whole range
 * from the lowest to the highest byte. */
struct cwi_footprint cwi_footprint_of(const struct cwi_shape *shape);
struct cwi_footprint cwi_footprint_of_plane(const struct cwi_plane *plane);

/* Returns true if two footprints may have a byte in common. May return true for some that have
 * none, but never false for two that overlap. Returns false for tiles side by side in one
 * matrix. */
bool cwi_footprints_overlap(const struct cwi_footprint *a, const struct cwi_footprint *b);

/* Makes `footprint` one contiguous range that covers its own bytes and those of `other`. */
void cwi_footprint_widen(struct cwi_footprint *footprint, const struct cwi_footprint *other);
