/* Reductions within a node whose numbers are in shared memory on all members. The numbers are not
 * copied to bounce buffers first. */
#pragma once

#include "number/reduction.h"
#include "team/team.h"

#include <stdbool.h>
#include <stddef.h>

/* Reduces like cwi_shared_reduce if possible, and sets *done to true. `step` identifies the call
 * and must be the same on all members. Otherwise sets *done to false on all members and changes no
 * numbers. This happens if there are only a few numbers or too many members, if a member's numbers
 * are not in a slice, or if the numbers of two members overlap. After a failure of the last two
 * kinds, the next few calls do not try again. */
CWI_CHECKED cw_error cwi_in_place_reduce(cw_team team, int root,
                                         const struct cwi_reduction *reduction, uint64_t step,
                                         void *numbers, size_t bytes, bool *done);

/* Returns the number of bytes that each member combines. The last members combine fewer or none. */
static inline size_t cwi_reduction_slice(cw_team team, size_t bytes)
{
  enum { LINE = 64 }; /* a cache line; a multiple of the size of every element type */
  const size_t lines = (size_t)team->size * LINE;
  return (bytes + lines - 1) / lines * LINE;
}
