/* Causeway: what all members of a team do together: broadcast, reduce, scan, gather, scatter,
 * exchange, and the same without waiting.
 *
 * Within a node data goes through shared memory; between nodes one process of each node speaks for
 * it. Roots are ranks of the team. All members call, in the same order, with the same root, type,
 * reduction, count and bytes: CW_CHECK=1 compares them. A member refuses a wrong argument before it
 * sends anything; the others then wait, if theirs are right. These calls complete no transfers;
 * cw_barrier does. The first of them on a team of several nodes makes two communicators, which end
 * with the team.
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

/* The same, and members bring different numbers of bytes.
 *
 * bytes: what I bring. all_bytes, places: [team size], by rank: how many bytes come from a member,
 * and where in `all` they go, counted in bytes; places NULL: one after the other by rank. On
 * cw_gatherv only the root looks at these and at `all`. Places do not overlap.
 * Collective over team. Complete on return and Errors: as cw_allgather and cw_gather; CW_MISUSE
 * (all_bytes NULL, or not what I bring myself). Other members have to bring what all_bytes says:
 * else all get CW_MISUSE, where the team is on one node (and has 127 members at most) or with
 * CW_CHECK=1. Between nodes without it nobody notices what is too short, and what is too long is
 * CW_OUTSIDE or, on some MPIs, ends the job with MPI's own sentence.
 * After MPI_Allgatherv and MPI_Gatherv. */
CW_CHECKED cw_error cw_allgatherv(cw_team team, const void *mine, size_t bytes, void *all,
                                  const size_t *all_bytes, const size_t *places);
CW_CHECKED cw_error cw_gatherv(cw_team team, int root, const void *mine, size_t bytes, void *all,
                               const size_t *all_bytes, const size_t *places);

/* Copy a piece of the root's buffer to each member: piece i to rank i.
 *
 * root: rank in the team. all: the pieces by rank; only looked at on the root, elsewhere it may be
 * NULL. bytes: of each piece, 0 is legal; of cw_scatterv, of mine. mine: receives my piece; on the
 * root it may be its place in `all`. all_bytes, places: as for cw_gatherv.
 * Collective over team. Complete on return: `mine` is filled; the root may use `all` again. Errors:
 * CW_MISUSE (team, root, NULL, bytes; as cw_gatherv), CW_OUTSIDE.
 * After MPI_Scatter and MPI_Scatterv, MPI 3.0, section 5.6. */
CW_CHECKED cw_error cw_scatter(cw_team team, int root, const void *all, size_t bytes, void *mine);
CW_CHECKED cw_error cw_scatterv(cw_team team, int root, const void *all, const size_t *all_bytes,
                                const size_t *places, void *mine, size_t bytes);

/* Each member sends a piece to each: piece i of `mine` goes to rank i, and piece i of `all` comes
 * from rank i.
 *
 * bytes: of each piece, 0 is legal. mine, all: as many pieces as the team has members; they do not
 * overlap.
 * Collective over team. Complete on return: `all` is filled; `mine` may be used again. Errors:
 * CW_MISUSE (team, NULL, bytes), CW_OUTSIDE.
 * After MPI_Alltoall, MPI 3.0, section 5.8. */
CW_CHECKED cw_error cw_alltoall(cw_team team, const void *mine, size_t bytes, void *all);

/* The same with pieces of different lengths.
 *
 * bytes, places: [team size], by rank: how many bytes go to a member, and where in `mine` they
 * begin; all_bytes, all_places: how many come from it, and where in `all` they go. Places are
 * counted in bytes; NULL: one piece after the other by rank.
 * Collective over team. Complete on return and Errors as cw_alltoall; also as cw_gatherv.
 * After MPI_Alltoallv. */
CW_CHECKED cw_error cw_alltoallv(cw_team team, const void *mine, const size_t *bytes,
                                 const size_t *places, void *all, const size_t *all_bytes,
                                 const size_t *all_places);

/* Each member gets what the buffers of the ranks up to its own make together, in place: its own
 * included, or (exclusive) without its own. Exclusive: the buffer of rank 0 stays as it is.
 *
 * type, reduction, count, buffer: as for cw_allreduce. Absolute values are taken, and logical
 * values made 0 or 1, in all buffers.
 * Collective over team. Complete on return: the buffer holds the result. Errors: as cw_allreduce.
 * After MPI_Scan and MPI_Exscan, MPI 3.0, section 5.11. */
CW_CHECKED cw_error cw_scan(cw_team team, cw_type type, cw_reduction reduction, size_t count,
                            void *buffer);
CW_CHECKED cw_error cw_exclusive_scan(cw_team team, cw_type type, cw_reduction reduction,
                                      size_t count, void *buffer);

/* Calls that start, and return without waiting for other members; otherwise they do the same as the
 * calls without the i, and as cw_barrier. Wait for the handle, or test it, as for any other
 * (causeway/transfer.h).
 *
 * handle: receives the call, in addition to what it names already. Several calls may be under way
 * on one team, between each other and between calls that wait; all members make all of them in the
 * same order. cw_wait_all and fences do not wait for them; cw_finalize does. The team may be freed
 * meanwhile. root: rank in the team. They progress while any thread waits in a call of Causeway or
 * looks (cw_test, cw_progress). With CW_CHECK=1 members that make another call, or give other
 * arguments, get CW_MISUSE from the wait or the test, and nothing is sent.
 * cw_ibarrier fences at once: when the handle is complete, what members have started before is
 * visible.
 * Collective over team. Complete on return: nothing; buffers are not to be touched until the handle
 * is complete. Errors: as the calls that wait; CW_MISUSE (handle NULL, or one that no call has
 * given). If memory is short (CW_OUTSIDE), the call has sent nothing: make it once more. After
 * MPI_Ibarrier, MPI_Ibcast, MPI_Iallreduce, MPI_Iallgather, MPI_Ialltoall, MPI 3.0, section 5.12.
 */
CW_CHECKED cw_error cw_ibarrier(cw_team team, cw_handle *handle);
CW_CHECKED cw_error cw_ibroadcast(cw_team team, int root, void *buffer, size_t bytes,
                                  cw_handle *handle);
CW_CHECKED cw_error cw_iallreduce(cw_team team, cw_type type, cw_reduction reduction, size_t count,
                                  void *buffer, cw_handle *handle);
CW_CHECKED cw_error cw_iallgather(cw_team team, const void *mine, size_t bytes, void *all,
                                  cw_handle *handle);
CW_CHECKED cw_error cw_ialltoall(cw_team team, const void *mine, size_t bytes, void *all,
                                 cw_handle *handle);

#ifdef __cplusplus
}
#endif
#endif
