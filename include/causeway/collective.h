/* Causeway: operations that all members of a team do together: broadcast, reduce, scan, gather,
 * scatter, exchange, and their nonblocking forms. Within a node data goes through shared memory;
 * between nodes one process of each node speaks for it. Roots are ranks of the team. All members
 * make the same calls in the same order, with the same root, type, reduction, count and bytes;
 * CW_CHECK=1 compares these. Without CW_CHECK=1, blocking calls are still compared on teams whose
 * members share memory: all get CW_MISUSE if an argument differs (also a count of 0 from another
 * count), or if one member is in another call. On other teams, members with different calls wait
 * for each other, or MPI reports an error. A member checks its arguments before it sends anything;
 * if only its own are wrong, the others wait. These calls complete no transfers; cw_barrier does.
 * The first collective call on a team of several nodes makes two communicators, which are freed
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

/* Copies a buffer of the root to all members.
 *
 * root: rank in the team. buffer: `bytes` bytes, 0 is legal.
 * Collective over team. Complete on return: the buffer holds the root's bytes. Errors: CW_MISUSE
 * (team, root, NULL buffer, bytes), CW_OUTSIDE.
 * After MPI_Bcast, MPI 3.0, section 5.4. */
CW_CHECKED cw_error cw_broadcast(cw_team team, int root, void *buffer, size_t bytes);

/* Reduces the buffers of all members, in place (cw_reduction is in transfer.h). All members get the
 * same bits, and so does another run with the same processes on the same nodes: within a node, sums
 * are formed in the order of ranks; between nodes MPI chooses the order. Only the sign and the
 * payload of a NaN that results from a sum or a product may differ. Long buffers of members of one
 * node that all lie in regions are reduced where they lie; others are copied to shared memory
 * first.
 *
 * buffer: `count` elements of the type; 0 is legal. The buffers of members do not overlap.
 * reduction: cw_reduction, as the type allows. In a team of one the call still takes absolute
 * values, and makes logical values 0 or 1.
 * Collective over team. Complete on return: the buffer holds the result. Errors: CW_MISUSE (team,
 * type, reduction, count, NULL buffer), CW_OUTSIDE.
 * After MPI_Allreduce, MPI 3.0, section 5.9.6. */
CW_CHECKED cw_error cw_allreduce(cw_team team, cw_type type, cw_reduction reduction, size_t count,
                                 void *buffer);

/* Reduces like cw_allreduce, but only the root gets the result.
 *
 * root: rank in the team. buffer: undefined afterwards on the other members. (If all members share
 * memory, it keeps its contents, or has their absolute or logical values.) Collective over team.
 * Complete on return: the root's buffer holds the result, the others may use theirs. Errors: as
 * cw_allreduce, and CW_MISUSE (root).
 * After MPI_Reduce, MPI 3.0, section 5.9.1. */
CW_CHECKED cw_error cw_reduce(cw_team team, int root, cw_type type, cw_reduction reduction,
                              size_t count, void *buffer);

/* Copies a buffer of each member to all members.
 *
 * mine: `bytes` bytes, 0 is legal; may be its own place in `all`. all: the bytes of each member, in
 * the order of ranks.
 * Collective over team. Complete on return: `all` is filled. Errors: CW_MISUSE (team, NULL, bytes),
 * CW_OUTSIDE.
 * After MPI_Allgather, MPI 3.0, section 5.7. */
CW_CHECKED cw_error cw_allgather(cw_team team, const void *mine, size_t bytes, void *all);

/* Copies a buffer of each member to the root.
 *
 * root: rank in the team. all: used only on the root; elsewhere it may be NULL.
 * Collective over team. Complete on return: `all` is filled on the root; `mine` may be used again.
 * Errors: as cw_allgather, and CW_MISUSE (root).
 * After MPI_Gather, MPI 3.0, section 5.5. */
CW_CHECKED cw_error cw_gather(cw_team team, int root, const void *mine, size_t bytes, void *all);

/* Gather like cw_allgather and cw_gather, but members may contribute different numbers of bytes.
 *
 * bytes: number of bytes that I contribute. all_bytes, places: [team size], by rank: number of
 * bytes from a member, and their offset in `all`, in bytes. If places is NULL, the contributions
 * follow each other by rank. In cw_gatherv only the root uses these and `all`. Places must not
 * overlap. Collective over team. Complete on return and Errors: as cw_allgather and cw_gather;
 * CW_MISUSE (all_bytes is NULL, or its entry for me is not `bytes`). Every other member must
 * contribute as many bytes as its entry in all_bytes. Otherwise all get CW_MISUSE if the team is on
 * one node (and has at most 127 members), or with CW_CHECK=1. Between nodes without CW_CHECK=1,
 * data that is too short is not noticed, and data that is too long gives CW_OUTSIDE or, on some
 * MPIs, ends the job with MPI's own error message. After MPI_Allgatherv and MPI_Gatherv. */
