/* Collectives of teams on one node, through shared bounce buffers. root: a rank of the team; -1:
 * all get the result. Errors, on all members: CW_MISUSE, if one is in another call, or gives it
 * other arguments (cwi_team_share). */
#ifndef CWI_COLLECTIVE_SHARED_COLLECTIVE_H
#define CWI_COLLECTIVE_SHARED_COLLECTIVE_H

#include "collective/vector_exchange.h"
#include "number/reduction.h"
#include "team/team.h"

/* A call of no bytes: nothing moves, but all hear if another one has some. reduction: NULL: there
 * is none. */
CWI_CHECKED cw_error cwi_shared_nothing(cw_team team, int root,
                                        const struct cwi_reduction *reduction);

CWI_CHECKED cw_error cwi_shared_broadcast(cw_team team, int root, void *buffer, size_t bytes);

/* The numbers are prepared. */
CWI_CHECKED cw_error cwi_shared_reduce(cw_team team, int root,
                                       const struct cwi_reduction *reduction, void *numbers,
                                       size_t count);

CWI_CHECKED cw_error cwi_shared_gather(cw_team team, int root, const void *mine, size_t bytes,
                                       void *all);

CWI_CHECKED cw_error cwi_shared_scatter(cw_team team, int root, const void *all, size_t bytes,
                                        void *mine);

CWI_CHECKED cw_error cwi_shared_alltoall(cw_team team, const void *mine, size_t bytes, void *all);

/* The numbers are prepared. */
CWI_CHECKED cw_error cwi_shared_scan(cw_team team, const struct cwi_reduction *reduction,
                                     bool exclusive, void *numbers, size_t count);

/* Are the members on one node, and so few that a bounce buffer has room to say what each of them
 * gets? */
bool cwi_shared_can_exchange(cw_team team);

/* Move pieces, if they can; long ones go by messages, once all know that the lengths fit. What I
 * send to myself is as long as what I receive. Errors, on all members: CW_MISUSE, a member sends
 * more or less than another wants; CW_OUTSIDE. */
CWI_CHECKED cw_error cwi_shared_exchange(const struct cwi_runs *runs);
#endif
