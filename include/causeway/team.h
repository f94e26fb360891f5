/* Causeway: teams, ordered sets of processes.
 *
 * Thread level of all calls: any, unless one says otherwise. */
#ifndef CAUSEWAY_TEAM_H
#define CAUSEWAY_TEAM_H

#include <causeway/error.h>
#include <mpi.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A team as this process sees it. NULL stands for "I am not a member". */
typedef struct cwi_team *cw_team;

/* Returns the team of all processes. It exists from cw_init to cw_finalize, and cannot be freed.
 * Local. Errors: none. */
cw_team cw_team_world(void);

/* Creates a team of some processes of `parent`.
 *
 * members: number of entries in ranks; 0 is legal, the team has no members then.
 * ranks: ranks in parent, no rank twice; rank i of the new team is ranks[i].
 * Only the members take part: non-members may call (they get NULL at once) or not call at all;
 * disjoint teams may be made at the same time. All members must pass the same list; they
 * compare it. If a member passes another tag, or a list with another lowest rank, the others
 * continue to wait for it. The report of long waits (CW_WAIT_REPORT) then names the process and the
 * tag. tag: distinguishes teams that several threads create at the same time on one parent;
 * otherwise 0. At most MPI_TAG_UB - 66. Collective over the members. Complete on return: the team
 * can be used. Thread level: any, with different tags (with the setting CW_TEAM_METHOD=merge one
 * thread at a time: MPI_Intercomm_create mixes messages). Errors: CW_MISUSE (rank out of range or
 * twice, bad tag; on all members that meet: their lists differ), CW_OUTSIDE, on all members:
 * memory, or communicators. Each team takes two communicators of MPI; MPICH has about 2000 in all.
 * After MPI_Comm_create_group, MPI 3.0, section 6.4.2. */
CW_CHECKED cw_error cw_team_create(cw_team parent, size_t members, const int *ranks, int tag,
                                   cw_team *team);

/* Splits a team by colour; ranks are ordered by key, then by rank in parent. A process that passes
 * MPI_UNDEFINED as colour gets NULL. Collective over parent. Errors, on all members: CW_MISUSE (a
 * negative colour of any of them), CW_OUTSIDE (memory, or communicators).
 * After MPI_Comm_split. */
CW_CHECKED cw_error cw_team_split(cw_team parent, int color, int key, cw_team *team);

/* Creates a team of the members on my node, in the order of parent: those that reach each other's
 * memory by load and store (CW_NODE_SIZE makes smaller nodes). Collective over parent. Errors, on
 * all members: CW_MISUSE, CW_OUTSIDE (memory, or communicators). After MPI_Comm_split_type, MPI
 * 3.0, section 6.4.2.
 */
CW_CHECKED cw_error cw_team_split_node(cw_team parent, cw_team *team);

/* Creates a second team of the same processes, with its own communication. Collective over team.
 * Errors: CW_MISUSE, CW_OUTSIDE (memory, or communicators). */
CW_CHECKED cw_error cw_team_dup(cw_team team, cw_team *copy);

/* Frees a team and sets the handle to NULL. Regions and mutex sets that the team still has stay
 * usable and keep it alive internally until they are freed. If *team is NULL, nothing happens.
 * Local. Errors: CW_MISUSE (the world). */
CW_CHECKED cw_error cw_team_free(cw_team *team);

/* Return my rank in the team (-1 for NULL) and its size (0 for NULL). Local. Errors: none. */
int cw_team_rank(cw_team team);
int cw_team_size(cw_team team);

/* Translates ranks of one team into ranks of another; a process that is not in `to` gives -1.
 *
 * count: entries in ranks and translated. Local. Errors: CW_MISUSE (a rank outside `from`). */
CW_CHECKED cw_error cw_team_translate(cw_team from, size_t count, const int *ranks, cw_team to,
                                      int *translated);

/* Returns the process (world rank) of a rank of the team; -1 if there is no such rank. Local.
 * Errors: none.
 */
int cw_team_process(cw_team team, int rank);

/* Returns the team's communicator for the program's own MPI calls (MPI_COMM_NULL for NULL).
 * Causeway's own messages never travel on it. Valid until the team is freed. In a job that survives
 * failures (causeway/failure.h) only the world has one; others return MPI_COMM_NULL. Local. Errors:
 * none.
 */
MPI_Comm cw_team_comm(cw_team team);

#ifdef __cplusplus
}
#endif
#endif
