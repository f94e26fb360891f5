/* Causeway: what all members of a team do together: broadcast, reduce, gather.
 *
 * Within a node through shared memory, between nodes one process of each. Roots are ranks of the
 * team. All members call, in the same order, with the same root, type, reduction, count and bytes:
 * CW_CHECK=1 compares them. A wrong argument is refused before anything is sent: the others wait,
 * if theirs are right. These calls complete no transfers; cw_barrier does. The first of them on a
 * team of several nodes makes two communicators, which end with the team.
 *
 * Thread level of all calls: any, unless one says otherwise. */
#ifndef CAUSEWAY_COLLECTIVE_H
#define CAUSEWAY_COLLECTIVE_H

#include <causeway/error.h>
#include <causeway/team.h>
#include <causeway/transfer.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Copy a buffer of the root to all members.
 *
 * root: rank in the team. buffer: `bytes` bytes, 0 is legal.
 * Collective over team. Complete on return: the buffer holds the root's bytes. Errors: CW_MISUSE
 * (team, root, NULL buffer, bytes), CW_OUTSIDE.
 * After MPI_Bcast, MPI 3.0, section 5.4. */
CW_CHECKED cw_error cw_broadcast(cw_team team, int root, void *buffer, size_t bytes);

/* Reduce the buffers of all members, in place (cw_reduction is in transfer.h). All get the same
 * bits, and the next run on the same layout gets them again: within a node, sums are formed by
 * rank; between nodes as MPI orders them.
 *
 * buffer: `count` elements of the type; 0 is legal. reduction: cw_reduction, as the type allows.
 * A team of one: absolute values and 0 or 1 are made all the same.
 * Collective over team. Complete on return: the buffer holds the result. Errors: CW_MISUSE (team,
 * type, reduction, count, NULL buffer), CW_OUTSIDE.
 * After MPI_Allreduce, MPI 3.0, section 5.9.6. */
CW_CHECKED cw_error cw_allreduce(cw_team team, cw_type type, cw_reduction reduction, size_t count,
                                 void *buffer);

/* The same, and the root alone gets the result.
 *
 * root: rank in the team. buffer: what it holds at the others afterwards is not defined.
 * Collective over team. Complete on return: the root's buffer holds the result, the others may use
 * theirs. Errors: as cw_allreduce, and CW_MISUSE (root).
 * After MPI_Reduce, MPI 3.0, section 5.9.1. */
CW_CHECKED cw_error cw_reduce(cw_team team, int root, cw_type type, cw_reduction reduction,
                              size_t count, void *buffer);

/* Copy `bytes` bytes of each member to all members.
 *
 * mine: `bytes` bytes, 0 is legal; may be its own place in `all`. all: bytes of each member, by
 * rank.
 * Collective over team. Complete on return: `all` is filled. Errors: CW_MISUSE (team, NULL, bytes),
 * CW_OUTSIDE.
 * After MPI_Allgather, MPI 3.0, section 5.7. */
CW_CHECKED cw_error cw_allgather(cw_team team, const void *mine, size_t bytes, void *all);

/* The same, to the root alone.
 *
 * root: rank in the team. all: only looked at on the root, elsewhere it may be NULL.
 * Collective over team. Complete on return: `all` is filled on the root; `mine` may be used again.
 * Errors: as cw_allgather, and CW_MISUSE (root).
 * After MPI_Gather, MPI 3.0, section 5.5. */
CW_CHECKED cw_error cw_gather(cw_team team, int root, const void *mine, size_t bytes, void *all);

#ifdef __cplusplus
}
#endif
#endif
