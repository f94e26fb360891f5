/* Causeway: fence, barrier, mutexes. */
#ifndef CAUSEWAY_SYNC_H
#define CAUSEWAY_SYNC_H

#include <causeway/error.h>
#include <causeway/team.h>
#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Wait until all puts and accumulates I have issued to `process` are visible there, to its plain
 * loads and to everybody's gets. Also those of non-blocking handles. Local. Costs nothing when
 * nothing is outstanding. Errors: CW_MISUSE (process out of range), CW_OUTSIDE. */
cw_error cw_fence(int process);

/* The same for all processes. */
cw_error cw_fence_all(void);

/* Fence to all, then wait for all processes of the team. Everything before the barrier is visible
 * after it, also to loads and stores. Collective over team. Errors: CW_MISUSE, CW_OUTSIDE. */
cw_error cw_barrier(cw_team team);

/* A set of mutexes, hosted by the members of a team. */
typedef struct cwi_mutexes *cw_mutexes;

/* Make mutexes: `count` of them hosted by me (0 is legal).
 *
 * Collective over team. A mutex is named by (number, process that hosts it, world rank).
 * Errors, on every member: CW_OUTSIDE (memory, MPI). */
cw_error cw_mutexes_create(cw_team team, size_t count, cw_mutexes *mutexes);

/* Free the set and clear the handle. Collective over its team. Errors: CW_MISUSE when a mutex of
 * mine is still held (the set stays). */
cw_error cw_mutexes_free(cw_mutexes *mutexes);

/* Lock and unlock mutex `number` of `process`. Waiters are served first come, first served; the
 * hosting process takes no part; not recursive. Unlock first completes my operations at every
 * target, so that the next holder sees them.
 * Local. Errors: CW_MISUSE (no such mutex; locked by me already; unlock without holding it). */
cw_error cw_mutex_lock(cw_mutexes mutexes, size_t number, int process);
cw_error cw_mutex_unlock(cw_mutexes mutexes, size_t number, int process);

/* Lock it if it is free: acquired tells. Local. Errors as lock. */
cw_error cw_mutex_trylock(cw_mutexes mutexes, size_t number, int process, bool *acquired);

#ifdef __cplusplus
}
#endif
#endif
