/* Collectives of teams on one node, through shared bounce buffers. root: a rank of the team, or -1
 * if all members get the result. Errors, on all members: CW_MISUSE if a member is in another call
 * or passes other arguments (see cwi_team_share). */
#ifndef CWI_COLLECTIVE_SHARED_COLLECTIVE_H
#define CWI_COLLECTIVE_SHARED_COLLECTIVE_H

#include "collective/vector_exchange.h"
#include "number/reduction.h"
#include "team/team.h"

/* Takes part in a call of no bytes. Nothing moves, but all members get an error if another one has
 * data to move. reduction: NULL if the call is no reduction. */
CWI_CHECKED cw_error cwi_shared_nothing(cw_team team, int root,
                                        const struct cwi_reduction *reduction);

CWI_CHECKED cw_error cwi_shared_broadcast(cw_team team, int root, void *buffer, size_t bytes);

/* The caller has applied the reduction's `prepare` step to the numbers. */
CWI_CHECKED cw_error cwi_shared_reduce(cw_team team, int root,
                                       const struct cwi_reduction *reduction, void *numbers,
                                       size_t count);

CWI_CHECKED cw_error cwi_shared_gather(cw_team team, int root, const void *mine, size_t bytes,
                                       void *all);

CWI_CHECKED cw_error cwi_shared_scatter(cw_team team, int root, const void *all, size_t bytes,
                                        void *mine);

CWI_CHECKED cw_error cwi_shared_alltoall(cw_team team, const void *mine, size_t bytes, void *all);

/* The caller has applied the reduction's `prepare` step to the numbers. */
CWI_CHECKED cw_error cwi_shared_scan(cw_team team, const struct cwi_reduction *reduction,
                                     bool exclusive, void *numbers, size_t count);

/* Returns true if the members are on one node and so few that a bounce buffer has space for the
 * table of pieces. */
bool cwi_shared_can_exchange(cw_team team);

/* Exchanges pieces of any lengths; call it only if cwi_shared_can_exchange. Long pieces go by
 * messages once all members know that the lengths match. A member sends itself as many bytes as it
 * receives from itself. Errors, on all members: CW_MISUSE if a member sends more or less than
 * another expects; CW_OUTSIDE. */
CWI_CHECKED cw_error cwi_shared_exchange(const struct cwi_runs *runs);
#endif
