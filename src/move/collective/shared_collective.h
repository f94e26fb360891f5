/* Collectives of teams on one node, through shared bounce buffers. In jobs that survive failures,
 * also those of teams on several nodes, which read the bounce buffers of other nodes by gets; then
 * cwi_shared_finish_apart must follow. `root` is a rank of the team, or -1 if all members get the
 * result. All members return CW_MISUSE if a member is in another call or passes different arguments
 * (see cwi_team_share). */
#pragma once

#include "collective/vector_exchange.h"
#include "number/reduction.h"
#include "team/team.h"

/* Takes part in a call that moves no bytes. All members get an error if one of them has data to
 * move. `reduction` is NULL if the call is not a reduction. */
CWI_CHECKED cw_error cwi_shared_nothing(cw_team team, int root,
                                        const struct cwi_reduction *reduction);

CWI_CHECKED cw_error cwi_shared_broadcast(cw_team team, int root, void *buffer, size_t bytes);

/* Ends a collective of a team on several nodes. `error` is the result so far, which is the same on
 * all members. Returns CW_FAILED on all members if a bounce buffer could not be read. */
CWI_CHECKED cw_error cwi_shared_finish_apart(cw_team team, cw_error error);

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

/* Returns true if the members are on one node and are few enough for the table of pieces to fit
 * into half of a bounce buffer. */
bool cwi_shared_can_exchange(cw_team team);

/* Exchanges pieces of any lengths. The caller must check cwi_shared_can_exchange first. Long pieces
 * are sent by messages after all members have checked that the lengths match. The piece that a
 * member sends to itself must have the length that it expects from itself. Errors: CW_MISUSE on all
 * members if a member sends more or less than another expects; CW_OUTSIDE. */
CWI_CHECKED cw_error cwi_shared_exchange(const struct cwi_runs *runs);

/* Like cwi_shared_exchange, but for every team of a job that survives failures, and without
 * messages. */
CWI_CHECKED cw_error cwi_shared_exchange_any(const struct cwi_runs *runs);
