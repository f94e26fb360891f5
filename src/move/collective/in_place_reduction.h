/* Reductions of numbers that all members of a team on one node have in shared memory: nobody copies
 * them to a bounce buffer first. */
#ifndef CWI_COLLECTIVE_IN_PLACE_REDUCTION_H
#define CWI_COLLECTIVE_IN_PLACE_REDUCTION_H

#include "number/reduction.h"
#include "team/team.h"

#include <stdbool.h>
#include <stddef.h>

/* As cwi_shared_reduce. step: what has to be the same on all members. *done false, on all members:
 * there are few numbers, those of a member lie elsewhere, or did so shortly before, or members name
 * the same ones; nothing was done. */
CWI_CHECKED cw_error cwi_in_place_reduce(cw_team team, int root,
                                         const struct cwi_reduction *reduction, uint64_t step,
                                         void *numbers, size_t bytes, bool *done);

/* The slice of so many bytes that each member combines, the last ones less or none. */
static inline size_t cwi_reduction_slice(cw_team team, size_t bytes)
{
  enum { LINE = 64 }; /* elements are no longer, and all are a power of two */
  const size_t lines = (size_t)team->size * LINE;
  return (bytes + lines - 1) / lines * LINE;
}
#endif
