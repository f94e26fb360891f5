/* Collectives of teams on several nodes. `root` is a rank of the team, or -1 if all members get the
 * result. */
#pragma once

#include "number/reduction.h"
#include "team/team.h"

CWI_CHECKED cw_error cwi_hierarchical_broadcast(cw_team team, int root, void *buffer, size_t bytes);

/* The caller has applied the reduction's `prepare` step to the numbers. */
CWI_CHECKED cw_error cwi_hierarchical_reduce(cw_team team, int root,
                                             const struct cwi_reduction *reduction, void *numbers,
                                             size_t count);

CWI_CHECKED cw_error cwi_hierarchical_gather(cw_team team, int root, const void *mine, size_t bytes,
                                             void *all);

/* The caller has applied the reduction's `prepare` step to the numbers. */
CWI_CHECKED cw_error cwi_hierarchical_scan(cw_team team, const struct cwi_reduction *reduction,
                                           bool exclusive, void *numbers, size_t count);

CWI_CHECKED cw_error cwi_hierarchical_scatter(cw_team team, int root, const void *all, size_t bytes,
                                              void *mine);
CWI_CHECKED cw_error cwi_hierarchical_alltoall(cw_team team, const void *mine, size_t bytes,
                                               void *all);
