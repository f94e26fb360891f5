/* Collectives of a team.
 *
 * calls.c         the public calls: they check, and compare arguments that must be the same
 * varied.c        calls with pieces of different lengths
 * started.c       nonblocking calls
 * collective.c    which way a collective goes
 * shared.c        within a node: bounce buffers of shared memory
 * in_place.c      within a node: reductions of numbers that lie in shared memory already
 * hierarchical.c  between nodes: one member of each node speaks for it, by MPI
 * runs.c          messages of any length
 * operators.c     names of reductions, for bindings
 *
 * This header has them for the rooms above: as the public calls, but inside a call that has begun
 * already, and without checks. root: a rank of the team; of
 * cwi_gather and cwi_reduce -1, too: everybody. Errors: CW_OUTSIDE. */
#ifndef CWI_COLLECTIVE_COLLECTIVE_H
#define CWI_COLLECTIVE_COLLECTIVE_H

#include "base/check.h"
#include "team/team.h"

#include <causeway/collective.h>

#ifdef __cplusplus
extern "C" {
#endif

CWI_CHECKED cw_error cwi_broadcast(cw_team team, int root, void *buffer, size_t bytes);
CWI_CHECKED cw_error cwi_gather(cw_team team, int root, const void *mine, size_t bytes, void *all);
CWI_CHECKED cw_error cwi_allgather(cw_team team, const void *mine, size_t bytes, void *all);

/* Also CW_MISUSE: the type or the reduction; before anything is sent. */
CWI_CHECKED cw_error cwi_allreduce(cw_team team, cw_type type, cw_reduction reduction, size_t count,
                                   void *buffer);
CWI_CHECKED cw_error cwi_reduce(cw_team team, int root, cw_type type, cw_reduction reduction,
                                size_t count, void *buffer);

CWI_CHECKED cw_error cwi_scan(cw_team team, cw_type type, cw_reduction kind, bool exclusive,
                              size_t count, void *buffer);
CWI_CHECKED cw_error cwi_scatter(cw_team team, int root, const void *all, size_t bytes, void *mine);
CWI_CHECKED cw_error cwi_alltoall(cw_team team, const void *mine, size_t bytes, void *all);
CWI_CHECKED cw_error cwi_alltoallv(cw_team team, const void *mine, const size_t *bytes,
                                   const size_t *places, void *all, const size_t *all_bytes,
                                   const size_t *all_places);

#ifdef __cplusplus
}
#endif
#endif
