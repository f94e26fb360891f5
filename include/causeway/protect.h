/* Causeway: arrays whose contents survive the failure of processes (failure.h).
 *
 * cw_array_protect makes copies of each member's part of an array in the memory of other members.
 * cw_array_commit stores the present contents in the copies. After a failure the survivors make a
 * team, with cw_team_shrink, and cw_array_recover makes an array on it, with the contents of the
 * last commit. The other way is a file (file.h), which also survives the end of the job.
 *
 * After Zheng, Shi, Kale, "FTC-Charm++: an in-memory checkpoint-based fault tolerant runtime for
 * Charm++ and MPI" (Cluster 2004).
 *
 * Thread level of all calls: any, unless one says otherwise. */
#ifndef CAUSEWAY_PROTECT_H
#define CAUSEWAY_PROTECT_H

#include <causeway/array.h>
#include <causeway/error.h>
#include <causeway/team.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Makes memory for copies of an array. The array is protected from its first commit on, until it is
 * destroyed.
 *
 * copies: number of other members that keep a copy of each part; it may be more than there are. The
 * members are on different nodes as far as possible, and on another node than the part. So the
 * contents survive if at most `copies` members fail, or at most `copies` nodes of a team with more
 * nodes. 0 frees the copies. Members keep copies of their own parts, too, and all copies twice: the
 * memory is 2 * (1 + copies) times that of the array, in the hosts' memory. If the array is
 * protected already, its copies and their contents are freed first. Collective over the array's
 * team, synchronising. Complete on return: on all members. Errors, on every member: CW_MISUSE (no
 * array; copies is negative or differs), CW_OUTSIDE (memory; the array is then not protected),
 * CW_FAILED. */
CW_CHECKED cw_error cw_array_protect(cw_array array, int copies);

/* Commits the contents of an array: cw_array_recover returns to them until the next commit is
 * complete.
 *
 * The commit contains all updates that members have made before they call. No member may update the
 * array during its call. A failure at any moment leaves the contents of this commit or of the one
 * before, whole: if no member's call returned CW_OK, either is possible. Ghost cells are not
 * committed. Collective over the array's team, synchronising. Complete on return: all copies are
 * written. Errors, on every member: CW_MISUSE (no array; it is not protected), CW_OUTSIDE,
 * CW_FAILED; the earlier commit then remains. */
CW_CHECKED cw_error cw_array_commit(cw_array array);

/* Commits several arrays at once: a failure leaves all of them at this commit, or all at the one
 * before. For arrays that belong together.
 *
 * arrays: `count` of them, at least 1, on one team, each protected. Their earlier commits may have
 * been made by other calls.
 * Collective over the arrays' team, synchronising. Complete on return and Errors: as
 * cw_array_commit; CW_MISUSE also for count, NULL, another team, and lists that differ. */
CW_CHECKED cw_error cw_arrays_commit(size_t count, const cw_array *arrays);

/* Creates an array with the committed contents of another one, on some of its members.
 *
 * team: members of the array's team, such as its survivors from cw_team_shrink; also the team
 * itself, to return to the last commit without a failure. recovered: receives the array. Name, type
 * and extents are those of `array`. It has its layout, and its blocks or grid, too, if the team has
 * enough members for them; else Causeway chooses the grid, or for CW_BLOCKS the blocks. Holders
 * that the program had named (ranks of cw_distribution) and that are in the team stay the holders.
 * Each member's part is on the device on which it had its part of `array`. Ghost cells are
 * undefined. `array` and its copies stay: free it when the new array has been protected and
 * committed, so that a failure before that can be recovered from again.
 *
 * Collective over team, synchronising. Complete on return: everywhere. Errors, on every member of
 * team: CW_MISUSE (no array, no team; a member that is not in the array's team; the array is not
 * protected, or was never committed), CW_OUTSIDE (memory), CW_FAILED (a member of team has failed:
 * shrink the team and call again; or all copies of a part are lost, which the message names). */
CW_CHECKED cw_error cw_array_recover(cw_array array, cw_team team, cw_array *recovered);

#ifdef __cplusplus
}
#endif
#endif