CW_CHECKED cw_error cw_allgatherv(cw_team team, const void *mine, size_t bytes, void *all,
                                  const size_t *all_bytes, const size_t *places);
CW_CHECKED cw_error cw_gatherv(cw_team team, int root, const void *mine, size_t bytes, void *all,
                               const size_t *all_bytes, const size_t *places);

/* Copies a piece of the root's buffer to each member: piece i to rank i.
 *
 * root: rank in the team. all: the pieces in the order of ranks; used only on the root; elsewhere
 * it may be NULL. bytes: size of each piece (in cw_scatterv, of my piece); 0 is legal. mine:
 * receives my piece; on the root it may be its place in `all`. all_bytes, places: as for
 * cw_gatherv. Collective over team. Complete on return: `mine` is filled; the root may use `all`
 * again. Errors: CW_MISUSE (team, root, NULL, bytes; as cw_gatherv), CW_OUTSIDE.
 * After MPI_Scatter and MPI_Scatterv, MPI 3.0, section 5.6. */
CW_CHECKED cw_error cw_scatter(cw_team team, int root, const void *all, size_t bytes, void *mine);
CW_CHECKED cw_error cw_scatterv(cw_team team, int root, const void *all, const size_t *all_bytes,
                                const size_t *places, void *mine, size_t bytes);

/* Sends a piece of each member to each member: piece i of `mine` goes to rank i, and piece i of
 * `all` comes from rank i.
 *
 * bytes: size of each piece; 0 is legal. mine, all: as many pieces as the team has members; they
 * must not overlap.
 * Collective over team. Complete on return: `all` is filled; `mine` may be used again. Errors:
 * CW_MISUSE (team, NULL, bytes), CW_OUTSIDE.
 * After MPI_Alltoall, MPI 3.0, section 5.8. */
CW_CHECKED cw_error cw_alltoall(cw_team team, const void *mine, size_t bytes, void *all);

/* Exchanges like cw_alltoall, with pieces of different lengths.
 *
 * bytes, places: [team size], by rank: number of bytes that go to a member, and their offset in
 * `mine`; all_bytes, all_places: number of bytes that come from it, and their offset in `all`.
 * Offsets are in bytes. If places is NULL, pieces follow each other by rank. Collective over team.
 * Complete on return and Errors as cw_alltoall; also as cw_gatherv. After MPI_Alltoallv. */
CW_CHECKED cw_error cw_alltoallv(cw_team team, const void *mine, const size_t *bytes,
                                 const size_t *places, void *all, const size_t *all_bytes,
                                 const size_t *all_places);

/* cw_scan replaces each member's buffer by the reduction of the buffers of all ranks up to its own.
 * cw_exclusive_scan leaves the member's own buffer out, and the buffer of rank 0 unchanged.
 *
 * type, reduction, count, buffer: as for cw_allreduce. Absolute values are taken, and logical
 * values made 0 or 1, in all buffers.
 * Collective over team. Complete on return: the buffer holds the result. Errors: as cw_allreduce.
 * After MPI_Scan and MPI_Exscan, MPI 3.0, section 5.11. */
CW_CHECKED cw_error cw_scan(cw_team team, cw_type type, cw_reduction reduction, size_t count,
                            void *buffer);
CW_CHECKED cw_error cw_exclusive_scan(cw_team team, cw_type type, cw_reduction reduction,
                                      size_t count, void *buffer);

/* Start collective operations: they do the same as the calls without the i in their names
 * (cw_barrier for cw_ibarrier), but return without waiting for other members. Wait for the handle,
 * or test it, like any other (causeway/transfer.h).
 *
 * handle: receives the call, in addition to what it names already. Several calls may be under way
 * on one team, and blocking calls may be made meanwhile; all members make all of them in the same
 * order. cw_wait_all and fences do not wait for them; cw_finalize does. The team may be freed
 * meanwhile. root: rank in the team. The calls progress while any thread waits in a call of
 * Causeway or tests (cw_test, cw_progress). With CW_CHECK=1, if members make different calls, or
 * give different arguments, the wait or the test returns CW_MISUSE, and nothing is sent.
 * cw_ibarrier fences at once: when the handle is complete, all operations that members have started
 * before are visible.
 * Collective over team. Complete on return: nothing; do not touch buffers until the handle is
 * complete. Errors: as the blocking calls; CW_MISUSE (handle NULL, or one that no call has given).
 * If memory is short (CW_OUTSIDE), the call has sent nothing: make it again. After MPI_Ibarrier,
 * MPI_Ibcast, MPI_Iallreduce, MPI_Iallgather, MPI_Ialltoall, MPI 3.0, section 5.12. */
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
