/* Collectives of a team, for the modules above.
 *
 * These functions do the work of the public calls, without checks. They are called inside a public
 * call that has already begun. `root` is a rank of the team. In cwi_gather and cwi_reduce it may be
 * -1, and then all members get the result. Errors: CW_OUTSIDE.
 *
 * collective.c               chooses the algorithm of a collective
 * collective_calls.c         the public calls: check arguments, compare them between members
 * hierarchical_collective.c  collectives between nodes
 * in_place_reduction.c       reductions within a node of numbers in slices of regions
 * nonblocking_collective.c   non-blocking collectives
 * nonblocking_survivors.c    non-blocking collectives of a job that survives failures
 * reduction_names.c          names of reductions, for bindings
 * shared_collective.c        collectives within a node
 * vector_calls.c             the public calls in which pieces have different lengths
 * vector_exchange.c          exchanges pieces of any lengths between members by messages */
#pragma once

#include "base/error.h"
#include "team/team.h"

#include <causeway/collective.h>

CWI_CHECKED cw_error cwi_broadcast(cw_team team, int root, void *buffer, size_t bytes);
CWI_CHECKED cw_error cwi_gather(cw_team team, int root, const void *mine, size_t bytes, void *all);
CWI_CHECKED cw_error cwi_allgather(cw_team team, const void *mine, size_t bytes, void *all);

/* Return CW_MISUSE, before anything is sent, if the type or the reduction is not valid. */
CWI_CHECKED cw_error cwi_allreduce(cw_team team, cw_type type, cw_reduction reduction, size_t count,
                                   void *buffer);
CWI_CHECKED cw_error cwi_reduce(cw_team team, int root, cw_type type, cw_reduction reduction,
                                size_t count, void *buffer);

/* If `exclusive`, member r gets only the result of the members below r. */
CWI_CHECKED cw_error cwi_scan(cw_team team, cw_type type, cw_reduction kind, bool exclusive,
                              size_t count, void *buffer);
CWI_CHECKED cw_error cwi_scatter(cw_team team, int root, const void *all, size_t bytes, void *mine);
CWI_CHECKED cw_error cwi_alltoall(cw_team team, const void *mine, size_t bytes, void *all);
CWI_CHECKED cw_error cwi_alltoallv(cw_team team, const void *mine, const size_t *bytes,
                                   const size_t *places, void *all, const size_t *all_bytes,
                                   const size_t *all_places);
