/* Causeway: jobs that continue when a process fails.
 *
 * With CW_FAILURES=end, the default, the failure of a process ends the job. With
 * CW_FAILURES=survive the other processes continue. A process has failed when it has ended without
 * cw_finalize, for whatever reason; a failure is permanent. A process that is only stopped
 * (SIGSTOP) has not failed: the others wait for it.
 *
 * After a failure:
 * - A call that needs the failed process returns CW_FAILED; its message names the process. Waiting
 *   calls return. Calls among other processes continue.
 * - A collective call on a team with a failed member returns CW_FAILED on every surviving member,
 *   whether or not it had begun, unless all members had already arrived in its last step. Then
 *   only cw_team_failed, cw_team_agree_failed, cw_team_shrink, and the calls that free objects work
 *   on this team.
 * - Slices of a failed process stay readable and writable until their region is freed, because the
 *   memory belongs to the node, unless the node is lost: cw_get, cw_put, loads and stores continue
 * to work.
 * - An operation of the failed process on the memory of others (cw_put, cw_accumulate) may be
 *   complete in part: each element is either as before or as after the operation.
 * - Calls among survivors wait for each other as always. If a member leaves its work because
 *   cw_notify_wait or cw_notification_wait has failed, others may wait for it in a call in which
 *   the failed process takes no part (cw_team_create, a call on a smaller team). A barrier of a
 *   team with the failed process before such calls prevents this: it fails on all survivors.
 *
 * Failures are survived once cw_init has returned in all processes. If a process dies before, the
 * job ends with a message, or the others wait for it in MPI and report this after CW_WAIT_REPORT
 * seconds. A process that has called exit or abort has failed as after a signal, unless it has
 * called cw_finalize.
 *
 * In a job on several nodes process 0 must not fail: the job then ends with a message. If the first
 * process of another node fails, which runs its server, or if the node does not answer for
 * CW_SERVER_TIMEOUT seconds, the node is lost. Its other processes end, and calls that need its
 * memory return CW_FAILED. No node that is lost takes a mutex of a team on several nodes with it,
 * because process 0 keeps these mutexes. docs/guide/failure.md lists what works there; cw_init
 * reports settings that do not.
 *
 * Teams other than the world have no communicator: cw_team_comm returns MPI_COMM_NULL. Calls that
 * need MPI's messages (AXPY epochs, ScaLAPACK) work on the world until a process fails; a failure
 * during such a call ends the job with a message. The launcher needs an option, without which it
 * ends the job: docs/guide/failure.md.
 *
 * Thread level of all calls: any, unless one says otherwise. */
#ifndef CAUSEWAY_FAILURE_H
#define CAUSEWAY_FAILURE_H

#include <causeway/error.h>
#include <causeway/memory.h>
#include <causeway/team.h>
#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Returns true if this job continues when a process fails (CW_FAILURES=survive). Local. Errors:
 * none. */
bool cw_survives(void);

/* Lists the members of a team that this process knows to have failed. Different members may know
 * different sets; cw_team_agree_failed makes them the same.
 *
 * most: entries in ranks.
 * ranks: receives the lowest `most` ranks of failed members, in ascending order; may be NULL if
 * most is 0.
 * failed: receives the number of all failed members.
 * Local. Errors: CW_MISUSE (no team; NULL). After MPIX_Comm_get_failed of ULFM. */
CW_CHECKED cw_error cw_team_failed(cw_team team, size_t most, int *ranks, size_t *failed);

/* Like cw_team_failed, but all surviving members receive the same set, which contains every member
 * that failed before the first of them called. A member that fails during the call may or may not
 * be in the set.
 *
 * Collective over the surviving members; works on every team, with and without failed members.
 * Complete on return: every surviving member has called. Errors: CW_MISUSE (no team; NULL).
 * After Buntinas, "Scalable distributed consensus to support MPI fault tolerance" (IPDPS 2012). */
CW_CHECKED cw_error cw_team_agree_failed(cw_team team, size_t most, int *ranks, size_t *failed);

/* Creates a team of the surviving members, in the order of their ranks.
 *
 * survivors: receives the team. All members agree on who survives, as in cw_team_agree_failed.
 * Collective over the surviving members. Complete on return: the team can be used. If a member of
 * the new team has failed meanwhile, its calls return CW_FAILED: call cw_team_shrink again.
 * Errors: CW_MISUSE (no team; NULL; the job does not survive failures); on all members: CW_OUTSIDE
 * (memory). After MPIX_Comm_shrink of ULFM. */
CW_CHECKED cw_error cw_team_shrink(cw_team team, cw_team *survivors);

/* Sets a function that is called once for each failed process (world rank), or NULL for none. A
 * thread of the program calls it, within its next call that returns CW_FAILED, or within
 * cw_team_agree_failed or cw_team_shrink. The function may call cw_team_failed and
 * cw_error_message, and no call that waits.
 *
 * context: passed to the function. Local. Errors: CW_MISUSE (the job does not survive failures). */
typedef void (*cw_failure_function)(int process, void *context);
CW_CHECKED cw_error cw_failure_handler(cw_failure_function function, void *context);

/* Finds the slice of a process in a region, of a failed process, too.
 *
 * address, bytes: receive its address in this process and its length; NULL and 0 if the process has
 * no slice. Valid until the region is freed.
 * Local. Errors: CW_MISUSE (no region; not a member of its team; NULL; a slice on a device). */
CW_CHECKED cw_error cw_region_salvage(cw_region region, int process, void **address, size_t *bytes);

/* Ends this process with `status` after a failure: writes what the program has printed, and exits
 * without MPI_Finalize, which may wait for failed processes for ever. Functions of atexit are not
 * called. Call it after cw_finalize; a process that calls it before has failed for the others. Does
 * not return. Local. Errors: none. */
void cw_failure_end(int status);

#ifdef __cplusplus
}
#endif
#endif
