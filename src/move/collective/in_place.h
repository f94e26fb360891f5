/* Reductions of numbers that all members of a team on one node have in shared memory: nobody copies
 * them to a bounce buffer first. */
#ifndef CWI_COLLECTIVE_IN_PLACE_H
#define CWI_COLLECTIVE_IN_PLACE_H

#include "number/reduction.h"
#include "team/team.h"

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* As cwi_shared_reduce. False, on all members: there are few numbers, or those of a member lie
 * elsewhere; nothing was done. */
bool cwi_in_place_reduce(cw_team team, int root, const struct cwi_reduction *reduction,
                         void *numbers, size_t bytes);

#ifdef __cplusplus
}
#endif
#endif
