/* Reductions of numbers that all members of a team on one node have in shared memory. They are not
 * copied to a bounce buffer first. */
#ifndef CWI_COLLECTIVE_IN_PLACE_REDUCTION_H
#define CWI_COLLECTIVE_IN_PLACE_REDUCTION_H

#include "number/reduction.h"
#include "team/team.h"

#include <stdbool.h>
#include <stddef.h>

/* Reduces like cwi_shared_reduce if it can. `step` identifies the call and must be the same on all
 * members. Sets *done to false on all members, without having changed anything, if there are only a
 * few numbers, if a member's numbers are not in a slice or were not a few calls ago, or if two
 * members' numbers overlap. */
CWI_CHECKED cw_error cwi_in_place_reduce(cw_team team, int root,
                                         const struct cwi_reduction *reduction, uint64_t step,
                                         void *numbers, size_t bytes, bool *done);

/* Returns how many of the bytes each member combines; the last members have fewer or none. */
static inline size_t cwi_reduction_slice(cw_team team, size_t bytes)
{
  enum { LINE = 64 }; /* a cache line; the bytes of every element type divide it */
  const size_t lines = (size_t)team->size * LINE;
  return (bytes + lines - 1) / lines * LINE;
}
#endif
