/* A random transfer: its description for the library, and the plain list of its segments. */
#pragma once

#include <causeway/transfer.h>

#include <stdbool.h>
#include <stddef.h>

/* Shape 0 is contiguous, 1 to 8 is the number of stride levels, PLAN_VECTOR is lists of segments.
 */
enum { PLAN_VECTOR = CW_MAX_LEVELS + 1, PLAN_SHAPES = PLAN_VECTOR + 1 };
enum { PLAN_SEGMENTS = 64, PLAN_LISTS = 4, PLAN_LIST_SEGMENTS = 6 };

struct plan_terms {
  int shape;
  size_t element;      /* every offset and length is a multiple of it */
  size_t remote_space; /* bytes that it may access on either side */
  size_t local_space;
  bool local_disjoint; /* no byte in two segments */
  bool remote_disjoint;
};

struct plan_segment {
  size_t local, remote, bytes; /* offsets into the memory of both sides */
};

struct plan {
  size_t run;
  int levels;
  size_t counts[CW_MAX_LEVELS];
  ptrdiff_t local_strides[CW_MAX_LEVELS], remote_strides[CW_MAX_LEVELS];
  size_t lists;
  cw_vector vectors[PLAN_LISTS];
  void *local_addresses[PLAN_SEGMENTS], *remote_addresses[PLAN_SEGMENTS];
  size_t local_base, remote_base; /* offset of the first block */
  struct plan_segment segments[PLAN_SEGMENTS];
  size_t segment_count;
};

/* Draws a plan from kit_own's sequence. */
void plan_make(struct plan *plan, const struct plan_terms *terms);

/* Returns the transfer between memory at these addresses. The plan must exist until it starts.
 */
cw_transfer plan_transfer(struct plan *plan, const struct plan_terms *terms, char *local,
                          char *remote);

/* Overwrites the arrays to which the transfer points; the library must not read them any more. */
void plan_overwrite(struct plan *plan);

/* Returns the first byte on the remote side, and the one after the last. */
void plan_remote_extent(const struct plan *plan, size_t *begin, size_t *end);
